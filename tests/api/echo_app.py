"""An application that echoes requests, in the server of either start.

``streamlit run tests/api/echo_app.py``, or ``python -m tests.api.echo_app`` as ``winnow serve``.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from winnow.api.application import RequestTarget
from winnow.api.clients import ClientFinder
from winnow.api.middleware.shutdown import Shutdown
from winnow.api.server import manage_server, run_server
from winnow.cli.serve import open_listener


class Echo:
    """Middleware: answers the path and the body, and the host and the query in headers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer HTTP."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        text = f"{request.method} {request.url.path} {(await request.body()).decode()}|"
        shown = {"x-host": request.headers["host"], "x-query": request.url.query}
        headers = [(name.encode(), value.encode()) for name, value in shown.items()]
        headers.append((b"content-length", str(len(text)).encode()))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": text.encode()})


@asynccontextmanager
async def live(app: object) -> AsyncIterator[None]:
    """Begin and end nothing."""
    yield


CLIENTS = ClientFinder(())
app = Starlette(
    lifespan=manage_server(live, Shutdown(), CLIENTS),
    middleware=[
        Middleware(RequestTarget, public_path="/winnow", clients=CLIENTS),
        Middleware(Echo),
    ],
)

if __name__ == "__main__":
    run_server(app, open_listener("127.0.0.1", int(sys.argv[1])))
