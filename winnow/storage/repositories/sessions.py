"""Sign-in sessions of the pages, by the hash of their token."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select

from winnow.storage.database.database import Database
from winnow.storage.database.tables import desk_sessions


@dataclass(frozen=True, slots=True)
class StoredSession:
    """One sign-in: the digest of its password, and its expiry."""

    password_digest: str
    expires_at: datetime


def insert_session(
    database: Database, token_hash: str, password_digest: str, expires_at: datetime
) -> None:
    """Store a new sign-in."""
    with database.write() as connection:
        connection.execute(
            insert(desk_sessions).values(
                token_hash=token_hash, password_digest=password_digest, expires_at=expires_at
            )
        )


def find_session(database: Database, token_hash: str) -> StoredSession | None:
    """Return a sign-in, lapsed or not; None if it has ended or never existed."""
    statement = select(desk_sessions).where(desk_sessions.c.token_hash == token_hash)
    with database.read() as connection:
        row = connection.execute(statement).first()
    return None if row is None else StoredSession(row.password_digest, row.expires_at)


def end_session(database: Database, token_hash: str) -> None:
    """End a sign-in; unknown ones do nothing."""
    with database.write() as connection:
        connection.execute(delete(desk_sessions).where(desk_sessions.c.token_hash == token_hash))


def end_sessions_of_other_passwords(database: Database, password_digest: str) -> int:
    """End the sign-ins with another password; return how many."""
    others = delete(desk_sessions).where(desk_sessions.c.password_digest != password_digest)
    with database.write() as connection:
        return connection.execute(others).rowcount


def forget_lapsed_sessions(database: Database, now: datetime) -> int:
    """Remove what has lapsed; return how many."""
    with database.write() as connection:
        return connection.execute(
            delete(desk_sessions).where(desk_sessions.c.expires_at <= now)
        ).rowcount
