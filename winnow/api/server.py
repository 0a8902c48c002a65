"""The server process: uvicorn with limits, and how it stops."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from winnow.api.middleware.shutdown import Shutdown
from winnow.api.protocol import LimitedProtocol

SHUTDOWN_SECONDS = 7  # for requests, after the grace of transfers; then their tasks are cancelled
STALL_SECONDS = (
    180.0  # an answer of which a client takes nothing; its kernel takes up to 4 MB first
)
PING_SECONDS = 30  # as Streamlit sets it
MESSAGE_MAX_BYTES = 200 << 20  # as Streamlit sets it
START_FAILED = 3  # exit code, as uvicorn's

Lifespan = Callable[[object], AbstractAsyncContextManager[None]]


class ConnectionWatch:
    """Ends connections of clients that are too slow or read nothing; looks every second."""

    def __init__(self) -> None:
        self._unsent: dict[Any, tuple[int, float]] = {}  # bytes, and since when so many

    def look(self, connections: set[Any], now: float) -> None:
        """Look at all connections; times are monotonic seconds."""
        unsent = {}
        for connection in tuple(connections):
            size = connection.transport.get_write_buffer_size()
            before, since = self._unsent.get(connection, (0, now))
            since = since if size and size == before else now
            unsent[connection] = (size, since)
            if now - since > STALL_SECONDS:
                connection.transport.abort()
            elif isinstance(connection, LimitedProtocol) and connection.is_slow(now):
                connection.give_up()
        self._unsent = unsent


def run_server(app: ASGIApp, listener: socket.socket, shutdown: Shutdown) -> int:
    """Serve until a stop signal; return the exit code."""
    watch = ConnectionWatch()

    async def look() -> None:
        watch.look(server.server_state.connections, asyncio.get_running_loop().time())

    def cut_off() -> None:
        for connection in tuple(server.server_state.connections):
            connection.transport.abort()

    config = uvicorn.Config(
        app,
        http=LimitedProtocol,
        ws="websockets-sansio",
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        ws_max_size=MESSAGE_MAX_BYTES,
        ws_per_message_deflate=False,
        lifespan="on",
        callback_notify=look,
        timeout_notify=0,  # every second
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        access_log=False,
        use_colors=False,
    )
    server = uvicorn.Server(config)
    shutdown.cut_off = cut_off
    server.run(sockets=[listener])
    return 0 if server.started else START_FAILED


def handle_stops(lifespan: Lifespan, shutdown: Shutdown) -> Lifespan:
    """Return a lifespan that sees stop signals before the server does."""

    @asynccontextmanager
    async def watched(app: object) -> AsyncIterator[None]:
        with shutdown.watch_signals(asyncio.get_running_loop()):
            async with lifespan(app):
                yield

    return watched
