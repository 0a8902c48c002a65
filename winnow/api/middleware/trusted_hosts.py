"""Host and origin check of requests and WebSockets.

A page of another site can make its own name resolve to this machine (DNS rebinding): only the
Host header shows it. It can also open a WebSocket to us: only the Origin header shows it. Other
ports of this machine are other origins, and cookies do not know ports: a page on
``localhost:9999`` would be served with the analyst's cookie.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from winnow.api.clients import is_beyond_loopback
from winnow.api.errors import (
    CrossSiteRequest,
    HeadTooLarge,
    HostRefused,
    NotServedHere,
    respond_problem,
)
from winnow.core.errors import WinnowError
from winnow.core.settings import Settings

DEFAULT_PORTS = {"http": 80, "https": 443}
_SEEN_AS = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

Origin = tuple[str, str, int]


def read_origin(text: str) -> Origin | None:
    """Return scheme, host and port (RFC 6454, 4); None if the text is no origin, as ``null``."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port or DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    has_more = parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
    if port is None or not parts.hostname or parts.scheme not in DEFAULT_PORTS or has_more:
        return None
    return parts.scheme, parts.hostname, port


def is_own_origin(scope: Scope, public_origin: str | None) -> bool:
    """Return whether a request comes from a page of ours, or from no page at all.

    Its ``Host`` must be checked before. A proxy in front may speak HTTPS and pass on HTTP without
    a header that says so, but not on the names of this machine.
    """
    headers = Headers(scope=scope)
    sent = headers.getlist("origin")
    if not sent:
        return True
    origin = read_origin(sent[0]) if len(sent) == 1 else None
    if origin is None:
        return False
    if public_origin is not None and origin == read_origin(public_origin):
        return True
    scheme = _SEEN_AS[scope.get("scheme", "http")]
    host = headers.get("host", "")
    if origin == read_origin(f"{scheme}://{host}"):
        return True
    return origin[1] not in _LOOPBACK and origin == read_origin(f"https://{host}")


OWN_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
HEADERS_MAX = 100  # no client needs as many
WEBSOCKET_POLICY_VIOLATION = 1008  # RFC 6455, 7.4.1

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?\Z")


@dataclass(eq=False, repr=False)
class TrustedHosts:
    """Middleware: refuses other hosts, other origins, too many headers, and an open network.

    The API answers pages of other origins: it needs a key, and without one returns nothing.
    """

    app: ASGIApp
    settings: Settings
    has_sign_in: Callable[[], bool]

    def __post_init__(self) -> None:
        names = {name.lower() for name in self.settings.allowed_hosts}
        if self.settings.public_url is not None:
            public = urlsplit(self.settings.public_url).hostname or ""
            names.add(f"[{public}]" if ":" in public else public)
        self._hosts = OWN_HOSTS | names  # lower case, without ports
        self._is_set_up = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
            return
        fault = await self._find_fault(scope)
        if fault is None:
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": WEBSOCKET_POLICY_VIOLATION})
        else:
            await respond_problem(fault, scope)(scope, receive, send)

    async def _find_fault(self, scope: Scope) -> WinnowError | None:
        if len(scope["headers"]) > HEADERS_MAX:
            return HeadTooLarge(f"A request may carry {HEADERS_MAX} headers.")
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        match = _HOST.match(hosts[0].decode("latin-1")) if len(hosts) == 1 else None
        if match is None or match[1].lower() not in self._hosts:
            return HostRefused(
                "This server does not answer to the host name in the request.",
                hint="Names to answer to are set by WINNOW_ALLOWED_HOSTS.",
            )
        server = scope.get("server")
        is_beyond = server is not None and is_beyond_loopback(server[0])
        if is_beyond and not self._is_set_up:  # it may ask the database, until it is and stays true
            self._is_set_up = await run_in_threadpool(self.has_sign_in)
            if not self._is_set_up:
                return NotServedHere(
                    "This server answers on this machine only.",
                    hint="To serve beyond it, set WINNOW_PASSWORD or add people.",
                )
        is_api = f"{scope['path']}/".startswith(f"{self.settings.base_path}/")
        if not is_api and not is_own_origin(scope, self.settings.public_origin):
            return CrossSiteRequest(
                "The pages of this server answer to themselves only.",
                hint="Behind a proxy, set WINNOW_PUBLIC_URL to the address in the browser.",
            )
        return None
