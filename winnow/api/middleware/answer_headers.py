"""What every answer says to browsers, whoever gives it: the pages, their files, and refusals too.

A page of another origin may lead people here; it must not frame us (two clicks in a frame that
nobody sees revoke a key), keep a hand on the window that it opened, or read our files as its own.
"""

from collections.abc import Iterable, Mapping

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from winnow.api.errors import DOCS_PATH, InternalError, respond_problem
from winnow.api.middleware.error_middleware import log_fault
from winnow.api.middleware.request_ids import request_id_of

BROWSER_HEADERS: Mapping[bytes, bytes] = {
    b"content-security-policy": b"frame-ancestors 'self'; object-src 'none'; base-uri 'self'; "
    b"form-action 'self'",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"referrer-policy": b"same-origin",  # with no-referrer, a form posts its Origin as null
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"SAMEORIGIN",
}
"""On every answer that does not say otherwise."""


class AnswerHeaders:
    """Middleware, the outermost: completes the head of each answer, and answers what failed.

    An error that nobody caught would else be answered in front of all middleware, without a
    header of ours and with a traceback in the log.
    """

    def __init__(self, app: ASGIApp, *, docs_path: str) -> None:
        self.app = app
        self._docs_path = docs_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
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


def add_missing(
    headers: Iterable[tuple[bytes, bytes]], wanted: Mapping[bytes, bytes] = BROWSER_HEADERS
) -> list[tuple[bytes, bytes]]:
    """Return the headers with those that are not among them; names are lower case (ASGI)."""
    present = list(headers)
    names = {name.lower() for name, _ in present}
    return [*present, *(item for item in wanted.items() if item[0] not in names)]
