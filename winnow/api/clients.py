"""Client address of a request: the peer's, or the one that a trusted proxy forwarded."""

import os
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from starlette.requests import HTTPConnection
from starlette.types import Scope

UNKNOWN_CLIENT = "unknown"
LOOPBACK = "127.0.0.1"
_FORWARDED = b"x-forwarded-for"

Address = IPv4Address | IPv6Address


class ClientFinder:
    """Finds the client's address; ``X-Forwarded-For`` counts only from trusted proxies."""

    def __init__(
        self, trusted_proxies: tuple[str, ...], environ: Mapping[str, str] = os.environ
    ) -> None:
        self._trusted = [ip_network(text, strict=False) for text in trusted_proxies]
        # By default uvicorn trusts the header from this machine, and then puts the forwarded
        # address in the peer's place, with port 0.
        self._rewritten_peer = LOOPBACK if "FORWARDED_ALLOW_IPS" not in environ else None

    def find(self, connection: HTTPConnection) -> str:
        """Return the address that attempts are counted by, IPv4 in IPv6 as IPv4."""
        peer, port = connection.scope.get("client") or ("", None)
        headers = connection.scope["headers"]
        forwarded = [value.decode("latin-1") for name, value in headers if name == _FORWARDED]
        if not forwarded:
            return _spell(peer)
        if port == 0:
            peer = self._rewritten_peer or peer
        address = _parse(peer)
        if address is None:
            return UNKNOWN_CLIENT
        hops = [hop.strip() for line in forwarded for hop in line.split(",")]
        while hops and self._is_trusted(address):
            before = _parse(hops.pop())
            if before is None:
                break
            address = before
        return str(address)

    def is_from_proxy(self, scope: Scope) -> bool:
        """Return whether the peer itself is a trusted proxy, whatever its headers say."""
        peer, port = scope.get("client") or ("", None)
        if port == 0:  # uvicorn put a forwarded address there
            peer = self._rewritten_peer or ""
        address = _parse(peer)
        return address is not None and self._is_trusted(address)

    def _is_trusted(self, address: Address) -> bool:
        return any(address in network for network in self._trusted)


def is_beyond_loopback(host: str) -> bool:
    """Return whether an IP address is not a loopback address (IPv4 in IPv6 is IPv4)."""
    address = _parse(host)
    return address is not None and not address.is_loopback


def _spell(peer: str) -> str:
    """Return the canonical text of an address, by which attempts are counted."""
    return str(_parse(peer) or UNKNOWN_CLIENT)


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
