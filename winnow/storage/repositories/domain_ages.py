"""Cache of registries' answers on the age of domains, until they expire."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import delete, select

from winnow.core.network_answers import StoredAge
from winnow.storage.database.database import Database
from winnow.storage.database.tables import domain_ages
from winnow.storage.repositories.bulk import read_by_key, trim, upsert

AGES_KEPT = 1_000_000


def read_ages(database: Database, domains: Iterable[str], now: datetime) -> dict[str, StoredAge]:
    """Return the answers that have not expired, by domain."""
    columns = [domain_ages.c[name] for name in StoredAge._fields]
    holding = select(*columns).where(domain_ages.c.expires_at > now)
    rows = read_by_key(database, holding, domain_ages.c.domain, domains)
    return {row.domain: StoredAge(*row) for row in rows}


def keep_ages(database: Database, ages: Iterable[StoredAge]) -> None:
    """Store answers, each replaces an older one; one transaction."""
    upsert(database, domain_ages, [age._asdict() for age in ages])


def forget_old_ages(database: Database, now: datetime, *, ages_kept: int = AGES_KEPT) -> int:
    """Delete expired answers, and the oldest beyond the bound; return how many."""
    table = domain_ages
    with database.write() as connection:
        gone = connection.execute(delete(table).where(table.c.expires_at <= now)).rowcount
        return gone + trim(connection, table.c.asked_at, table, ages_kept)
