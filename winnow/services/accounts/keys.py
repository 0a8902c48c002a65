"""API keys: shown once, stored as a keyed hash, revocable."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from datetime import datetime

from winnow.core.accounts import ApiKey
from winnow.core.errors import BadField, KeyRejected
from winnow.core.tasks.task import KeyType
from winnow.services.accounts.tokens import derive_key
from winnow.services.accounts.usage import UsageCounter
from winnow.services.uploads.names import read_name
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories import accounts as rows
from winnow.storage.repositories.accounts import account_exists

SECRET_BYTES = 32  # 256 bits cannot be guessed, so a plain keyed hash is enough
_TEXT = re.compile(r"wk_(?:live|sandbox)_[0-9a-f]{12}\.[A-Za-z0-9_-]{43}\Z")


class Keys:
    """The keys of every account. Synchronous and thread-safe."""

    def __init__(
        self,
        database: Database,
        pepper: bytes,
        usage_counter: UsageCounter,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._pepper = derive_key(pepper, "api-key")
        self._usage_counter = usage_counter
        self._clock = clock
        self._accepted = QueryCache[str, ApiKey | None](database.changes)

    def create(self, account: str, name: str, key_type: KeyType) -> tuple[ApiKey, str]:
        """Make a key; the text is the whole key, which cannot be shown again.

        Raises:
            BadField: The name is not 1 to 50 characters, or there is no such account.
        """
        name = read_name("name", name)
        if not account_exists(self._database, account):
            raise BadField("account", "there is no such account")
        prefix = f"wk_{key_type.value}_{secrets.token_hex(6)}"
        secret = secrets.token_urlsafe(SECRET_BYTES)
        key = ApiKey(prefix, account, name, key_type, self._clock())
        rows.insert_key(self._database, key, self._hash(secret))
        return key, f"{prefix}.{secret}"

    def list(self, account: str) -> tuple[ApiKey, ...]:
        """Return the account's keys, the newest first, revoked ones too."""
        self._usage_counter.commit()
        return rows.list_keys(self._database, account)

    def revoke(self, account: str, prefix: str) -> None:
        """Revoke a key at once; an unknown or revoked one stays as it is."""
        rows.revoke_key(self._database, account, prefix, self._clock())

    def authenticate(self, text: str | None) -> ApiKey:
        """Return the key with this text and count its use.

        Raises:
            KeyRejected: Missing, unknown or revoked; the answer is the same for the last two.
        """
        if not text:
            raise KeyRejected(
                "The header X-API-Key is missing.", hint="Make a key on the API settings page."
            )
        key = self._accepted.get(text, self._accept) if _TEXT.match(text) else None
        if key is None:
            raise KeyRejected(
                "The API key is not valid.", hint="Make a key on the API settings page."
            )
        self._usage_counter.count_use(key.prefix, self._clock())
        return key

    def _accept(self, text: str) -> ApiKey | None:
        """Return the key with this text, None for one that is unknown, wrong or revoked."""
        prefix, _, secret = text.partition(".")
        stored = rows.find_key(self._database, prefix)
        expected = stored.secret_hash if stored else bytes(hashlib.sha256().digest_size)
        is_right = hmac.compare_digest(self._hash(secret), expected)
        if stored is None or not is_right or stored.key.revoked_at is not None:
            return None
        return stored.key

    def _hash(self, secret: str) -> bytes:
        return hmac.digest(self._pepper, secret.encode(), hashlib.sha256)
