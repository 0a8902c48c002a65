"""The audit log: entries are added and read, and removed when they are a year old."""

from dataclasses import asdict
from datetime import datetime

from sqlalchemy import delete, insert, select

from winnow.core.accounts import AuditEntry
from winnow.storage.database.database import Database
from winnow.storage.database.mappers import value_from_row
from winnow.storage.database.tables import audit_log


def insert_entry(database: Database, entry: AuditEntry) -> None:
    """Store an entry."""
    database.run(insert(audit_log).values(**asdict(entry)))


def list_entries(
    database: Database, since: datetime, *, limit: int | None = None
) -> tuple[AuditEntry, ...]:
    """Return the entries since a time, the newest first."""
    statement = (
        select(audit_log)
        .where(audit_log.c.recorded_at >= since)
        .order_by(audit_log.c.entry_id.desc())
        .limit(limit)
    )
    return tuple(value_from_row(row, AuditEntry) for row in database.fetch(statement))


def forget_old_entries(database: Database, recorded_before: datetime) -> int:
    """Remove old entries; return how many."""
    return database.run(delete(audit_log).where(audit_log.c.recorded_at < recorded_before))
