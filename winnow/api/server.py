"""The server process: uvicorn with limits on its connections, and how it stops."""

import asyncio
import logging
import os
import signal
import socket
import sys
from asyncio import Transport
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache, partial
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from winnow.api.clients import ClientFinder, is_beyond_loopback
from winnow.api.middleware.answers import BROWSER_HEADERS
from winnow.api.middleware.shutdown import Shutdown
from winnow.api.request_ids import REQUEST_ID, make_request_id
from winnow.core.errors import StartRefused
from winnow.services.checks.bans import name_client
from winnow.words import say

if sys.platform != "win32":
    import resource

HEAD_MAX_BYTES = 256 << 10  # request line and headers, or trailers
HEAD_SECONDS = 15.0  # from the connection, or the last answer, to the end of the head
KEPT_ALIVE_SECONDS = 12  # longer than clients wait between two polls: five seconds, or ten
PACE_SECONDS = 60.0  # a body brings so much in this time, unless we do not read
PACE_BYTES = 16 << 10

CONNECTIONS_MAX = 2000
CLIENT_SHARE = 4  # one client from elsewhere has at most this part of them: a quarter
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

_log = logging.getLogger(__name__)

Lifespan = Callable[[object], AbstractAsyncContextManager[None]]


class LimitedProtocol(H11Protocol):
    """One connection; the server asks it every second whether its client is too slow.

    Offers of other protocols than WebSocket are ignored (RFC 9110, 7.8).
    """

    def __init__(self, *args: Any, clients: ClientFinder, **options: Any) -> None:
        super().__init__(*args, **options)
        self._clients = clients
        self.conn = h11.Connection(h11.SERVER, HEAD_MAX_BYTES)
        self._phase: tuple[object, object] = (None, h11.IDLE)
        self._since = self.loop.time()
        self._bytes_in = 0  # since then
        self._limit = choose_limit(read_descriptor_limit())

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Make room for the connection, or refuse it where all or its client's are taken."""
        super().connection_made(transport)
        if connected := transport.get_extra_info("socket"):  # else answers wait 40 ms
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self.connections) <= self._limit // CLIENT_SHARE:
            return
        held = [one for one in self.connections if not one.transport.is_closing()]
        if self._has_more_than_its_share(held):
            self._refuse(503, "This client has as many connections as it may have.")
        elif len(held) > self._limit:
            half_open = [one for one in held if isinstance(one, LimitedProtocol) and one.waits()]
            oldest = min(half_open, key=lambda one: one._since)
            if oldest is self:
                self._refuse(503, "The server has as many connections as it can hold.")
            else:
                oldest.give_up()

    def data_received(self, data: bytes) -> None:
        """Count and read bytes."""
        self._bytes_in += len(data)
        super().data_received(data)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Open a WebSocket, unless they have half of the connections; refuse what may be none."""
        if self._has_two_lengths():
            self._refuse(400, "A request has a Content-Length or a Transfer-Encoding, not both.")
            return
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

    def waits(self) -> bool:
        """Return whether no request is under way: its head is not whole, or not begun."""
        is_idle = self.cycle is None or self.cycle.response_complete
        return is_idle and self.conn.their_state is h11.IDLE

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

    def _has_more_than_its_share(self, held: list[Any]) -> bool:
        host = self.client[0] if self.client else ""
        if not is_beyond_loopback(host) or self._clients.is_trusted(host):
            return False
        name = name_client(host)
        own = sum(one.client is not None and name_client(one.client[0]) == name for one in held)
        return own > self._limit // CLIENT_SHARE

    def _has_two_lengths(self) -> bool:  # RFC 9112, 6.1 and 6.3: an attempt to smuggle
        return {b"content-length", b"transfer-encoding"} <= {name for name, _ in self.headers}

    def _should_upgrade(self) -> bool:
        """Return whether ``handle_websocket_upgrade`` answers, rather than the application."""
        if self._has_two_lengths():
            return True
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


def run_server(app: ASGIApp, listener: socket.socket) -> int:
    """Serve until a stop signal; return the exit code. The app's lifespan limits the server."""
    config = uvicorn.Config(
        app, ws="websockets-sansio", lifespan="on", access_log=False, use_colors=False
    )
    server = uvicorn.Server(config)
    server.run(sockets=[listener])
    return 0 if server.started else START_FAILED


def find_server() -> uvicorn.Server:
    """Return the running server, which handles the stop signals, whoever started it.

    Raises:
        StartRefused: Another kind of server runs the application.
    """
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    if isinstance(server, uvicorn.Server):
        return server
    raise StartRefused(
        f"This server (uvicorn {uvicorn.__version__}) would run without limits on connections.",
        hint="Use `winnow serve`, with the versions that requirements.lock names.",
    )


def limit_server(server: uvicorn.Server, shutdown: Shutdown, clients: ClientFinder) -> None:
    """Set limits, watch and stop of a server that takes no connections yet."""
    watch, connections = ConnectionWatch(), server.server_state.connections

    async def look() -> None:
        watch.look(connections, asyncio.get_running_loop().time())

    def cut_off() -> None:
        for connection in tuple(connections):
            connection.transport.abort()

    def stop() -> None:
        server.should_exit = True

    shutdown.cut_off, shutdown.stop = cut_off, stop
    config = server.config
    config.http_protocol_class = partial(LimitedProtocol, clients=clients)  # type: ignore[assignment]
    config.ws_ping_interval = config.ws_ping_timeout = PING_SECONDS
    config.ws_max_size = MESSAGE_MAX_BYTES
    config.timeout_keep_alive = KEPT_ALIVE_SECONDS
    config.ws_per_message_deflate = False
    config.callback_notify, config.timeout_notify = look, 0  # every second
    config.timeout_graceful_shutdown = SHUTDOWN_SECONDS
    if isinstance(config.loaded_app, ProxyHeadersMiddleware):  # it believes all of this machine
        config.loaded_app = config.loaded_app.app
    if "FORWARDED_ALLOW_IPS" in os.environ:
        _log.warning("FORWARDED_ALLOW_IPS has no effect: use WINNOW_TRUSTED_PROXIES")


def manage_server(lifespan: Lifespan, shutdown: Shutdown, clients: ClientFinder) -> Lifespan:
    """Return a lifespan that first limits the server that runs it, and sees its stop signals."""

    @asynccontextmanager
    async def managed(app: object) -> AsyncIterator[None]:
        try:
            server = find_server()
        except StartRefused as error:
            _log.error("Winnow does not start: %s %s", error.detail, error.hint)
            raise
        limit_server(server, shutdown, clients)
        with shutdown.watch_signals(asyncio.get_running_loop()):
            async with lifespan(app):
                yield
        getattr(server, "_captured_signals", []).clear()  # of the start; it would raise them again
        sys.stdout.write(say("Winnow has stopped.") + "\n")

    return managed
