"""People who sign in by name: added, given a role, removed; their passwords as scrypt hashes."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from winnow.core.errors import BadField
from winnow.core.identities import (
    COMMAND_LINE,
    LOCAL_ACCOUNT,
    NO_CREDENTIAL,
    ApiKey,
    Event,
    Identity,
    Person,
    Role,
)
from winnow.core.settings import PASSWORD_MIN_CHARACTERS, Settings
from winnow.services.use_cases import use_case
from winnow.storage.database import tables
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories import people as people_rows
from winnow.storage.repositories.accounts import list_keys
from winnow.words import translatable

NAME_MAX_CHARACTERS = 60
_NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,59}\Z")
_RESERVED = frozenset({"local"})
SCRYPT_N, SCRYPT_R, SCRYPT_P = 1 << 14, 8, 5  # OWASP Password Storage Cheat Sheet: 16 MiB
_SALT_BYTES = 16


@dataclass(eq=False, repr=False)
class People:
    """The people of the account ``local``. Synchronous and thread-safe.

    Once there is one, everyone signs in by name, on this machine too.
    """

    database: Database
    settings: Settings
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._known = QueryCache[None, dict[str, Person]](self.database.changes_of(tables.people))
        self._exist = False

    @property
    def exist(self) -> bool:
        """Whether anyone signs in by name. The last admin cannot be removed, so it stays true."""
        self._exist = self._exist or bool(self._read())
        return self._exist

    @use_case(Role.ADMIN)
    def list(self) -> tuple[Person, ...]:
        """Return everyone, by name."""
        return tuple(self._read().values())

    @use_case(Role.ADMIN, Event.PEOPLE_CHANGED, subject="name")
    def add(self, name: str, role: Role, password: str | None) -> None:
        """Add a person. Without a password the person signs in by the proxy's header only.

        Raises:
            BadField: The name or the password cannot be used, the name is taken, or the first
                person is not an admin.
        """
        name = read_person_name(name)
        credential = _make_credential(password)
        people_rows.insert_person(self.database, Person(name, role, credential, self.clock()))

    @use_case(Role.ADMIN, Event.PEOPLE_CHANGED, subject="name")
    def reset(self, name: str, password: str | None) -> None:
        """Give a person another password; their sign-ins end.

        Raises:
            BadField: There is no such person, or the password cannot be used.
        """
        name = read_person_name(name)
        people_rows.change_person(self.database, name, credential=_make_credential(password))

    @use_case(Role.ADMIN, Event.PEOPLE_CHANGED, subject="name")
    def change_role(self, name: str, role: Role) -> None:
        """Give a person another role, at once and for their keys too.

        Raises:
            BadField: There is no such person, or it is the last admin.
        """
        people_rows.change_person(self.database, read_person_name(name), role=role)

    @use_case(Role.ADMIN, Event.PEOPLE_CHANGED, subject="name")
    def remove(self, name: str) -> None:
        """Remove a person; their keys and sign-ins end.

        Raises:
            BadField: There is no such person, or it is the last admin.
        """
        people_rows.remove_person(self.database, read_person_name(name), self.clock())

    @use_case(Role.ADMIN)
    def list_keys(self, name: str) -> tuple[ApiKey, ...]:
        """Return the keys that end with a person."""
        keys = list_keys(self.database, LOCAL_ACCOUNT)
        return tuple(key for key in keys if key.maker == name and key.revoked_at is None)

    def verify(self, name: str, password: str) -> bool:
        """Return whether this is a person's password; it takes as long for unknown names."""
        person = self._read().get(name.strip().lower())
        credential = person.credential if person else NO_CREDENTIAL
        return _is_password(password, credential)

    def find_name(self, name: str) -> str | None:
        """Return the name of the person whom a proxy names; None: the name is refused."""
        try:
            name = read_person_name(name)
        except BadField:
            return None
        return name if self.settings.admits_unknown or name in self._read() else None

    def find_digest(self, name: str) -> str | None:
        """Return a digest that changes when a person's sign-ins end; None: refused."""
        person = self._read().get(name)
        if person is not None:
            return hashlib.sha256(person.credential.encode()).hexdigest()
        return "unknown" if self.settings.admits_unknown else None

    def find_role(self, identity: Identity) -> Role | None:
        """Return what a caller may do now; None: nothing, the person was removed.

        Keys without a maker, the command line, and the user of a server without people may
        do everything.
        """
        if identity == COMMAND_LINE or (identity.key and not identity.person):
            return Role.ADMIN
        people = self._read()
        if identity.person in people:
            return people[identity.person].role
        if people or self.settings.user_header:
            admits = self.settings.admits_unknown and not identity.key
            return Role.READER if admits and self.settings.user_header else None
        return identity.role

    def _read(self) -> dict[str, Person]:
        return self._known.get(
            None, lambda _: {one.name: one for one in people_rows.list_people(self.database)}
        )


def read_person_name(text: str) -> str:
    """Return a name in lower case.

    Raises:
        BadField: Not 1 to 60 of the characters ``a-z 0-9 . _ @ + -``, or reserved.
    """
    name = text.strip().lower()
    if not _NAME.match(name) or name in _RESERVED:
        raise BadField(
            "name", translatable("must be 1 to 60 of a-z, 0-9 and . _ @ + -, and not local")
        )
    return name


def _make_credential(password: str | None) -> str:
    """Return what is stored of a password: ``scrypt$n$r$p$salt$hash`` in hexadecimal digits.

    Raises:
        BadField: It is too short.
    """
    if password is None:
        return f"{NO_CREDENTIAL}${secrets.token_hex(_SALT_BYTES)}"
    if len(password.strip()) < PASSWORD_MIN_CHARACTERS:
        raise BadField("password", translatable("must have at least 8 characters"))
    salt = secrets.token_bytes(_SALT_BYTES)
    digest = _hash(password, salt, SCRYPT_N, SCRYPT_R, SCRYPT_P)
    return f"scrypt${SCRYPT_N}${SCRYPT_R}${SCRYPT_P}${salt.hex()}${digest.hex()}"


def _is_password(password: str, credential: str) -> bool:
    kind, *parts = credential.split("$")
    if kind != "scrypt":
        _hash(password, bytes(_SALT_BYTES), SCRYPT_N, SCRYPT_R, SCRYPT_P)  # as long as for others
        return False
    n, r, p = map(int, parts[:3])
    salt, digest = map(bytes.fromhex, parts[3:])
    return hmac.compare_digest(_hash(password, salt, n, r, p), digest)


def _hash(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    encoded = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(encoded, salt=salt, n=n, r=r, p=p)
