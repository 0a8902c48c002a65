"""Sign-in by name, by one password (``WINNOW_PASSWORD``) or by a proxy's header: its sessions.

The browser's cookie is a random token; the database has its hash. A session ends by sign-out, after
a working day, when its password changes or its person is removed. Its watchers are called at once,
and within ``SWEEP_SECONDS`` after another process has ended it.

A person whom a proxy names has no cookie: each request gets a token that this process signs.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property

from winnow.core.identities import LOCAL_ACCOUNT, LOCAL_IDENTITY, PROXY_MARK, Identity, Role
from winnow.core.settings import Settings
from winnow.services.accounts.people import People
from winnow.services.use_cases import use_case
from winnow.services.watches import Watches
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories import accounts as account_rows

SIGN_IN_SECONDS = 12 * 60 * 60  # a working day
SWEEP_SECONDS = 15.0
CLIENT_KNOWN_FOR = timedelta(days=30)
TOKEN_BYTES = 32
_PROXY = "proxy "  # how the session of a person whom a proxy names begins
TOKEN_MAX_CHARACTERS = 128
SCRYPT = {"n": 1 << 14, "r": 8, "p": 1}  # RFC 7914, 2: interactive logins; once a process


@dataclass(eq=False, repr=False)
class SignIn:
    """Verifies passwords; begins, finds and ends sessions. Thread-safe, synchronous."""

    settings: Settings
    pepper: bytes
    database: Database
    people: People
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._signing_key = secrets.token_bytes(TOKEN_BYTES)
        self._found = QueryCache[str, account_rows.StoredSession | None](
            self.database.changes.read_number
        )
        self._watches = Watches()

    @property
    def is_needed(self) -> bool:
        """Whether users must sign in; else every user of this machine is the admin."""
        settings = self.settings
        return bool(settings.password or settings.user_header) or self.people.exist

    def verify(self, name: str, text: str) -> bool:
        """Return whether a password is a person's, or without people the one that is set."""
        if self.people.exist:
            return self.people.verify(name, text)
        given, password = self._digest(text), self.settings.password
        return password is not None and hmac.compare_digest(given, self._digest(password))

    def knows_client(self, client: str) -> bool:
        """Return whether someone has signed in at a client address during the last 30 days."""
        since = self.clock() - CLIENT_KNOWN_FOR
        return account_rows.has_signed_in(self.database, hash_token(client), since)

    def begin_session(self, name: str = "", client: str = "") -> str:
        """Return the token of a new session of a person at a client, good for 12 hours."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        ends_at = self.clock() + timedelta(seconds=SIGN_IN_SECONDS)
        person = name.strip().lower() if self.people.exist else None
        digest = self._password_digest if person is None else self.people.find_digest(person)
        session = account_rows.StoredSession(digest or "", ends_at, person)
        account_rows.insert_session(self.database, hash_token(token), session)
        now = self.clock()
        account_rows.note_client(self.database, hash_token(client), now, now - CLIENT_KNOWN_FOR)
        return token

    def sign_proxy_token(self, name: str) -> str | None:
        """Return a token for a request of the person whom a trusted proxy names; None: refused."""
        found = self.people.find_name(name)
        return found and f"{PROXY_MARK}{found}{PROXY_MARK}{self._sign(found)}"

    @use_case(Role.READER)
    def identify(self, token: str | None) -> Identity | None:
        """Return the user that a token signs in; None: the user must sign in."""
        if not self.is_needed:
            return LOCAL_IDENTITY
        session = self.find_session(token)
        if session is None:
            return None
        if session.startswith(_PROXY):
            name: str | None = session.split(" ")[1]
        else:
            found = self._find(session)
            name = None if found is None else found.person
        if name is None:
            return LOCAL_IDENTITY
        identity = Identity(LOCAL_ACCOUNT, name, Role.READER)
        role = self.people.find_role(identity)
        return None if role is None else replace(identity, role=role)

    @use_case(Role.READER)
    def find_session(self, token: str | None) -> str | None:
        """Return the name of a token's live session; None: there is no such session."""
        if not token or len(token) > TOKEN_MAX_CHARACTERS:
            return None
        session = self._name(token)
        return session if self.measure_session(session) else None

    @use_case(Role.READER)
    def name_session(self, token: str | None) -> str | None:
        """Return the session that a browser's links depend on, live or ended; None: none."""
        return self._name(token or "") if self.is_needed else None

    def name_key_session(self, identity: Identity) -> str | None:
        """Return the session that links of a person's key depend on; None: it is no such key."""
        return self._name_person(identity.person) if identity.key and identity.person else None

    @use_case(Role.READER)
    def measure_session(self, session: str) -> timedelta:
        """Return how long a session is still valid; zero: it is over."""
        if session.startswith(_PROXY):
            _, name, digest = session.split(" ")
            is_live = digest == self.people.find_digest(name)
            return timedelta(seconds=SIGN_IN_SECONDS) if is_live else timedelta()
        found = self._find(session)
        if found is None:
            return timedelta()
        if self.people.exist or found.person is not None:
            lasting = self.people.find_digest(found.person or "")
        else:
            lasting = self._password_digest
        if found.password_digest != lasting:  # its password, or its person, is another
            return timedelta()
        left = found.expires_at - self.clock()
        is_possible = timedelta() < left <= timedelta(seconds=SIGN_IN_SECONDS)  # or set back
        return left if is_possible else timedelta()

    def end_session(self, token: str | None) -> None:
        """End a session and call its watchers; unknown ones do nothing."""
        session = hash_token(token or "")
        account_rows.end_session(self.database, session)
        self._watches.notify(session)

    def sweep(self, now: datetime) -> None:
        """Call the watchers of sessions that have ended, also by another process."""
        for session in self._watches.list_keys():
            if not self.measure_session(session):
                self._watches.notify(session)

    def end_others(self) -> int:
        """End the sessions of other passwords, at a start; return how many."""
        return account_rows.end_sessions_of_other_passwords(self.database, self._password_digest)

    @contextmanager
    def watch(self, session: str, notify: Callable[[], object]) -> Iterator[None]:
        """Call ``notify``, in any thread, when the session ends while the context is open."""
        with self._watches.watch(session, notify):
            if not self.measure_session(session):  # it ended just before
                notify()
            yield

    def _find(self, session: str) -> account_rows.StoredSession | None:
        return self._found.get(session, lambda key: account_rows.find_session(self.database, key))

    def _name(self, token: str) -> str:
        """Return the name of a token's session: of a proxy's the person, else the token's hash."""
        mark, name, signature = (*token.split(PROXY_MARK), "", "")[:3]
        expected = _encode(self._sign(name))
        if mark or not name or not hmac.compare_digest(_encode(signature), expected):
            return hash_token(token)
        return self._name_person(name)

    def _name_person(self, name: str) -> str:
        return f"{_PROXY}{name} {self.people.find_digest(name)}"

    def _sign(self, name: str) -> str:
        return hmac.digest(self._signing_key, _encode(name), hashlib.sha256).hex()

    @cached_property
    def _password_digest(self) -> str:
        """Digest that tells passwords in the database apart and is slow to guess from."""
        return hashlib.scrypt(
            _encode(self.settings.password or ""), salt=self.pepper, **SCRYPT
        ).hex()

    def _digest(self, password: str) -> bytes:
        return hmac.digest(self.pepper, _encode(password), hashlib.sha256)


def hash_token(token: str) -> str:
    """Return the hash that is stored for a token."""
    return hashlib.sha256(_encode(token)).hexdigest()


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
