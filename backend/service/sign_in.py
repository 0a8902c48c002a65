"""Sign-in with one password (``WINNOW_PASSWORD``), kept in a signed cookie."""

import hashlib
import hmac
from collections.abc import Callable
from datetime import datetime, timedelta

from backend.service.signing import derive_key, read_signed, sign

SIGN_IN_SECONDS = 12 * 60 * 60  # a working day


class SignIn:
    """Verifies the password, issues and verifies the cookie's value. No state on the server."""

    def __init__(self, password: str | None, pepper: bytes, clock: Callable[[], datetime]) -> None:
        self._digest = None if password is None else _digest(pepper, password)
        self._pepper = pepper
        self._clock = clock

    @property
    def is_needed(self) -> bool:
        """Whether a password is set; without one everybody on this machine is the analyst."""
        return self._digest is not None

    def verify_password(self, text: str) -> bool:
        """Compare in constant time; False where no password is set."""
        given = _digest(self._pepper, text)
        return self._digest is not None and hmac.compare_digest(given, self._digest)

    def issue_cookie(self) -> str:
        """Return a cookie value good for 12 hours; a changed password makes it worthless."""
        return sign(self._key(), "analyst", self._clock() + timedelta(seconds=SIGN_IN_SECONDS))

    def verify_cookie(self, value: str | None) -> bool:
        """Say whether a cookie value is ours and not expired; True where no password is set."""
        if self._digest is None:
            return True
        return bool(value) and read_signed(self._key(), value or "", self._clock()) == "analyst"

    def _key(self) -> bytes:
        return derive_key(self._digest or self._pepper, "sign-in")


def _digest(pepper: bytes, password: str) -> bytes:
    return hmac.digest(pepper, password.encode("utf-8", "surrogatepass"), hashlib.sha256)
