"""DKIM keys as they stand in DNS (RFC 6376, RFC 8301, RFC 8463)."""

import base64
import binascii
import re
from dataclasses import dataclass
from enum import StrEnum

RSA_BITS_LEAST = 1_024  # RFC 8301, 3.2: shorter signatures are never valid
RSA_BITS_ADVISED = 2_048  # RFC 8301, 3.2
ED25519_OCTETS = 32  # RFC 8463, 4
SELECTOR = re.compile(  # RFC 6376, 3.1: labels as in a host name, and the underscores that are used
    r"(?=.{1,190}\Z)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
    r"(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\Z",
    re.IGNORECASE,
)
_VERSION = re.compile(r"\s*v\s*=\s*([a-z0-9]*)", re.IGNORECASE)
_KEY_TAG = re.compile(r"(?:^|;)\s*p\s*=", re.IGNORECASE)
_TAG = re.compile(r"[a-z][a-z0-9_]*\Z", re.IGNORECASE)
_SEQUENCE, _INTEGER, _BIT_STRING = 0x30, 0x02, 0x03  # X.690, 8


class KeyState(StrEnum):
    """What a key record comes to."""

    USABLE = "usable"
    REVOKED = "revoked"  # RFC 6376, 3.6.1: an empty p=
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class DkimKey:
    """One key record. ``bits`` is the length of an RSA key, 0 of any other."""

    text: str
    state: KeyState
    kind: str = "rsa"
    bits: int = 0
    is_testing: bool = False
    hashes: tuple[str, ...] = ()  # those allowed; none named is all


def parse_tags(text: str) -> dict[str, str] | None:
    """Parse ``a=b; c=d``; names in lower case. None where it is no such list or names one twice."""
    tags: dict[str, str] = {}
    for part in text.strip().removesuffix(";").split(";"):
        name, equals, value = part.partition("=")
        name = name.strip().lower()
        if not equals or not _TAG.match(name) or name in tags:
            return None
        tags[name] = value.strip()
    return tags


def is_key(text: str) -> bool:
    """Tell whether a text record means to be a DKIM key; one of DMARC, by a wildcard, does not."""
    version = _VERSION.match(text)
    if version is not None:
        return version[1].upper().startswith("DKIM")
    return _KEY_TAG.search(text) is not None


def parse_key(text: str) -> DkimKey:
    """Parse a key record; never raises."""
    tags = parse_tags(text)
    if tags is None or "p" not in tags or tags.get("v", "DKIM1") != "DKIM1":
        return DkimKey(text, KeyState.UNREADABLE)
    kind = tags.get("k", "rsa").lower()
    flags = {flag.strip().lower() for flag in tags.get("t", "").split(":")}
    hashes = tuple(one.strip().lower() for one in tags.get("h", "").split(":") if one.strip())
    data = re.sub(r"\s+", "", tags["p"])
    if not data:
        return DkimKey(text, KeyState.REVOKED, kind, 0, "y" in flags, hashes)
    bits = 0
    try:
        decoded = base64.b64decode(data, validate=True)
        if kind == "rsa":
            bits = _count_bits(decoded)
        is_usable = bits > 0 if kind == "rsa" else len(decoded) == ED25519_OCTETS
    except (binascii.Error, ValueError, IndexError):
        is_usable = False
    state = KeyState.USABLE if is_usable and kind in {"rsa", "ed25519"} else KeyState.UNREADABLE
    return DkimKey(text, state, kind, bits, "y" in flags, hashes)


def _count_bits(data: bytes) -> int:
    """Return the length of an RSA modulus; SubjectPublicKeyInfo, or the bare key (RFC 6376)."""
    kind, body, _ = _read(data)
    if kind != _SEQUENCE:
        raise ValueError("no sequence")
    kind, first, rest = _read(body)
    if kind == _SEQUENCE:  # the algorithm's name; the key is packed behind it
        kind, packed, _ = _read(rest)
        if kind != _BIT_STRING:
            raise ValueError("no bit string")
        kind, body, _ = _read(packed[1:])
        if kind != _SEQUENCE:
            raise ValueError("no key")
        kind, first, _ = _read(body)
    if kind != _INTEGER:
        raise ValueError("no modulus")
    return int.from_bytes(first, "big").bit_length()


def _read(data: bytes) -> tuple[int, bytes, bytes]:
    """Read one DER element: its tag, its content, and what follows it."""
    tag, length, start = data[0], data[1], 2
    if length & 0x80:
        size = length & 0x7F
        if not 1 <= size <= 4:
            raise ValueError("an odd length")
        length, start = int.from_bytes(data[2 : 2 + size], "big"), 2 + size
    if len(data) < start + length:
        raise ValueError("cut short")
    return tag, data[start : start + length], data[start + length :]
