"""Request ids: one per request, on every answer as ``X-Request-Id`` and in the log."""

import os
import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from winnow.core.faults import log_subject

_SANE = re.compile(rb"[A-Za-z0-9][A-Za-z0-9_-]{7,63}")
_HEADER = b"x-request-id"
ID_BYTES = 16


def request_id_of(scope: Scope) -> str:
    """Return the id that the middleware gave this request."""
    return str(scope.get("winnow.request_id", "none"))


def make_request_id() -> bytes:
    """Return an id that no other request has."""
    return os.urandom(ID_BYTES).hex().encode()


class RequestIds:
    """Middleware: uses the caller's id if it is a plain one, else makes one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Give the request its id and put it on the answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        raw = next((value for name, value in scope["headers"] if name == _HEADER), b"")
        if not _SANE.fullmatch(raw):
            raw = make_request_id()
        scope["winnow.request_id"] = raw.decode()
        log_subject.set({"request_id": raw.decode()})

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (_HEADER, raw)]
            await send(message)

        await self.app(scope, receive, send_with_id)
