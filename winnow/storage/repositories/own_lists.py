"""The entries of the accounts' own lists. Each change is one transaction with a new version."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    delete,
    func,
    insert,
    or_,
    select,
    type_coerce,
    update,
)

from winnow.core.errors import BadField
from winnow.core.own_lists.entries import ListEntry, Undone
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.verdicts.verdict import Category
from winnow.storage.database.database import Database, value_from_row
from winnow.storage.database.light_read import build_own_lists
from winnow.storage.database.tables import own_entries, own_list_versions
from winnow.storage.repositories.own_changes import Step, record_change, take_change
from winnow.words import mark_many

_PATTERNS_PER_STATEMENT = 500


def read_version(database: Database, account: str) -> int:
    """Return a number that differs after every change; 0 before the first."""
    with database.read() as connection:
        return _read_version(connection, account)


def read_entries(database: Database, account: str) -> tuple[ListEntry, ...]:
    """Return all entries, the newest first."""
    with database.read() as connection:
        return _read(connection, _of(account), None, None)


def read_own_lists(database: Database, account: str) -> OwnLists:
    """Return an account's lists of one moment, ready for look-ups."""
    columns = own_entries.c
    statement = select(
        columns.category,
        columns.pattern,
        columns.kind,
        columns.note,
        type_coerce(columns.added_at, BigInteger),
    ).where(_of(account))
    with database.read() as connection:
        version = _read_version(connection, account)
        found = connection.execute(statement).all()
    return build_own_lists(version, [tuple(row) for row in found])


def list_entries(
    database: Database,
    account: str,
    *,
    search: str,
    category: Category | None,
    offset: int,
    limit: int,
) -> tuple[tuple[ListEntry, ...], int]:
    """Return one page of the entries that match, the newest first, and how many match.

    ``search`` is part of a pattern or of a note, ASCII case aside.
    """
    where = _of(account)
    if category is not None:
        where &= own_entries.c.category == category.value
    if search:
        where &= or_(
            own_entries.c.pattern.icontains(search, autoescape=True),
            own_entries.c.note.icontains(search, autoescape=True),
        )
    with database.read() as connection:
        matching = connection.execute(
            select(func.count()).select_from(own_entries).where(where)
        ).scalar_one()
        return _read(connection, where, offset, limit), int(matching)


def put_entries(
    database: Database,
    account: str,
    entries: Sequence[ListEntry],
    *,
    most: int,
    now: datetime,
    replaces: Category | None = None,
) -> tuple[int, int]:
    """Add entries; an existing pattern gets the new category and note, and keeps its date.

    ``replaces``: all other entries of this category are removed. The change can be undone.

    Returns:
        How many were added, and how many existing ones were changed.

    Raises:
        BadField: The account would have more than ``most``; nothing was changed.
    """
    with database.write() as connection:
        known = _find(connection, account, [entry.pattern for entry in entries])
        steps: list[Step] = []
        for entry in entries:
            before = known.get(entry.pattern)
            after = replace(entry, added_at=before.added_at) if before else entry
            steps += [(before, after)] if before != after else []
        if replaces is not None:
            named = {entry.pattern for entry in entries}
            where = _of(account) & (own_entries.c.category == replaces.value)
            there = _read(connection, where, None, None)
            steps += [(entry, None) for entry in there if entry.pattern not in named]
        _apply(connection, account, steps, most)
        if steps:
            record_change(connection, account, steps, now)
    added = sum(before is None for before, _ in steps)
    removed = sum(after is None for _, after in steps)
    return added, len(steps) - added - removed


def remove_entries(database: Database, account: str, patterns: Iterable[str], now: datetime) -> int:
    """Remove entries by their patterns; return how many were there. The change can be undone."""
    with database.write() as connection:
        known = _find(connection, account, list(patterns))
        steps: list[Step] = [(entry, None) for entry in known.values()]
        _apply(connection, account, steps, most=None)
        if steps:
            record_change(connection, account, steps, now)
    return len(known)


def undo_change(database: Database, account: str, change_id: int, *, most: int) -> Undone | None:
    """Undo a change of entries that were not changed since, and delete the change.

    Returns:
        The entries restored; None if the change is no longer stored.

    Raises:
        BadField: The account would have more than ``most``; nothing was changed.
    """
    with database.write() as connection:
        steps = take_change(connection, account, change_id)
        if steps is None:
            return None
        named = [entry.pattern for step in steps for entry in step if entry is not None]
        known = _find(connection, account, named)
        back = [
            (after, before) for before, after in steps if known.get(_name(before, after)) == after
        ]
        _apply(connection, account, back, most)
    return Undone(len(back), len(steps) - len(back))


def _find(connection: Connection, account: str, patterns: Sequence[str]) -> dict[str, ListEntry]:
    found: dict[str, ListEntry] = {}
    for start in range(0, len(patterns), _PATTERNS_PER_STATEMENT):
        some = patterns[start : start + _PATTERNS_PER_STATEMENT]
        where = _of(account) & own_entries.c.pattern.in_(some)
        found |= {entry.pattern: entry for entry in _read(connection, where, None, None)}
    return found


def _name(before: ListEntry | None, after: ListEntry | None) -> str:
    entry = after or before
    return "" if entry is None else entry.pattern


def _apply(connection: Connection, account: str, steps: Sequence[Step], most: int | None) -> None:
    old = [before.pattern for before, _ in steps if before is not None]
    new = [after for _, after in steps if after is not None]
    if most is not None and len(new) > len(old):
        _require_room(connection, account, len(new) - len(old), most)
    for start in range(0, len(old), _PATTERNS_PER_STATEMENT):
        some = old[start : start + _PATTERNS_PER_STATEMENT]
        connection.execute(delete(own_entries).where(_of(account), own_entries.c.pattern.in_(some)))
    if new:
        connection.execute(
            insert(own_entries), [{"account": account, **_to_row(entry)} for entry in new]
        )
    if steps:
        _advance(connection, account)


def _to_row(entry: ListEntry) -> dict[str, Any]:
    """Return the columns of an entry. ``asdict`` takes ten times as long: it copies each value."""
    return {name: getattr(entry, name) for name in ListEntry.__slots__}


def _require_room(connection: Connection, account: str, more: int, most: int) -> None:
    count = select(func.count()).select_from(own_entries).where(_of(account))
    wanted = int(connection.execute(count).scalar_one()) + more
    if wanted > most:
        raise BadField(
            "your lists",
            "would have {entries}; {most} is the most",
            entries=mark_many(wanted, "{count} entry", "{count} entries"),
            most=most,
            hint="Remove entries that are not needed, or use wildcards.",
        )


def find_entry(database: Database, account: str, pattern: str) -> ListEntry | None:
    """Return the entry with this pattern."""
    where = _of(account) & (own_entries.c.pattern == pattern)
    with database.read() as connection:
        return next(iter(_read(connection, where, 0, 1)), None)


def _of(account: str) -> ColumnElement[bool]:
    return own_entries.c.account == account


def _read_version(connection: Connection, account: str) -> int:
    statement = select(own_list_versions.c.version).where(own_list_versions.c.account == account)
    return int(connection.execute(statement).scalar() or 0)


def _read(
    connection: Connection, where: ColumnElement[bool], offset: int | None, limit: int | None
) -> tuple[ListEntry, ...]:
    statement = (
        select(own_entries)
        .where(where)
        .order_by(own_entries.c.added_at.desc(), own_entries.c.pattern)
        .offset(offset)
        .limit(limit)
    )
    return tuple(value_from_row(row, ListEntry) for row in connection.execute(statement))


def _advance(connection: Connection, account: str) -> None:
    moved = connection.execute(
        update(own_list_versions)
        .where(own_list_versions.c.account == account)
        .values(version=own_list_versions.c.version + 1)
    ).rowcount
    if not moved:
        connection.execute(insert(own_list_versions).values(account=account, version=1))
