"""The server process: uvicorn with limits on its connections, and how it stops."""

import asyncio
import socket
import sys
from asyncio import Transport
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from winnow.api.middleware.answers import BROWSER_HEADERS
from winnow.api.middleware.request_ids import REQUEST_ID, make_request_id
from winnow.api.middleware.shutdown import Shutdown

if sys.platform != "win32":
    import resource

HEAD_MAX_BYTES = 256 << 10  # request line and headers, or trailers
HEAD_SECONDS = 15.0  # from the connection, or the last answer, to the end of the head
PACE_SECONDS = 60.0  # a body brings so much in this time, unless we do not read
PACE_BYTES = 16 << 10

CONNECTIONS_MAX = 2000
DESCRIPTORS_KEPT = 128  # database, lists, workers, log
DESCRIPTORS_EACH = 2  # a connection, and the file that goes in or out by it
WINDOWS_DESCRIPTORS = 512  # what its C library opens at once; sockets have no such limit there

SHUTDOWN_SECONDS = 7  # for requests, after the grace of transfers; then their tasks are cancelled
STALL_SECONDS = (
    180.0  # an answer of which a client takes nothing; its kernel takes up to 4 MB first
)
PING_SECONDS = 30  # as Streamlit sets it
MESSAGE_MAX_BYTES = 200 << 20  # as Streamlit sets it
START_FAILED = 3  # exit code, as uvicorn's

_STATUS_LINES = {
    400: b"HTTP/1.1 400 Bad Request\r\n",
    408: b"HTTP/1.1 408 Request Timeout\r\n",
    503: b"HTTP/1.1 503 Service Unavailable\r\n",
}

Lifespan = Callable[[object], AbstractAsyncContextManager[None]]


class LimitedProtocol(H11Protocol):
    """One connection; the server asks it every second whether its client is too slow.

    Offers of other protocols than WebSocket are ignored (RFC 9110, 7.8).
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.conn = h11.Connection(h11.SERVER, HEAD_MAX_BYTES)
        self._phase: tuple[object, object] = (None, h11.IDLE)
        self._since = self.loop.time()
        self._bytes_in = 0  # since then
        self._limit = choose_limit(read_descriptor_limit())

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Count the connection, and refuse it where all are taken."""
        super().connection_made(transport)
        if len(self.connections) > self._limit:
            self._refuse(503, "The server has as many connections as it can hold.")

    def data_received(self, data: bytes) -> None:
        """Count and read bytes."""
        self._bytes_in += len(data)
        super().data_received(data)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Open a WebSocket, unless they have half of the connections; refuse a tunnel."""
        if event.method == b"CONNECT":
            self._refuse(400, "This server is no proxy.")
            return
        open_count = sum(not isinstance(one, LimitedProtocol) for one in self.connections)
        if 2 * open_count < self._limit:
            super().handle_websocket_upgrade(event)
        else:
            self._refuse(503, "There is no room for another page.")

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP; an answer that has begun is cut off."""
        if self.conn.our_state is h11.SEND_BODY:
            self.transport.abort()
        else:
            self._refuse(400, msg)

    def is_slow(self, now: float) -> bool:
        """Return whether the client is too slow with a head or a body."""
        state = self.conn.their_state
        phase = (self.cycle, state)
        if phase != self._phase or self.flow.read_paused:
            self._phase, self._since, self._bytes_in = phase, now, 0
        waited = now - self._since
        if state is h11.IDLE:
            return waited > HEAD_SECONDS
        if state is h11.SEND_BODY and waited > PACE_SECONDS:
            bytes_in, self._since, self._bytes_in = self._bytes_in, now, 0
            return bytes_in < PACE_BYTES
        return False

    def give_up(self) -> None:
        """End the connection, with an answer to half a head."""
        is_head_begun = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        if is_head_begun and self.transport.get_write_buffer_size() == 0:
            self._refuse(408, "The head of the request did not come in time.")
        else:
            self.transport.abort()

    def _should_upgrade(self) -> bool:
        if self.scope["method"] == "GET":  # RFC 6455, 4.1
            return self._get_upgrade() == b"websocket"
        return self.scope["method"] == "CONNECT"

    def _refuse(self, status: int, message: str) -> None:
        """Send a whole answer in plain text and end the connection."""
        if self.cycle is not None:
            self.cycle.disconnected = True
        body = message.encode("ascii")
        headers = {
            **BROWSER_HEADERS,
            b"content-type": b"text/plain; charset=utf-8",
            b"content-length": str(len(body)).encode(),
            b"connection": b"close",
            REQUEST_ID: make_request_id(),
        }
        lines = [name + b": " + value + b"\r\n" for name, value in headers.items()]
        self.transport.write(b"".join([_STATUS_LINES[status], *lines, b"\r\n", body]))
        self.transport.close()


def choose_limit(descriptors: int) -> int:
    """Return how many connections a process with so many descriptors may have open."""
    return max(16, min(CONNECTIONS_MAX, (descriptors - DESCRIPTORS_KEPT) // DESCRIPTORS_EACH))


@cache
def read_descriptor_limit() -> int:
    """Return how many files and connections this process may have open."""
    if sys.platform == "win32":
        return WINDOWS_DESCRIPTORS
    else:  # noqa: RET505  # for the types of the other systems
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return sys.maxsize if limit == resource.RLIM_INFINITY else limit


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
