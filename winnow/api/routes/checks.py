"""``/check-email`` and ``/check-emails``: one address, and an array of addresses."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from starlette.requests import Request

from winnow.api.clients import ClientFinder
from winnow.api.json_body import JsonBodies, is_text, require_items
from winnow.api.middleware.authentication import Authentication
from winnow.api.schemas.check import ARRAY_MAX_ITEMS, Check, Checks, present_check
from winnow.core.errors import BadField
from winnow.core.waiting import Answer, WouldWait, call_without_waiting

ARRAY_MAX_BYTES = 4 << 20  # 1,000 of the longest addresses, every letter escaped
CHECKS_AT_ONCE = 32  # each may wait for DNS or a registry, a few seconds at most


@dataclass(eq=False, repr=False)
class CheckOperations:
    """The checks that answer at once.

    Whatever may wait, for a commit, DNS or a registry, runs in one of the threads for checks alone,
    without delaying uploads and pages.
    """

    authentication: Authentication
    clients: ClientFinder
    bodies: JsonBodies

    def __post_init__(self) -> None:
        self._threads = ThreadPoolExecutor(CHECKS_AT_ONCE, thread_name_prefix="checks")

    async def check_address(self, request: Request) -> Check:
        """Answer the nine fields of the contract in their order, then ``explanation``."""
        key = await self._call(lambda: self.authentication.admit(request))
        client, text = self.clients.find(request), read_email(request.scope["query_string"])

        def check() -> Check:
            checks = self.authentication.act_for(key).checks
            return present_check(checks.check_for_key(key, client, text))

        return await self._call(check)

    async def check_array(self, request: Request) -> Checks:
        """Answer a list of addresses, each as a single check is answered."""
        key = await self._call(lambda: self.authentication.admit(request))
        async with self.bodies.open(request, ARRAY_MAX_BYTES, ARRAY_MAX_ITEMS) as body:
            items = require_items("emails", body.get("emails"), ARRAY_MAX_ITEMS)
            values = [item if is_text(item) else None for item in items]
            client = self.clients.find(request)

            def check() -> Checks:
                checks = self.authentication.act_for(key).checks
                found = checks.check_array_for_key(key, client, values)
                return Checks([present_check(one) for one in found])

            return await self._call_apart(check)

    async def _call(self, work: Callable[[], Answer]) -> Answer:
        """Call on the event loop what need not wait, which a thread makes twice as dear."""
        try:
            return call_without_waiting(work)
        except WouldWait:
            return await self._call_apart(work)

    async def _call_apart(self, work: Callable[[], Answer]) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def read_email(query_string: bytes) -> str:
    """Return the value of ``email``: percent-decoded UTF-8 in which a plus is a plus.

    Trailing ones are blanks of a form's encoder: no domain ends in one.

    Raises:
        BadField: The parameter is missing, given twice, or not UTF-8. An empty value is a value.
    """
    values = []
    for pair in query_string.split(b"&"):
        name, _, value = pair.partition(b"=")
        if unquote_to_bytes(name) == b"email":
            values.append(value)
    if not values:
        raise BadField("email", "is missing", hint="Send the address as the query parameter email.")
    if len(values) > 1:
        raise BadField("email", "is given more than once")
    try:
        text = unquote_to_bytes(values[0]).decode()
    except UnicodeDecodeError as error:
        raise BadField("email", "is not percent-encoded UTF-8") from error
    return text.rstrip("+ ") if "@" in text else text
