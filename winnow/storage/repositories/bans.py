"""Attempts that clients have used up, each with the time at which it lapses."""

from datetime import datetime

from sqlalchemy import delete, insert, select

from winnow.storage.database.database import Database
from winnow.storage.database.tables import bans


def find_attempts(database: Database, client: str) -> tuple[int, datetime] | None:
    """Return the attempts a client has taken and when they lapse, lapsed or not."""
    statement = select(bans.c.attempts_taken, bans.c.lapses_at).where(bans.c.client == client)
    with database.read() as connection:
        row = connection.execute(statement).first()
    return None if row is None else (row.attempts_taken, row.lapses_at)


def take_attempt(
    database: Database, client: str, now: datetime, lapses_at: datetime, threshold: int
) -> int | None:
    """Take one attempt in one transaction; return how many are taken, None where none was left.

    What had lapsed restarts. So does what would lapse later than this one: it was taken before
    the clock was set back.
    """
    holding = (bans.c.lapses_at > now, bans.c.lapses_at <= lapses_at)
    statement = select(bans.c.attempts_taken).where(bans.c.client == client, *holding)
    with database.write() as connection:
        taken = int(connection.execute(statement).scalar() or 0) + 1
        if taken > threshold:
            return None
        connection.execute(delete(bans).where(bans.c.client == client))
        connection.execute(
            insert(bans).values(client=client, attempts_taken=taken, lapses_at=lapses_at)
        )
        return taken


def list_attempts(
    database: Database, now: datetime, latest_lapse: datetime
) -> tuple[tuple[str, int, datetime], ...]:
    """Return (client, attempts taken, lapse) of all that have not lapsed, most taken first."""
    statement = (
        select(bans)
        .where(bans.c.lapses_at > now, bans.c.lapses_at <= latest_lapse)
        .order_by(bans.c.attempts_taken.desc(), bans.c.client)
    )
    with database.read() as connection:
        return tuple(
            (row.client, row.attempts_taken, row.lapses_at) for row in connection.execute(statement)
        )


def forget_client(database: Database, client: str) -> None:
    """Give a client all its attempts back."""
    with database.write() as connection:
        connection.execute(delete(bans).where(bans.c.client == client))


def forget_lapsed(database: Database, now: datetime) -> int:
    """Remove what has lapsed; return how many."""
    with database.write() as connection:
        return connection.execute(delete(bans).where(bans.c.lapses_at <= now)).rowcount
