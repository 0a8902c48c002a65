"""What a request is told that comes when all places are taken: health is answered, nothing else.

The connection ends with the answer: the next one may find a place.
"""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from winnow.api.errors import ServerBusy, respond_problem
from winnow.api.middleware.connections import LATE

WEBSOCKET_TRY_AGAIN_LATER = 1013  # IANA's registry of close codes, of RFC 6455, 11.7


class OverloadGuard:
    """Middleware: refuses what came on a connection beyond the limit, but for health."""

    def __init__(self, app: ASGIApp, *, base_path: str) -> None:
        self.app = app
        self._open_paths = frozenset({f"{base_path}/health", "/_stcore/health"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or say that there is no room."""

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
