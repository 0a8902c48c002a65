"""``/usage`` and ``/lists``: what belongs to an account."""

from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from winnow.api.json_body import JsonBodies, is_text, require_items
from winnow.api.middleware.authentication import Authentication
from winnow.api.schemas.account import ListName, MonthUsage, OwnEntry, OwnList, UsageReport
from winnow.api.schemas.operations import cut_to_seconds
from winnow.core.accounts import ApiKey
from winnow.core.errors import BadField
from winnow.core.tasks.task import KeyType
from winnow.services.own.own_lists import ENTRIES_MAX, OwnListBook

LIST_MAX_BYTES = 32 << 20  # 100,000 entries with the longest notes


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

    def read_list(self, request: Request) -> OwnList:
        """Answer the entries of a list."""
        key = self.authentication.admit(request)
        return self._present(key, _read_list_name(request))

    async def put_list(self, request: Request) -> OwnList:
        """Replace the entries of a list; a refused request changes nothing."""
        key = await run_in_threadpool(self._admit_change, request)
        name = _read_list_name(request)
        async with self.bodies.open(request, LIST_MAX_BYTES, ENTRIES_MAX) as body:
            return await run_in_threadpool(self._replace, key, name, body.get("entries"))

    def clear_list(self, request: Request) -> OwnList:
        """Remove all entries of a list."""
        return self._replace(self._admit_change(request), _read_list_name(request), [])

    def _admit_change(self, request: Request) -> ApiKey:
        key = self.authentication.admit(request, OwnListBook.replace)
        if key.key_type is KeyType.SANDBOX:
            raise BadField("X-API-Key", "is a sandbox key, which changes no list")
        return key

    def _replace(self, key: ApiKey, name: ListName, value: object) -> OwnList:
        entries = _read_entries(value)
        self.authentication.act_for(key).own_lists.replace(key.account, name.category, entries)
        return self._present(key, name)

    def _present(self, key: ApiKey, name: ListName) -> OwnList:
        if key.key_type is KeyType.SANDBOX:
            return OwnList([])
        page = self.authentication.act_for(key).own_lists.list(
            key.account, category=name.category, limit=ENTRIES_MAX
        )
        return OwnList(
            [
                OwnEntry(one.pattern, one.kind, one.note, cut_to_seconds(one.added_at))
                for one in page.entries
            ]
        )


def _read_list_name(request: Request) -> ListName:
    name = request.path_params["list"]
    if name not in set(ListName):
        raise BadField("list", f"must be one of {', '.join(ListName)}")
    return ListName(name)


def _read_entries(value: object) -> list[tuple[str, str]]:
    """Return the patterns and notes of a body's entries."""
    entries = []
    for place, item in enumerate(require_items("entries", value, ENTRIES_MAX, least=0)):
        entry = item if isinstance(item, dict) else {"pattern": item}
        pattern, note = entry.get("pattern"), entry.get("note", "")
        if not is_text(pattern) or not is_text(note) or not entry.keys() <= {"pattern", "note"}:
            raise BadField(f"entries[{place}]", "must be a text, or an object of pattern and note")
        entries.append((pattern, note))
    return entries
