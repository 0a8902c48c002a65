"""Accounts: their names, API keys by public prefix (secrets as keyed hashes), sign-in sessions."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, or_, select, update
from sqlalchemy.dialects.sqlite import insert

from winnow.core.identities import ApiKey
from winnow.storage.database.database import Database, value_from_row
from winnow.storage.database.tables import accounts, api_keys, desk_sessions, hooks, known_clients


def create_account(database: Database, name: str, now: datetime) -> bool:
    """Create an account; False if there is one of that name already."""
    new = insert(accounts).values(name=name, created_at=now).on_conflict_do_nothing()
    return database.run(new) == 1


def account_exists(database: Database, name: str) -> bool:
    """Return whether there is an account of that name."""
    return database.first(select(accounts.c.name).where(accounts.c.name == name)) is not None


def read_remembers(database: Database, account: str) -> bool | None:
    """Return whether an account's never-mail list is on; None: that was not decided yet."""
    row = database.first(select(accounts.c.remembers_noes).where(accounts.c.name == account))
    return None if row is None else row.remembers_noes


def write_remembers(database: Database, account: str, is_on: bool) -> None:
    """Turn an account's never-mail list on or off; what is on it stays."""
    database.run(update(accounts).where(accounts.c.name == account).values(remembers_noes=is_on))


def insert_key(database: Database, key: ApiKey, secret_hash: bytes) -> None:
    """Store a new key."""
    database.run(insert(api_keys).values(**asdict(key), secret_hash=secret_hash))


def find_key(database: Database, prefix: str) -> tuple[ApiKey, bytes] | None:
    """Return the key with this prefix, revoked or not, and the hash of its secret."""
    row = database.first(select(api_keys).where(api_keys.c.prefix == prefix))
    return None if row is None else (value_from_row(row, ApiKey), row.secret_hash)


def list_keys(database: Database, account: str) -> tuple[ApiKey, ...]:
    """Return an account's keys, the newest first."""
    statement = (
        select(api_keys)
        .where(api_keys.c.account == account)
        .order_by(api_keys.c.created_at.desc(), api_keys.c.prefix)
    )
    return tuple(value_from_row(row, ApiKey) for row in database.fetch(statement))


def revoke_key(database: Database, account: str, prefix: str, now: datetime) -> None:
    """Revoke a key, once; it is invalid when this returns."""
    with database.writing() as connection:
        revoke_keys(connection, now, api_keys.c.prefix == prefix, api_keys.c.account == account)


def revoke_all_keys(database: Database, now: datetime) -> int:
    """Revoke every key that is not revoked yet; return how many."""
    with database.writing() as connection:
        return revoke_keys(connection, now)


def revoke_keys(connection: Connection, now: datetime, *where: ColumnElement[bool]) -> int:
    """Revoke keys and remove their hooks, as a step of a transaction; return how many."""
    valid = update(api_keys).where(api_keys.c.revoked_at.is_(None), *where)
    revoking = valid.values(revoked_at=now).returning(api_keys.c.prefix)
    revoked = connection.execute(revoking).scalars().all()
    connection.execute(delete(hooks).where(hooks.c.prefix.in_(revoked)))
    return len(revoked)


def count_uses(connection: Connection, uses: Mapping[str, tuple[int, datetime]]) -> None:
    """Add uses by prefix, with the time of the last one, as a step of a transaction."""
    for prefix, (count, last) in uses.items():
        connection.execute(
            update(api_keys)
            .where(api_keys.c.prefix == prefix)
            .values(use_count=api_keys.c.use_count + count, last_used_at=last)
        )


@dataclass(frozen=True, slots=True)
class StoredSession:
    """One sign-in: the digest of its password, its expiry, and its person, if any."""

    password_digest: str
    expires_at: datetime
    person: str | None = None


def insert_session(database: Database, token_hash: str, session: StoredSession) -> None:
    """Store a new sign-in."""
    database.run(insert(desk_sessions).values(token_hash=token_hash, **asdict(session)))


def note_client(database: Database, client_hash: str, now: datetime, since: datetime) -> None:
    """Store that someone has signed in at a client, and forget those of before ``since``."""
    former = or_(known_clients.c.client_hash == client_hash, known_clients.c.signed_in_at < since)
    with database.writing() as connection:
        connection.execute(delete(known_clients).where(former))
        connection.execute(insert(known_clients).values(client_hash=client_hash, signed_in_at=now))


def has_signed_in(database: Database, client_hash: str, since: datetime) -> bool:
    """Return whether someone has signed in at a client since then."""
    found = select(known_clients.c.client_hash).where(
        known_clients.c.client_hash == client_hash, known_clients.c.signed_in_at >= since
    )
    return database.first(found) is not None


def find_session(database: Database, token_hash: str) -> StoredSession | None:
    """Return a sign-in, lapsed or not; None if it has ended or never existed."""
    row = database.first(select(desk_sessions).where(desk_sessions.c.token_hash == token_hash))
    return None if row is None else value_from_row(row, StoredSession)


def end_session(database: Database, token_hash: str) -> None:
    """End a sign-in; unknown ones do nothing."""
    database.run(delete(desk_sessions).where(desk_sessions.c.token_hash == token_hash))


def end_sessions_of_other_passwords(database: Database, password_digest: str) -> int:
    """End the sign-ins without a name and with another password; return how many."""
    others = delete(desk_sessions).where(
        desk_sessions.c.person.is_(None), desk_sessions.c.password_digest != password_digest
    )
    return database.run(others)
