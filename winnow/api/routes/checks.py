"""``POST /check-email``: one address, answered in one go."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from http import HTTPStatus
from typing import Any

import orjson
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from winnow.api.clients import ClientFinder
from winnow.api.middleware.authentication import Admission
from winnow.api.queries import read_email
from winnow.api.routes.batches import format_time
from winnow.core.accounts import CheckResult
from winnow.core.verdicts.facts import Evidence
from winnow.services.services import Services

EVIDENCE_KEPT = 4096  # the same for all addresses of a domain; about 6 MB when full
CHECKS_AT_ONCE = 32  # each may wait for DNS or a registry, a few seconds at most

_HEADERS = ((b"content-type", b"application/json"),)


class CheckOperation:
    """The single check, an application of its own.

    Each runs in a thread, of which there are some for checks alone: they may wait for DNS or a
    registry, and hold up no upload and no page meanwhile.
    """

    def __init__(
        self, services: Callable[[], Services], admission: Admission, clients: ClientFinder
    ) -> None:
        self._services = services
        self._admission = admission
        self._clients = clients
        self._threads = ThreadPoolExecutor(CHECKS_AT_ONCE, thread_name_prefix="checks")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the nine fields of the contract in their order, then ``explanation``."""
        loop = asyncio.get_running_loop()
        body = await loop.run_in_executor(self._threads, self._answer, Request(scope, receive))
        headers = [*_HEADERS, (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": HTTPStatus.OK, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _answer(self, request: Request) -> bytes:
        key = self._admission.admit(request)
        client, text = self._clients.find(request), read_email(request.scope["query_string"])
        return orjson.dumps(present_check(self._services().checks.check_for_key(key, client, text)))


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
