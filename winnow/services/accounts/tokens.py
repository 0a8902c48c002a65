"""Signed tokens that expire: only this installation can make them."""

import base64
import hashlib
import hmac
from datetime import datetime


def derive_key(pepper: bytes, purpose: str) -> bytes:
    """Return a key for one purpose, so that a signature is not valid for another."""
    return hmac.digest(pepper, purpose.encode(), hashlib.sha256)


def sign(key: bytes, text: str, expires_at: datetime) -> str:
    """Return a token of URL-safe characters that carries the text openly and its expiry."""
    body = f"{int(expires_at.timestamp())}.{_encode(text.encode())}"
    return f"{body}.{_encode(hmac.digest(key, body.encode(), hashlib.sha256))}"


def read_signed(key: bytes, token: str, now: datetime) -> str | None:
    """Return the text of a token; None if it is forged, cut, or expired."""
    if not token.isascii() or len(token) > 4096:
        return None
    body, dot, signature = token.rpartition(".")
    expected = _encode(hmac.digest(key, body.encode(), hashlib.sha256))
    if not dot or not hmac.compare_digest(signature, expected):
        return None
    expires_at, _, text = body.partition(".")
    if int(expires_at) <= now.timestamp():
        return None
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
