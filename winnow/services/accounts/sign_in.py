"""Sign-in with one password (``WINNOW_PASSWORD``): sessions that the server stores and ends.

The browser's cookie is a random token; the database has its hash. A session ends by sign-out, after
a working day, or when the password changes. Its watchers are called at once.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from winnow.core.accounts import LOCAL_IDENTITY, Identity
from winnow.services.watches import Watches
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories import accounts as rows

SIGN_IN_SECONDS = 12 * 60 * 60  # a working day
TOKEN_BYTES = 32
TOKEN_MAX_CHARACTERS = 128
SCRYPT = {"n": 1 << 14, "r": 8, "p": 1}  # RFC 7914, 2: interactive logins; once a process


@dataclass(eq=False, repr=False)
class SignIn:
    """Verifies the password; begins, finds and ends sessions. Thread-safe, synchronous."""

    password: str | None
    pepper: bytes
    database: Database
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._found = QueryCache[str, rows.StoredSession | None](self.database.changes)
        self._watches = Watches()

    @property
    def is_needed(self) -> bool:
        """Whether a password is set; without one every user of this machine is the analyst."""
        return self.password is not None

    def verify_password(self, text: str) -> bool:
        """Compare in constant time; False where no password is set."""
        given = self._digest(text)
        return self.password is not None and hmac.compare_digest(given, self._digest(self.password))

    def begin_session(self) -> str:
        """Return the token of a new session, good for 12 hours."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        ends_at = self.clock() + timedelta(seconds=SIGN_IN_SECONDS)
        rows.insert_session(self.database, hash_token(token), self._password_digest, ends_at)
        return token

    def identify(self, token: str | None) -> Identity | None:
        """Return the user that a token signs in; None: the password must be entered."""
        if self.is_needed and self.find_session(token) is None:
            return None
        return LOCAL_IDENTITY

    def find_session(self, token: str | None) -> str | None:
        """Return the hash of a live session's token; None: there is no such session."""
        if not token or len(token) > TOKEN_MAX_CHARACTERS:
            return None
        session = hash_token(token)
        return session if self.measure_session(session) else None

    def name_session(self, token: str | None) -> str | None:
        """Return the session that a browser's links depend on, live or ended; None: none."""
        return hash_token(token or "") if self.is_needed else None

    def measure_session(self, session: str) -> timedelta:
        """Return how long a session is still valid; zero: it is over."""
        found = self._found.get(session, lambda key: rows.find_session(self.database, key))
        if found is None or found.password_digest != self._password_digest:
            return timedelta()
        left = found.expires_at - self.clock()
        is_possible = timedelta() < left <= timedelta(seconds=SIGN_IN_SECONDS)  # or set back
        return left if is_possible else timedelta()

    def end_session(self, token: str | None) -> None:
        """End a session and call its watchers; unknown ones do nothing."""
        session = hash_token(token or "")
        rows.end_session(self.database, session)
        self._watches.tell(session)

    def end_others(self) -> int:
        """End the sessions of other passwords, at a start; return how many."""
        return rows.end_sessions_of_other_passwords(self.database, self._password_digest)

    @contextmanager
    def watch(self, session: str, tell: Callable[[], object]) -> Iterator[None]:
        """Call ``tell``, in any thread, when the session ends while the context is open."""
        with self._watches.watch(session, tell):
            if not self.measure_session(session):  # it ended just before
                tell()
            yield

    @cached_property
    def _password_digest(self) -> str:
        """Digest that tells passwords in the database apart and is slow to guess from."""
        return hashlib.scrypt(_encode(self.password or ""), salt=self.pepper, **SCRYPT).hex()

    def _digest(self, password: str) -> bytes:
        return hmac.digest(self.pepper, _encode(password), hashlib.sha256)


def hash_token(token: str) -> str:
    """Return the hash that is stored for a token."""
    return hashlib.sha256(_encode(token)).hexdigest()


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
