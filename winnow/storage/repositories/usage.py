"""Charges: single checks by day, lists once each in an append-only ledger."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, func, insert, select, update

from winnow.storage.database.database import Database
from winnow.storage.database.tables import single_usage, usage_ledger

BATCH = "batch"


def charge_task(
    connection: Connection, task_id: str, account: str, count: int, now: datetime
) -> None:
    """Charge a list, as a step of the transaction that finishes it.

    The primary key is the task and the kind: a second charge fails the whole transaction.
    """
    connection.execute(
        insert(usage_ledger).values(
            task_id=task_id, kind=BATCH, account=account, count=count, day=day_of(now), at=now
        )
    )


def add_single_checks(connection: Connection, counts: Mapping[tuple[str, str], int]) -> None:
    """Add charged single checks by (account, day), as a step of a transaction."""
    for (account, day), count in counts.items():
        grown = connection.execute(
            update(single_usage)
            .where(single_usage.c.account == account, single_usage.c.day == day)
            .values(count=single_usage.c.count + count)
        )
        if grown.rowcount == 0:
            connection.execute(insert(single_usage).values(account=account, day=day, count=count))


def read_days(database: Database, account: str, first_day: str) -> dict[str, tuple[int, int]]:
    """Return (single, batch) by day from ``first_day`` on; days without use are missing."""
    singles = select(single_usage.c.day, single_usage.c.count).where(
        single_usage.c.account == account, single_usage.c.day >= first_day
    )
    batches = (
        select(usage_ledger.c.day, func.sum(usage_ledger.c.count).label("count"))
        .where(usage_ledger.c.account == account, usage_ledger.c.day >= first_day)
        .group_by(usage_ledger.c.day)
    )
    days: dict[str, tuple[int, int]] = {}
    with database.read() as connection:
        for day, count in connection.execute(singles):
            days[day] = (int(count), 0)
        for day, count in connection.execute(batches):
            days[day] = (days.get(day, (0, 0))[0], int(count))
    return days


def day_of(now: datetime) -> str:
    """Return the UTC day as ``YYYY-MM-DD``."""
    return now.date().isoformat()
