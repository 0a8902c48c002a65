"""Client address and scheme of a request, as a trusted proxy forwarded them; its own site."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from starlette.requests import HTTPConnection, Request
from starlette.types import Scope

from winnow.api.errors import CrossSiteRequest

DESK_PATH = "/desk"  # of the requests that the pages' browser code sends
UNKNOWN_CLIENT = "unknown"
_FORWARDED = b"x-forwarded-for"
_SCHEME = b"x-forwarded-proto"
_SCHEMES = {"http": "ws", "https": "wss"}

Address = IPv4Address | IPv6Address


class ClientFinder:
    """Finds the client's address and scheme; forwarded ones count only from trusted proxies."""

    def __init__(self, trusted_proxies: tuple[str, ...]) -> None:
        self._trusted = [ip_network(text, strict=False) for text in trusted_proxies]

    def find(self, connection: HTTPConnection) -> str:
        """Return the address that attempts are counted by, IPv4 in IPv6 as IPv4."""
        peer, _ = connection.scope.get("client") or ("", None)
        headers = connection.scope["headers"]
        forwarded = [value.decode("latin-1") for name, value in headers if name == _FORWARDED]
        address = _parse(peer)
        if address is None:
            return UNKNOWN_CLIENT
        hops = [hop.strip() for line in forwarded for hop in line.split(",")]
        while hops and self.is_trusted(str(address)):
            before = _parse(hops.pop())
            if before is None:
                break
            address = before
        return str(address)

    def find_scheme(self, scope: Scope) -> str:
        """Return the scheme that the client uses: to a trusted proxy, if that says so, or to us."""
        scheme: str = scope.get("scheme", "http")
        said = [value.decode("latin-1") for name, value in scope["headers"] if name == _SCHEME]
        last = said[-1].rpartition(",")[2].strip().lower() if said else ""
        if last not in _SCHEMES or not self.is_from_proxy(scope):
            return scheme
        return _SCHEMES[last] if scope["type"] == "websocket" else last

    def is_from_proxy(self, scope: Scope) -> bool:
        """Return whether the peer itself is a trusted proxy, whatever its headers say."""
        return self.is_trusted((scope.get("client") or ("",))[0])

    def is_trusted(self, host: str) -> bool:
        """Return whether an address is a trusted proxy's."""
        address = _parse(host)
        return address is not None and any(address in network for network in self._trusted)


def uses_https(connection: HTTPConnection, public_url: str | None) -> bool:
    """Return whether the browser uses HTTPS: by the request, or to a proxy at the public address.

    Cookies are then ``Secure``.
    """
    return connection.url.scheme == "https" or (public_url or "").startswith("https:")


def is_beyond_loopback(host: str) -> bool:
    """Return whether an IP address is not a loopback address (IPv4 in IPv6 is IPv4)."""
    address = _parse(host)
    return address is not None and not address.is_loopback


@lru_cache(maxsize=4096)
def _parse(text: str) -> Address | None:
    """Parse an address of a proxy: bare, ``1.2.3.4:5``, ``[::1]:5``, ``::ffff:1.2.3.4``."""
    text = text.strip().partition("%")[0]
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def check_same_site(request: Request) -> None:
    """Raise CrossSiteRequest where a browser says that another site's page sends this.

    ``TrustedHosts`` has checked its Origin header.
    """
    if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        raise CrossSiteRequest("This route answers to the pages of this server only.")
