"""``POST /check-email``: one address, answered in one go."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from http import HTTPStatus
from typing import Any

import orjson
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from winnow.api.clients import ClientFinder
from winnow.api.hop import Hop
from winnow.api.middleware.authentication import Admission
from winnow.api.queries import read_email
from winnow.api.routes.batches import format_time
from winnow.core.accounts import ApiKey, CheckResult
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.judge import Judge
from winnow.services.services import Services

QUERY_MAX_BYTES_AT_ONCE = 1024  # far more than an address; longer ones may take a while
CALLERS_KEPT = 10_000
EVIDENCE_KEPT = 4096  # the same for all addresses of a domain; about 6 MB when full
ASKING_THREADS = 32  # each waits for DNS or a registry, a few seconds at most

_HEADERS = ((b"content-type", b"application/json"),)

Caller = tuple[str, str]  # what stands in X-API-Key, and the client's address


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of the database and of the domain data at one moment, without waiting."""

    mark: int  # of ``ChangeWatch``
    judges: Mapping[KeyType, Judge | None]  # None: it would have to wait


class CheckOperation:
    """The single check, an application of its own.

    A hop to a thread and back costs more than the check. So a caller who was answered by the
    thread, since when nobody committed anything, is answered on the event loop: whatever the
    database says about that caller is in memory. Nothing rests on it but time: what is not in
    memory is read. What waits for the network waits in a thread of its own, holding up nobody.
    """

    def __init__(
        self, services: Callable[[], Services], admission: Admission, clients: ClientFinder
    ) -> None:
        self._services = services
        self._admission = admission
        self._clients = clients
        self._hop = Hop("checks", lambda: self._services().changes.holding())
        self._asking = ThreadPoolExecutor(ASKING_THREADS, thread_name_prefix="asking")
        self._look: Look | None = None
        self._known_since: int | None = None
        self._known: set[Caller] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the nine fields of the contract in their order, then ``explanation``."""
        request = Request(scope, receive)
        client = self._clients.find(request)
        key, result = self._check_at_once(request, client)
        if result is None:
            result = await self._check_in_thread(request, client, key)
        body = orjson.dumps(present_check(result))
        headers = [*_HEADERS, (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": HTTPStatus.OK, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _check_at_once(
        self, request: Request, client: str
    ) -> tuple[ApiKey | None, CheckResult | None]:
        """Return the admitted key, if it is one already, and the result, if it is at hand."""
        query = request.scope["query_string"]
        if len(query) > QUERY_MAX_BYTES_AT_ONCE:
            return None, None
        services = self._services()
        try:
            look = self._look_at_once(services)
            caller = (self._admission.read_key(request), client)
            if look is None or look.mark != self._known_since or caller not in self._known:
                return None, None
            key = self._admission.admit(request)
            judge = look.judges[key.key_type]
            return key, services.checks.check_at_once(key, client, read_email(query), judge)
        finally:
            services.changes.release()

    def _look_at_once(self, services: Services) -> Look | None:
        """Look and hold without waiting; requests that had all arrived by then share one look.

        What the loop takes up before ``_forget_look`` was in its queue when the look was taken.
        """
        if self._look is not None:
            services.changes.hold_at(self._look.mark)
            return self._look
        mark = services.changes.hold(waits=False)
        if mark is not None:
            self._look = Look(mark, services.checks.judges_at_once())
            asyncio.get_running_loop().call_soon(self._forget_look)
        return self._look

    def _forget_look(self) -> None:
        self._look = None

    async def _check_in_thread(
        self, request: Request, client: str, key: ApiKey | None
    ) -> CheckResult:
        admitted, result = await self._hop.run(partial(self._check, request, client, key))
        if result is not None:
            return result
        text = read_email(request.scope["query_string"])
        ask = partial(self._services().checks.check_for_key, admitted, client, text)
        return await asyncio.get_running_loop().run_in_executor(self._asking, ask)

    def _check(
        self, request: Request, client: str, key: ApiKey | None
    ) -> tuple[ApiKey, CheckResult | None]:
        """Return the admitted key, and the result unless it waits for the network."""
        services = self._services()
        mark = services.changes.read()
        key = key or self._admission.admit(request)
        text = read_email(request.scope["query_string"])
        if key.key_type is KeyType.LIVE and services.network.is_asking:
            return key, None
        result = services.checks.check_for_key(key, client, text)
        if mark != self._known_since or len(self._known) >= CALLERS_KEPT:
            self._known_since, self._known = mark, set()
        self._known.add((self._admission.read_key(request), client))
        return key, result


def present_check(result: CheckResult) -> dict[str, Any]:
    """Return a single check as values for ``orjson``."""
    explanation = {
        "reasons": result.verdict.reasons,
        "evidence": _write_evidence(result.evidence, result.not_black),
        "suggestion": result.suggestion,
        "data_version": result.data_version,
        "disposable_probability": result.disposable_probability,
    }
    return {**result.fields, "explanation": explanation}


@lru_cache(maxsize=EVIDENCE_KEPT)
def _write_evidence(*groups: tuple[Evidence, ...]) -> orjson.Fragment:
    return orjson.Fragment(
        orjson.dumps([_present_evidence(one) for group in groups for one in group])
    )


def _present_evidence(evidence: Evidence) -> dict[str, str | None]:
    return {
        "reason": evidence.reason.value,
        "rule": evidence.rule,
        "source": evidence.source,
        "dated": evidence.dated.isoformat() if evidence.dated is not None else None,
        "matched": evidence.matched,
        "asked_at": format_time(evidence.asked_at) if evidence.asked_at is not None else None,
    }
