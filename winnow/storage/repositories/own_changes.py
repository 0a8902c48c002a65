"""Changes of the own lists, stored for undo: each entry before and after."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import convert, to_builtins
from sqlalchemy import Connection, case, delete, insert, null, select

from winnow.core.own_lists.entries import ListEntry, OwnChange
from winnow.core.own_lists.patterns import PatternKind
from winnow.core.verdicts.verdict import Category
from winnow.storage.database.database import Database
from winnow.storage.database.tables import own_changes

KEPT_PER_ACCOUNT = 20
Step = tuple[ListEntry | None, ListEntry | None]
"""An entry before and after a change; None where it is on no list."""


def record_change(
    connection: Connection, account: str, steps: Sequence[Step], now: datetime
) -> None:
    """Store a change within its own transaction, and delete the oldest beyond the bound."""
    counts = [(before is None, after is None) for before, after in steps]
    connection.execute(
        insert(own_changes).values(
            account=account,
            made_at=now,
            added=counts.count((True, False)),
            changed=counts.count((False, False)),
            removed=counts.count((False, True)),
            steps=[[_to_json(before), _to_json(after)] for before, after in steps],
        )
    )
    newest = (
        select(own_changes.c.change_id)
        .where(own_changes.c.account == account)
        .order_by(own_changes.c.change_id.desc())
        .limit(KEPT_PER_ACCOUNT)
    )
    connection.execute(
        delete(own_changes).where(
            own_changes.c.account == account, own_changes.c.change_id.not_in(newest)
        )
    )


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
        OwnChange(*row[:5], *(map(_from_json, row.steps[0]) if row.steps else (None, None)))
        for row in found
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


def take_change(connection: Connection, account: str, change_id: int) -> list[Step] | None:
    """Return the steps of a change and delete it; None if it is no longer stored."""
    where = (own_changes.c.account == account) & (own_changes.c.change_id == change_id)
    steps = connection.execute(select(own_changes.c.steps).where(where)).scalar()
    if steps is None:
        return None
    connection.execute(delete(own_changes).where(where))
    return [(_from_json(before), _from_json(after)) for before, after in steps]


def _to_json(entry: ListEntry | None) -> list[str] | None:
    if entry is None:
        return None
    added_at: str = to_builtins(entry.added_at)
    return [entry.pattern, entry.kind.value, entry.category.value, entry.note, added_at]


def _from_json(value: list[Any] | None) -> ListEntry | None:
    if value is None:
        return None
    return ListEntry(*convert(value, tuple[str, PatternKind, Category, str, datetime]))
