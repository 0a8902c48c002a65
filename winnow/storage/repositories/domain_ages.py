"""What registries said of domains' ages, for as long as it holds."""

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.sqlite import insert

from winnow.storage.database.database import Database
from winnow.storage.database.tables import domain_ages

NAMES_AT_ONCE = 500  # SQLite takes at least 999 parameters
AGES_KEPT = 1_000_000


class StoredAge(NamedTuple):
    """One answer about a registrable domain; ``registered_at`` None: its registry does not say."""

    domain: str
    registered_at: datetime | None
    asked_at: datetime
    expires_at: datetime


def read_ages(database: Database, domains: Iterable[str], now: datetime) -> dict[str, StoredAge]:
    """Return the answers that still hold, by domain."""
    table = domain_ages
    wanted = iter(domains)
    found: dict[str, StoredAge] = {}
    with database.read() as connection:
        while some := list(islice(wanted, NAMES_AT_ONCE)):
            rows = connection.execute(
                select(
                    table.c.domain, table.c.registered_at, table.c.asked_at, table.c.expires_at
                ).where(table.c.domain.in_(some), table.c.expires_at > now)
            )
            found.update({row.domain: StoredAge(*row) for row in rows})
    return found


def keep_ages(database: Database, ages: Iterable[StoredAge]) -> None:
    """Keep answers, each in the place of an older one; one transaction."""
    rows = [age._asdict() for age in ages]
    if not rows:
        return
    statement = insert(domain_ages)
    new = statement.excluded
    with database.write() as connection:
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["domain"],
                set_={
                    "registered_at": new.registered_at,
                    "asked_at": new.asked_at,
                    "expires_at": new.expires_at,
                },
            ),
            rows,
        )


def forget_old_ages(database: Database, now: datetime, *, ages_kept: int = AGES_KEPT) -> int:
    """Drop answers that no longer hold, and the oldest beyond the bound; return how many."""
    table = domain_ages
    with database.write() as connection:
        gone = connection.execute(delete(table).where(table.c.expires_at <= now)).rowcount
        count = connection.execute(select(func.count()).select_from(table)).scalar_one()
        if count > ages_kept:
            limit = connection.execute(
                select(table.c.asked_at)
                .order_by(table.c.asked_at.desc())
                .offset(ages_kept)
                .limit(1)
            ).scalar_one()
            gone += connection.execute(delete(table).where(table.c.asked_at <= limit)).rowcount
    return int(gone)
