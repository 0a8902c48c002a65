"""Error boundary of the API: errors become answers with the right headers."""

import logging
from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from winnow.api.errors import (
    InternalError,
    MethodNotAllowed,
    RouteUnknown,
    answer_for,
    respond_problem,
)
from winnow.api.middleware.request_ids import request_id_of
from winnow.api.middleware.shutdown import Shutdown
from winnow.core.disk_errors import name_disk_error
from winnow.core.errors import MalformedRequest, WinnowError
from winnow.core.faults import locate

LOGGER = logging.getLogger("winnow.api")

SECURITY_HEADERS: Mapping[bytes, bytes] = {
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
    b"cross-origin-resource-policy": b"same-origin",
    b"referrer-policy": b"same-origin",  # with no-referrer, a form posts its Origin as null
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
}
"""Headers of every answer of the API that does not set its own."""


class ErrorMiddleware:
    """Wraps the routes: errors become problem details, answers get their headers.

    An error after the answer has begun ends the connection, so that half a file does not look
    whole.
    """

    def __init__(self, app: ASGIApp, *, shutdown: Shutdown) -> None:
        self.app = app
        self._shutdown = shutdown

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message["headers"] = _complete_headers(message.get("headers", ()), scope)
            await send(message)

        try:
            self._shutdown.check()
            await self.app(scope, receive, send_with_headers)
        except ClientDisconnect:
            return
        except Exception as error:
            fault = _as_winnow_error(error)
            if begun or answer_for(fault).status >= 500:
                log_fault(error, request_id_of(scope))
            if begun:
                return
            await respond_problem(fault, scope)(scope, receive, send_with_headers)


def _complete_headers(
    headers: list[tuple[bytes, bytes]], scope: Scope
) -> list[tuple[bytes, bytes]]:
    present = {name for name, _ in headers}
    complete = [*headers, *[item for item in SECURITY_HEADERS.items() if item[0] not in present]]
    allowance = scope.get("winnow.allowance")
    if allowance is not None:
        complete += [(name.encode(), value.encode()) for name, value in allowance.headers().items()]
    return complete


def _as_winnow_error(error: Exception) -> WinnowError:
    match error:
        case WinnowError():
            return error
        case HTTPException(status_code=404):
            return RouteUnknown("There is nothing at this path.")
        case HTTPException(status_code=405):
            allowed = (error.headers or {}).get("Allow", "").split(", ")
            return MethodNotAllowed(", ".join(sorted(allowed)))  # Starlette keeps a set
        case HTTPException(status_code=400):
            return MalformedRequest("The request cannot be read.")
        case _:
            return name_disk_error(error) or InternalError("Something unforeseen.")


def log_fault(error: Exception, request_id: str) -> None:
    """Log where an error happened, never its message, which may hold an address or a cell."""
    kind, places = type(error).__name__, locate(error)
    LOGGER.error("request failed: id=%s error=%s at=%s", request_id, kind, places)
