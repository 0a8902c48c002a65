"""Changes of the own lists, stored for undo: each entry before, and what differs after."""

from collections.abc import Sequence
from datetime import datetime
from itertools import chain

from msgspec import convert, to_builtins
from sqlalchemy import ColumnElement, Connection, case, delete, func, insert, null, select

from winnow.core.own_lists.entries import ListEntry, OwnChange, measure_entries
from winnow.core.own_lists.patterns import PatternKind
from winnow.core.verdicts.verdict import Category
from winnow.storage.database.database import Database
from winnow.storage.database.tables import own_changes

KEPT_PER_ACCOUNT = 20
Step = tuple[ListEntry | None, ListEntry | None]
"""An entry before and after a change; None where it is on no list."""


def record_change(
    connection: Connection, account: str, steps: Sequence[Step], now: datetime
) -> int:
    """Store a change within its own transaction, and delete the oldest beyond the bound.

    Returns:
        How many more bytes all changes take toward the quota.
    """
    size_bytes = measure_entries(chain.from_iterable(steps))
    counts = [(before is None, after is None) for before, after in steps]
    connection.execute(
        insert(own_changes).values(
            account=account,
            made_at=now,
            added=counts.count((True, False)),
            changed=counts.count((False, False)),
            removed=counts.count((False, True)),
            steps=[_to_json(step) for step in steps],
            size_bytes=size_bytes,
        )
    )
    newest = (
        select(own_changes.c.change_id)
        .where(own_changes.c.account == account)
        .order_by(own_changes.c.change_id.desc())
        .limit(KEPT_PER_ACCOUNT)
    )
    oldest = (own_changes.c.account == account) & own_changes.c.change_id.not_in(newest)
    return size_bytes - _delete(connection, oldest)


def list_changes(database: Database, account: str, limit: int) -> tuple[OwnChange, ...]:
    """Return the newest changes first."""
    columns = own_changes.c
    is_single = columns.added + columns.changed + columns.removed == 1
    statement = (
        select(
            columns.change_id,
            columns.made_at,
            columns.added,
            columns.changed,
            columns.removed,
            case((is_single, columns.steps), else_=null()).label("steps"),  # an import's are many
        )
        .where(columns.account == account)
        .order_by(columns.change_id.desc())
        .limit(limit)
    )
    found = database.fetch(statement)
    return tuple(
        OwnChange(*row[:5], *(_from_json(row.steps[0]) if row.steps else ())) for row in found
    )


def find_changes_of(database: Database, account: str, pattern: str) -> tuple[datetime, ...]:
    """Return the times of the stored changes of a pattern, the newest first."""
    columns = own_changes.c
    statement = (
        select(columns.made_at, columns.steps)
        .where(columns.account == account)
        .order_by(columns.change_id.desc())
    )
    return tuple(
        row.made_at
        for row in database.fetch(statement)
        if any(entry and entry[0] == pattern for step in row.steps for entry in step)
    )


def take_change(
    connection: Connection, account: str, change_id: int
) -> tuple[list[Step], int] | None:
    """Return the steps of a change and its bytes, and delete it; None: it is no longer stored."""
    where = (own_changes.c.account == account) & (own_changes.c.change_id == change_id)
    steps = connection.execute(select(own_changes.c.steps).where(where)).scalar()
    if steps is None:
        return None
    return [_from_json(step) for step in steps], _delete(connection, where)


def _delete(connection: Connection, where: ColumnElement[bool]) -> int:
    """Delete changes; return the bytes that they took toward the quota."""
    size = select(func.coalesce(func.sum(own_changes.c.size_bytes), 0)).where(where)
    freed = int(connection.execute(size).scalar_one())
    connection.execute(delete(own_changes).where(where))
    return freed


def _to_json(step: Step) -> list[list[str | None] | None]:
    """Return both entries; the latter has None for what it has from the former."""
    before, after = (None if one is None else list(to_builtins(one).values()) for one in step)
    if before is None or after is None:
        return [before, after]
    return [before, [None if new == old else new for old, new in zip(before, after, strict=True)]]


def _from_json(step: Sequence[Sequence[str | None] | None]) -> Step:
    """Return both entries; changes of 0.2 have the latter whole."""
    before, after = step
    if before is not None and after is not None:
        after = [old if new is None else new for old, new in zip(before, after, strict=True)]
    return _read_entry(before), _read_entry(after)


def _read_entry(texts: Sequence[str | None] | None) -> ListEntry | None:
    if texts is None:
        return None
    return ListEntry(*convert(texts, tuple[str, PatternKind, Category, str, datetime]))
