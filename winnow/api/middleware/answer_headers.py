"""Security headers of every answer: the pages, their files, and refusals.

A page of another origin may link to us. It must not frame us (two clicks in an invisible frame
revoke a key), control the window that it opened, or read our files as its own.
"""

import logging
from collections.abc import Iterable, Mapping

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from winnow.api.errors import DOCS_PATH, InternalError, respond_problem
from winnow.api.middleware.error_middleware import log_fault
from winnow.api.middleware.request_ids import request_id_of
from winnow.core.errors import WinnowError
from winnow.core.faults import describe_fault

_log = logging.getLogger(__name__)

BROWSER_HEADERS: Mapping[bytes, bytes] = {
    b"content-security-policy": b"frame-ancestors 'self'; object-src 'none'; base-uri 'self'; "
    b"form-action 'self'",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"referrer-policy": b"same-origin",  # with no-referrer, a form posts its Origin as null
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"SAMEORIGIN",
}
"""Headers of every answer that does not set its own."""


class AnswerHeaders:
    """Outermost middleware: completes the head of each answer, and answers failed requests.

    Otherwise an uncaught error would be answered before all middleware, without our headers and
    with a traceback in the log.
    """

    def __init__(self, app: ASGIApp, *, docs_path: str) -> None:
        self.app = app
        self._docs_path = docs_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._start(scope, receive, send)
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False
        scope[DOCS_PATH] = self._docs_path

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message["headers"] = add_missing(message.get("headers", ()))
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except ClientDisconnect:
            return
        except Exception as error:
            log_fault(error, request_id_of(scope))
            if begun:
                return  # the server ends the connection: no half answer passes for a whole one
            answer = respond_problem(InternalError("Something unforeseen."), scope)
            await answer(scope, receive, send_with_headers)

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


def add_missing(
    headers: Iterable[tuple[bytes, bytes]], wanted: Mapping[bytes, bytes] = BROWSER_HEADERS
) -> list[tuple[bytes, bytes]]:
    """Return the headers with the missing ones added; names are lower case (ASGI)."""
    present = list(headers)
    names = {name.lower() for name, _ in present}
    return [*present, *(item for item in wanted.items() if item[0] not in names)]
