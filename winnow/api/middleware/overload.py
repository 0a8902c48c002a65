"""Overload guard: beyond the connection limit only health is answered.

The connection ends with the answer, so that the next one may find a place.
"""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from winnow.api.errors import ServerBusy, respond_problem

LATE = "winnow.late"  # in a scope's state: the connection came beyond the limit
WEBSOCKET_TRY_AGAIN_LATER = 1013  # IANA's registry of close codes, of RFC 6455, 11.7


class OverloadGuard:
    """Middleware: refuses requests on connections beyond the limit, except health."""

    def __init__(self, app: ASGIApp, *, base_path: str) -> None:
        self.app = app
        self._open_paths = frozenset({f"{base_path}/health", "/_stcore/health"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer that the server is busy."""

        async def send_and_close(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
            await send(message)

        if LATE not in scope.get("state", ()) or scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": WEBSOCKET_TRY_AGAIN_LATER})
        elif scope["path"] in self._open_paths:
            await self.app(scope, receive, send_and_close)
        else:
            fault = ServerBusy("The server has as many connections as it can hold.")
            await respond_problem(fault, scope)(scope, receive, send_and_close)
