"""Accounts, of which ``local`` always exists, and their API keys, stored as keyed hashes."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from winnow.core.errors import BadField, KeyRejected, RoleRefused
from winnow.core.identities import COMMAND_LINE, LOCAL_IDENTITY, ApiKey, Event, Identity, Role
from winnow.core.tasks.task import KeyType
from winnow.services.accounts.usage import UsageCounter
from winnow.services.names import read_name
from winnow.services.use_cases import use_case
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories import accounts as account_rows
from winnow.storage.repositories.accounts import account_exists, create_account

SECRET_BYTES = 32  # 256 bits cannot be guessed, so a plain keyed hash is enough
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,49}\Z")
_KEY = re.compile(r"wk_(?:live|sandbox)_[0-9a-f]{12}\.[A-Za-z0-9_-]{43}\Z")


def derive_key(pepper: bytes, purpose: str) -> bytes:
    """Return a key for one purpose, so that a signature is not valid for another."""
    return hmac.digest(pepper, purpose.encode(), hashlib.sha256)


@dataclass(eq=False, repr=False)
class Accounts:
    """Names only; an account has no password of its own."""

    database: Database
    clock: Callable[[], datetime]

    @use_case(Role.ADMIN)
    def create(self, name: str) -> None:
        """Make an account.

        Raises:
            BadField: Not 1 to 50 of the characters ``a-z 0-9 . _ -``, or already there.
        """
        if not _NAME.match(name):
            raise BadField("account", "must be 1 to 50 of a-z, 0-9, dot, underscore, hyphen")
        if not create_account(self.database, name, self.clock()):
            raise BadField("account", "is already there")

    @use_case(Role.ADMIN)
    def require(self, name: str) -> None:
        """Raise for an account that does not exist.

        Raises:
            BadField: There is no such account.
        """
        if not _NAME.match(name) or not account_exists(self.database, name):
            raise BadField("account", "there is no such account")


@dataclass(eq=False, repr=False)
class Keys:
    """The keys of every account. Synchronous and thread-safe."""

    database: Database
    pepper: bytes
    usage_counter: UsageCounter
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._hash_key = derive_key(self.pepper, "api-key")
        self._accepted = QueryCache[str, ApiKey | None](self.database.changes.read_number)

    @use_case(Role.MEMBER, Event.KEY_MADE, subject="result.prefix")
    def create(
        self, account: str, name: str, key_type: KeyType, *, identity: Identity = COMMAND_LINE
    ) -> tuple[ApiKey, str]:
        """Make a key; the text is the whole key, which cannot be shown again.

        It belongs to the person who makes it. Without people, or made by the command line, it
        belongs to the account.

        Raises:
            BadField: The name is not 1 to 50 characters, or there is no such account.
        """
        name = read_name("name", name)
        if not account_exists(self.database, account):
            raise BadField("account", "there is no such account")
        prefix = f"wk_{key_type.value}_{secrets.token_hex(6)}"
        secret = secrets.token_urlsafe(SECRET_BYTES)
        maker = None if identity in {COMMAND_LINE, LOCAL_IDENTITY} else identity.person or None
        key = ApiKey(prefix, account, name, key_type, self.clock(), maker=maker)
        account_rows.insert_key(self.database, key, self._hash(secret))
        return key, f"{prefix}.{secret}"

    @use_case(Role.MEMBER)
    def list(self, account: str, *, identity: Identity = COMMAND_LINE) -> tuple[ApiKey, ...]:
        """Return an account's keys, the newest first, revoked ones too; members see their own."""
        self.usage_counter.commit()
        keys = account_rows.list_keys(self.database, account)
        return tuple(key for key in keys if _may_manage(identity, key))

    @use_case(Role.MEMBER, Event.KEY_REVOKED, subject="prefix")
    def revoke(self, account: str, prefix: str, *, identity: Identity = COMMAND_LINE) -> None:
        """Revoke a key at once; an unknown or revoked one stays as it is.

        Raises:
            RoleRefused: It is another person's, and the caller is not an admin.
        """
        stored = account_rows.find_key(self.database, prefix)
        if stored is not None and not _may_manage(identity, stored[0]):
            raise RoleRefused
        account_rows.revoke_key(self.database, account, prefix, self.clock())

    def authenticate(self, text: str | None) -> ApiKey:
        """Return the key with this text and count its use.

        Raises:
            KeyRejected: Missing, unknown or revoked; the answer is the same for the last two.
        """
        if not text:
            raise KeyRejected(
                "The header X-API-Key is missing.", hint="Make a key under Settings, API."
            )
        key = self._accepted.get(text, self._accept) if _KEY.match(text) else None
        if key is None:
            raise KeyRejected("The API key is not valid.", hint="Make a key under Settings, API.")
        self.usage_counter.count_use(key.prefix, self.clock())
        return key

    @staticmethod
    def identify(key: ApiKey) -> Identity:
        """Return the caller that a key is: its maker, in the role of the moment."""
        return Identity(key.account, key.maker or "", Role.READER, key.prefix)

    def _accept(self, text: str) -> ApiKey | None:
        """Return the key with this text, None for one that is unknown, wrong or revoked."""
        prefix, _, secret = text.partition(".")
        nothing = None, bytes(hashlib.sha256().digest_size)
        key, expected = account_rows.find_key(self.database, prefix) or nothing
        is_right = hmac.compare_digest(self._hash(secret), expected)
        return key if key is not None and is_right and key.revoked_at is None else None

    def _hash(self, secret: str) -> bytes:
        return hmac.digest(self._hash_key, secret.encode(), hashlib.sha256)


def _may_manage(identity: Identity, key: ApiKey) -> bool:
    return identity.role is Role.ADMIN or identity.person == key.maker
