"""The server process around the app: where it listens, and how it stops."""

import asyncio
import gc
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from winnow.api.clients import is_beyond_loopback
from winnow.api.middleware.connections import Connections, choose_limit
from winnow.api.middleware.shutdown import Shutdown
from winnow.core.errors import StartRefused
from winnow.core.settings import Settings

if sys.platform != "win32":
    import resource

WINDOWS_DESCRIPTORS = 512  # what its C library opens at once; sockets have no such limit there
Lifespan = Callable[[object], AbstractAsyncContextManager[None]]


def guard_lifespan(
    lifespan: Lifespan, settings: Settings, shutdown: Shutdown, connections: Connections
) -> Lifespan:
    """Return a lifespan that looks where the server listens, sees stops, and bounds connections.

    Its start raises StartRefused beyond loopback without a password.
    """

    @asynccontextmanager
    async def guarded(app: object) -> AsyncIterator[None]:
        listeners = tuple(find_listeners())
        check_listeners(listeners, settings)
        connections.limit = choose_limit(read_descriptor_limit())
        for listener in listeners:
            # Streamlit's socket has no protocol number, by which asyncio decides on this; without
            # it each answer waits 40 ms for an acknowledgement. Connections inherit it.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        loop = asyncio.get_running_loop()
        with shutdown.watch_signals(loop), connections.watch(loop):
            async with lifespan(app):
                yield

    return guarded


def read_descriptor_limit() -> int:
    """Return how many files and connections this process may have open."""
    if sys.platform == "win32":
        return WINDOWS_DESCRIPTORS
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit


def check_listeners(listeners: tuple[socket.socket, ...], settings: Settings) -> None:
    """Refuse to serve beyond this machine without sign-in.

    Raises:
        StartRefused: A socket listens on another address than loopback and no password is set.
    """
    if settings.password is None:
        for listener in listeners:
            host = str(listener.getsockname()[0])
            if is_beyond_loopback(host):
                msg = f"Winnow would be open to the network on {host} without sign-in."
                hint = "Set WINNOW_PASSWORD, or start with --server.address=127.0.0.1."
                raise StartRefused(f"{msg} {hint}", hint=hint)


def find_listeners() -> Iterator[socket.socket]:
    """Yield this process's listening TCP sockets.

    The server binds before the app starts and hands its socket to nobody, so they are looked for
    among the live objects; a server that binds later is caught by ``TrustedHosts`` on each request.
    """
    for found in gc.get_objects():
        if type(found) is socket.socket and found.fileno() >= 0:
            try:
                is_listening = found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
            except OSError:
                continue
            if is_listening and found.family in {socket.AF_INET, socket.AF_INET6}:
                yield found
