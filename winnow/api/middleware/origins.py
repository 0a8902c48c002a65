"""Origin check of the desk: only pages of its own scheme, host and port are allowed.

Other ports of this machine are other origins, and cookies do not know ports: a page on
``localhost:9999`` would be served with the analyst's cookie.
"""

from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

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
    if port is None or not parts.hostname or parts.scheme not in DEFAULT_PORTS or _has_more(parts):
        return None
    return parts.scheme, parts.hostname, port


def is_own_origin(scope: Scope, public_url: str | None) -> bool:
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
    if public_url is not None and origin == read_origin(public_url):
        return True
    scheme = _SEEN_AS[scope.get("scheme", "http")]
    host = headers.get("host", "")
    if origin == read_origin(f"{scheme}://{host}"):
        return True
    return origin[1] not in _LOOPBACK and origin == read_origin(f"https://{host}")


def _has_more(parts: SplitResult) -> bool:
    return bool(parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc)
