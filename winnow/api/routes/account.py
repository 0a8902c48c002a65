"""``/usage`` and ``/lists``: what belongs to an account."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from winnow.api.json_body import JsonBodies, is_text, require_items
from winnow.api.middleware.authentication import Authentication
from winnow.api.operations import cut_to_seconds
from winnow.api.routes.operation_routes import respond_model
from winnow.api.schemas.account import ListName, MonthUsage, OwnEntry, OwnList, UsageReport
from winnow.core.errors import BadField
from winnow.core.identities import ApiKey
from winnow.core.own_lists.entries import ENTRIES_MAX, ListEntry, tag_entries
from winnow.core.tasks.task import KeyType
from winnow.services.own.own_lists import OwnListBook

LIST_MAX_BYTES = 32 << 20  # 100,000 entries with the longest notes
ENTRY_MAX_BYTES = 1 << 14  # one, every letter escaped
_TEXTS = ("pattern", "note")  # of an entry


@dataclass(eq=False, repr=False)
class AccountOperations:
    """Read the usage; read, replace and empty the own lists."""

    authentication: Authentication
    bodies: JsonBodies

    def usage(self, request: Request) -> UsageReport:
        """Answer what was charged by month and key."""
        key = self.authentication.admit(request)
        months = self.authentication.act_for(key).usage.months(key.account)
        return UsageReport(
            [MonthUsage(one.month, one.prefix, one.name, one.single, one.batch) for one in months]
        )

    def read_list(self, request: Request) -> Response:
        """Answer the entries of a list, and their tag."""
        key = self.authentication.admit(request)
        return self._present(key, _read_list_name(request))

    async def put_list(self, request: Request) -> Response:
        """Replace the entries of a list; a refused request changes nothing."""
        key = await run_in_threadpool(self._admit_change, request)
        name = _read_list_name(request)
        async with self.bodies.open(request, LIST_MAX_BYTES, ENTRIES_MAX) as body:
            entries, tags = body.get("entries"), request.headers.getlist("if-match")
            return await run_in_threadpool(self._replace, key, name, entries, tags)

    def clear_list(self, request: Request) -> Response:
        """Remove all entries of a list."""
        key, tags = self._admit_change(request), request.headers.getlist("if-match")
        return self._replace(key, _read_list_name(request), [], tags)

    async def add_entry(self, request: Request) -> Response:
        """Put one entry on a list: 201, or 200 where it is there already."""
        key = await run_in_threadpool(self._admit_change, request)
        name = _read_list_name(request)
        async with self.bodies.open(request, ENTRY_MAX_BYTES, ENTRY_MAX_BYTES) as body:
            return await run_in_threadpool(self._add, key, name, body)

    def _add(self, key: ApiKey, name: ListName, body: dict[str, Any]) -> Response:
        pattern, note = _read_entry("", body)
        book = self.authentication.act_for(key).own_lists
        there = book.find_entry(key.account, name.category, pattern)
        entry = book.add(key.account, pattern, name.category, note if "note" in body else None)
        return respond_model(_present(entry), 201 if there is None else 200)

    def remove_entry(self, request: Request) -> Response:
        """Remove one entry of a list, if it is there."""
        key, name = self._admit_change(request), _read_list_name(request)
        book = self.authentication.act_for(key).own_lists
        book.remove_typed(key.account, name.category, request.path_params["pattern"])
        return Response(status_code=204)

    def _admit_change(self, request: Request) -> ApiKey:
        key = self.authentication.admit(request, OwnListBook.replace)
        if key.key_type is KeyType.SANDBOX:
            raise BadField("X-API-Key", "is a sandbox key, which changes no list")
        return key

    def _replace(self, key: ApiKey, name: ListName, value: object, tags: Sequence[str]) -> Response:
        entries = _read_entries(value)
        book = self.authentication.act_for(key).own_lists
        wanted = [tag.strip() for header in tags for tag in header.split(",")]  # RFC 9110, 13.1.1
        plain = [tag.removeprefix('"').removesuffix('"') for tag in wanted]
        expects = None if not tags or wanted == ["*"] else plain  # None: any list will do
        book.replace(key.account, name.category, entries, expects)
        return self._present(key, name)

    def _present(self, key: ApiKey, name: ListName) -> Response:
        entries: tuple[ListEntry, ...] = ()
        if key.key_type is not KeyType.SANDBOX:
            book = self.authentication.act_for(key).own_lists
            page = book.list(key.account, category=name.category, limit=ENTRIES_MAX)
            entries = page.entries
        return respond_model(
            OwnList(list(map(_present, entries))), etag=f'"{tag_entries(entries)}"'
        )


def _read_list_name(request: Request) -> ListName:
    name = request.path_params["list"]
    if name not in set(ListName):
        raise BadField("list", f"must be one of {', '.join(ListName)}")
    return ListName(name)


def _read_entries(value: object) -> list[tuple[str, str]]:
    """Return the patterns and notes of a body's entries."""
    items = require_items("entries", value, ENTRIES_MAX, least=0)
    return [_read_entry(f"entries[{place}]", item) for place, item in enumerate(items)]


def _read_entry(field: str, item: object) -> tuple[str, str]:
    """Return a pattern and its note; ``field`` is the entry's, ``""`` where it is the body."""
    entry = item if isinstance(item, dict) else {"pattern": item}
    texts = {"pattern": None, "note": "", **entry}
    wrong = [name for name, value in texts.items() if name not in _TEXTS or not is_text(value)]
    if wrong and field:
        raise BadField(field, "must be a text, or an object of pattern and note")
    known = [name for name in wrong if name in _TEXTS]
    if known:
        raise BadField(known[0], "must be a text")
    if wrong:  # an error repeats no unknown name: it may be an address
        raise BadField("entry", "must have a pattern and a note only")
    return texts["pattern"], texts["note"]


def _present(entry: ListEntry) -> OwnEntry:
    return OwnEntry(entry.pattern, entry.kind, entry.note, cut_to_seconds(entry.added_at))
