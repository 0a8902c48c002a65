"""Charges: single checks by day, lists once each in an append-only ledger."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, func, insert, select

from winnow.core.usage import KeyMonth
from winnow.storage.database.database import Database, upsert
from winnow.storage.database.tables import api_keys, key_usage, single_usage, usage_ledger

BATCH, SINGLE = "batch", "single"


def charge_task(
    connection: Connection,
    task_id: str,
    account: str,
    count: int,
    now: datetime,
    key_prefix: str | None = None,
) -> None:
    """Charge a list, as a step of the transaction that finishes it.

    The primary key is the task and the kind: a second charge fails the whole transaction.
    ``key_prefix`` is the API key that it was submitted with.
    """
    connection.execute(
        insert(usage_ledger).values(
            task_id=task_id, kind=BATCH, account=account, count=count, day=day_of(now), at=now
        )
    )
    if key_prefix is not None:
        _charge_key(connection, key_prefix, day_of(now), BATCH, count)


def _charge_key(connection: Connection, prefix: str, day: str, kind: str, count: int) -> None:
    row = {"prefix": prefix, "month": day[:7], "kind": kind, "count": count}
    upsert(connection, key_usage, [row], adds=("count",))


def add_single_checks(connection: Connection, counts: Mapping[tuple[str, str, str], int]) -> None:
    """Add charged single checks by (account, key, day), as a step of a transaction."""
    for (account, prefix, day), count in counts.items():
        _charge_key(connection, prefix, day, SINGLE, count)
        row = {"account": account, "day": day, "count": count}
        upsert(connection, single_usage, [row], adds=("count",))


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
    with database.reading() as connection:
        for day, count in connection.execute(singles):
            days[day] = (int(count), 0)
        for day, count in connection.execute(batches):
            days[day] = (days.get(day, (0, 0))[0], int(count))
    return days


def read_months(database: Database, account: str) -> tuple[KeyMonth, ...]:
    """Return charged addresses by month and key, the newest month first; the keyless last."""
    by_key = (
        select(key_usage, api_keys.c.name)
        .join(api_keys, api_keys.c.prefix == key_usage.c.prefix)
        .where(api_keys.c.account == account)
    )
    rest: dict[str, Counter[str]] = {}
    for day, (single, batch) in read_days(database, account, "").items():
        rest.setdefault(day[:7], Counter()).update({SINGLE: single, BATCH: batch})
    counts: dict[tuple[str, str | None, str | None], Counter[str]] = {}
    for row in database.fetch(by_key):
        by_kind = counts.setdefault((row.month, row.prefix, row.name), Counter())
        by_kind[row.kind] += row._mapping["count"]
        rest.setdefault(row.month, Counter())[row.kind] -= row._mapping["count"]
    counts |= {(month, None, None): left for month, left in rest.items() if any(left.values())}
    order = sorted(counts, key=lambda one: (one[1] is None, one[1] or ""))
    return tuple(
        KeyMonth(*one, counts[one][SINGLE], counts[one][BATCH])
        for one in sorted(order, key=lambda one: one[0], reverse=True)
    )


def day_of(now: datetime) -> str:
    """Return the UTC day as ``YYYY-MM-DD``."""
    return now.date().isoformat()
