"""Answers of every request: security headers, errors as problem details.

A page of another origin may link to us. It must not frame us (two clicks in an invisible frame
revoke a key), control the window that it opened, or read our files as its own.
"""

import logging
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match, Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from winnow.api.errors import (
    DOCS_PATH,
    InternalError,
    MethodNotAllowed,
    RouteUnknown,
    answer_for,
    respond_problem,
)
from winnow.api.middleware.shutdown import Shutdown
from winnow.api.request_ids import REQUEST_ID, give_request_id, request_id_of
from winnow.core.disk_errors import name_disk_error
from winnow.core.errors import MalformedRequest, WinnowError
from winnow.core.faults import describe_fault, locate

_log = logging.getLogger(__name__)

Headers = dict[bytes, bytes]

SHARED_HEADERS: Headers = {
    b"cross-origin-resource-policy": b"same-origin",
    b"referrer-policy": b"same-origin",  # with no-referrer, a form posts its Origin as null
    b"x-content-type-options": b"nosniff",
}
SECURITY_HEADERS: Headers = {
    **SHARED_HEADERS,
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
    b"x-frame-options": b"DENY",
}
"""Headers of every answer of the API that does not set its own."""

BROWSER_HEADERS: Headers = {
    **SHARED_HEADERS,
    b"content-security-policy": b"frame-ancestors 'self'; object-src 'none'; base-uri 'self'; "
    b"form-action 'self'",
    b"cross-origin-opener-policy": b"same-origin",
    b"x-frame-options": b"SAMEORIGIN",
}
"""Headers of every other answer that does not set its own."""


@dataclass(eq=False, repr=False)
class ErrorMiddleware:
    """Middleware: errors become problem details, answers get the headers that they lack.

    An error after the answer has begun ends the connection, so that half a file does not look
    whole.
    """

    app: ASGIApp
    shutdown: Shutdown | None = None
    headers: Headers = field(default_factory=SECURITY_HEADERS.copy)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                wanted = {**self.headers, REQUEST_ID: request_id_of(scope).encode()}
                if (allowance := scope.get("winnow.allowance")) is not None:
                    wanted |= allowance.headers()
                present = dict(message.get("headers", ()))  # names are lower case (ASGI)
                missing = [item for item in wanted.items() if item[0] not in present]
                message["headers"] = [*message.get("headers", ()), *missing]
            await send(message)

        try:
            if self.shutdown is not None:
                self.shutdown.check()
            await self.app(scope, receive, send_with_headers)
        except ClientDisconnect:
            return
        except Exception as error:
            fault = _as_winnow_error(error, scope, self.app)
            if begun or answer_for(fault).status >= 500:
                # Never the message, which may hold an address or a cell.
                kind, places = type(error).__name__, locate(error)
                request_id = request_id_of(scope)
                _log.error("request failed: id=%s error=%s at=%s", request_id, kind, places)
            if not begun:
                await respond_problem(fault, scope)(scope, receive, send_with_headers)


class AnswerHeaders:
    """Outermost middleware: ids of requests, headers of each answer, answers to failed requests.

    Otherwise an uncaught error would be answered before all middleware, without our headers and
    with a traceback in the log.
    """

    def __init__(self, app: ASGIApp, *, docs_path: str) -> None:
        self.app = app
        self._answering = ErrorMiddleware(app, headers=BROWSER_HEADERS)
        self._docs_path = docs_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._start(scope, receive, send)
        elif scope["type"] == "http":
            scope[DOCS_PATH] = self._docs_path
            give_request_id(scope)
            await self._answering(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _start(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the server's life; an error before its start is reported as a failed start.

        By default uvicorn would take it for an application without a start, and serve on. What is
        reported has no traceback.
        """
        is_told = False

        async def send_on(message: Message) -> None:
            nonlocal is_told
            is_told = True
            if message["type"] == "lifespan.startup.failed":
                message = {**message, "message": ""}
            await send(message)

        try:
            await self.app(scope, receive, send_on)
        except Exception as error:
            if not isinstance(error, WinnowError):
                _log.error("Winnow does not start or stop: %s", describe_fault(error))
            if not is_told:
                await send({"type": "lifespan.startup.failed", "message": ""})
            raise


def _as_winnow_error(error: Exception, scope: Scope, app: ASGIApp) -> WinnowError:
    match error:
        case WinnowError():
            return error
        case HTTPException(status_code=404):
            return RouteUnknown(scope.get(DOCS_PATH, "docs"))
        case HTTPException(status_code=405):
            allowed = set((error.headers or {}).get("Allow", "").split(", "))  # of one route
            for route in app.routes if isinstance(app, Router) else ():  # RFC 9110, 15.5.6
                if isinstance(route, Route) and route.matches(scope)[0] is not Match.NONE:
                    allowed |= route.methods or set()
            return MethodNotAllowed(", ".join(sorted(allowed)))
        case HTTPException(status_code=400):
            return MalformedRequest("The request cannot be read.")
        case _:
            return name_disk_error(error) or InternalError("Something unforeseen.")
