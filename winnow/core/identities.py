"""Callers: people, roles, API keys, and the audit log's entries. Times are UTC."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from winnow.core.record_enum import RecordEnum
from winnow.core.tasks.task import KeyType
from winnow.words import translatable

LOCAL_ACCOUNT = "local"  # needs no sign-in
COOKIE_NAME = "winnow_desk"  # of the sign-in to the pages
NO_CREDENTIAL = "none"  # how the credential of a person without a password begins
PROXY_MARK = "~"  # how the token of a person whom a proxy signs in begins
LANGUAGE_COOKIE = "winnow_language"  # chosen in Settings


class Role(RecordEnum):
    """Role of a person: readers see and download, members clean lists, admins manage the rest."""

    words: str

    READER = "reader", translatable("reader")
    MEMBER = "member", translatable("member")
    ADMIN = "admin", translatable("admin")

    def covers(self, needed: "Role") -> bool:
        """Return whether this role may do what another one may."""
        ranks = list(Role)
        return ranks.index(self) >= ranks.index(needed)


@dataclass(frozen=True, slots=True)
class Identity:
    """The caller: a person, in an account, in a role; ``key`` is the prefix of the key used."""

    account: str
    person: str
    role: Role
    key: str = ""


LOCAL_IDENTITY = Identity(LOCAL_ACCOUNT, "local", Role.ADMIN)
"""The user of this machine, or a user who signed in with its password."""

COMMAND_LINE = Identity(LOCAL_ACCOUNT, "command line", Role.ADMIN)
"""The owner of the data folder. The blank keeps the name apart from those of people."""


@dataclass(frozen=True, slots=True)
class Person:
    """A person who signs in by name.

    ``credential`` is a password's scrypt hash with its parameters, or of a person whom only a proxy
    signs in a random mark. It differs after each change, also for the same password.
    """

    name: str
    role: Role
    credential: str = field(repr=False)
    created_at: datetime

    @property
    def has_password(self) -> bool:
        """Whether the person can sign in without a proxy."""
        return not self.credential.startswith(NO_CREDENTIAL)


class Event(StrEnum):
    """What the audit log records. The codes are stored and never change."""

    SUBMITTED = "submitted"
    DOWNLOADED = "downloaded"
    DELETED = "deleted"
    ERASED = "erased"
    RESTORED = "restored"
    OVERRULED = "overruled"
    LISTS_CHANGED = "lists_changed"
    POLICY_CHANGED = "policy_changed"
    KEY_MADE = "key_made"
    KEY_REVOKED = "key_revoked"
    HOOK_CHANGED = "hook_changed"
    HOOK_REPLAYED = "hook_replayed"
    SIGNED_IN = "signed_in"
    SIGN_IN_FAILED = "sign_in_failed"
    PEOPLE_CHANGED = "people_changed"
    NETWORK_CHANGED = "network_changed"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One entry of the audit log. ``subject`` is an id; never an address or a cell of a list."""

    recorded_at: datetime
    person: str  # "" for callers who are not signed in
    key: str  # prefix of the API key used; "" for none
    event: Event
    subject: str


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key without its secret. ``prefix`` is the part that may be shown."""

    prefix: str
    account: str
    name: str
    key_type: KeyType
    created_at: datetime
    last_used_at: datetime | None = None
    use_count: int = 0
    revoked_at: datetime | None = None
    maker: str | None = None  # the person it belongs to; None: the account
