"""``POST /check-email``: one address, answered in one go."""

from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from backend.api.admission import Admission
from backend.api.clients import ClientFinder
from backend.api.hop import Hop
from backend.api.queries import read_email
from backend.core.accounts import CheckResult
from backend.core.facts import Evidence
from backend.service.services import Services


class CheckOperation:
    """The single check."""

    def __init__(
        self, services: Callable[[], Services], admission: Admission, clients: ClientFinder
    ) -> None:
        self._services = services
        self._admission = admission
        self._clients = clients
        self._hop = Hop("checks")

    async def check(self, request: Request) -> JSONResponse:
        """Answer the nine fields of the contract in their order, then ``explanation``."""
        return await self._hop.run(partial(self._check, request))

    def _check(self, request: Request) -> JSONResponse:
        key = self._admission.admit(request)
        text = read_email(request.scope["query_string"])
        client = self._clients.find(request)
        return JSONResponse(present_check(self._services().checks.check_for_key(key, client, text)))


def present_check(result: CheckResult) -> dict[str, Any]:
    """Return a single check as JSON values."""
    explanation = {
        "reasons": [reason.value for reason in result.verdict.reasons],
        "evidence": [_present_evidence(evidence) for evidence in result.evidence],
        "suggestion": result.suggestion,
        "data_version": result.data_version,
    }
    return {**result.fields, "explanation": explanation}


def _present_evidence(evidence: Evidence) -> dict[str, str | None]:
    return {
        "reason": evidence.reason.value,
        "rule": evidence.rule,
        "source": evidence.source,
        "dated": evidence.dated.isoformat() if evidence.dated is not None else None,
        "matched": evidence.matched,
    }
