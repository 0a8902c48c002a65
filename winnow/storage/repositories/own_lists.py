"""The entries of the accounts' own lists. Each change is one transaction with a new version."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    delete,
    func,
    or_,
    select,
    type_coerce,
)
from sqlalchemy.dialects.sqlite import insert

from winnow.core.errors import BadField, ListChanged
from winnow.core.own_lists.entries import (
    ENTRIES_MAX,
    EntryPage,
    ListEntry,
    Undone,
    measure_entries,
    tag_entries,
)
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.verdicts.verdict import Category
from winnow.storage.database.database import Database, upsert, value_from_row
from winnow.storage.database.light_read import build_own_lists
from winnow.storage.database.tables import own_entries, own_list_versions
from winnow.storage.repositories import quota
from winnow.storage.repositories.own_changes import Step, record_change, take_change
from winnow.words import translatable_many

_PATTERNS_PER_STATEMENT = 500
_NEWEST_FIRST = (own_entries.c.added_at.desc(), own_entries.c.pattern)


def read_version(database: Database, account: str) -> int:
    """Return a number that differs after every change; 0 before the first."""
    with database.reading() as connection:
        return _read_version(connection, account)


def read_entries(database: Database, account: str) -> tuple[ListEntry, ...]:
    """Return all entries, the newest first."""
    with database.reading() as connection:
        return _read(connection, select(own_entries).where(_of(account)).order_by(*_NEWEST_FIRST))


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
    with database.reading() as connection:
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
) -> EntryPage:
    """Return one page of the entries that match, the newest first.

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
    page = select(own_entries).where(where).order_by(*_NEWEST_FIRST).offset(offset).limit(limit)
    with database.reading() as connection:
        return EntryPage(
            _read(connection, page), _count(connection, where), _count(connection, _of(account))
        )


def put_entries(
    database: Database,
    account: str,
    entries: Sequence[ListEntry],
    *,
    now: datetime,
    replaces: Category | None = None,
    expects: Collection[str] | None = None,
    keeps_notes: bool = False,
) -> tuple[int, int]:
    """Add entries; an existing pattern gets the new category and note, and keeps its date.

    With ``keeps_notes`` it keeps its note, too.

    ``replaces``: all other entries of this category are removed, if those there are have one of
    the tags that it ``expects``; None: whatever they are. The change can be undone.

    Returns:
        How many were added, and how many existing ones were changed.

    Raises:
        BadField: The account would have more than ``ENTRIES_MAX``; nothing was changed.
        QuotaExceeded: There is no space for them and their undo; nothing was changed.
        ListChanged: The list has another tag; nothing was changed.
    """
    named = {entry.pattern for entry in entries}
    with database.writing() as connection:
        known = _find(connection, account, named if replaces is None else None)
        steps: list[Step] = []
        for entry in entries:
            before = known.get(entry.pattern)
            after = replace(entry, added_at=before.added_at) if before else entry
            if before and keeps_notes:
                after = replace(after, note=before.note)
            steps += [(before, after)] if before != after else []
        if replaces is not None:
            there = [entry for entry in known.values() if entry.category is replaces]
            if expects is not None and tag_entries(there) not in expects:
                raise ListChanged
            steps += [(entry, None) for entry in there if entry.pattern not in named]
        if steps:
            taken = record_change(connection, account, steps, now)
            _apply(connection, account, steps, taken)
    added = sum(before is None for before, _ in steps)
    removed = sum(after is None for _, after in steps)
    return added, len(steps) - added - removed


def remove_entries(
    database: Database,
    account: str,
    patterns: Collection[str],
    now: datetime,
    category: Category | None = None,
) -> int:
    """Remove entries by their patterns; return how many were there. The change can be undone.

    Only those of ``category``; None: of any.
    """
    with database.writing() as connection:
        known = _find(connection, account, patterns).values()
        gone = [one for one in known if category in (None, one.category)]
        steps: list[Step] = [(entry, None) for entry in gone]
        if steps:  # what they took, their undo takes now: it always fits
            taken = record_change(connection, account, steps, now)
            _apply(connection, account, steps, taken)
    return len(gone)


def undo_change(database: Database, account: str, change_id: int) -> Undone | None:
    """Undo a change of entries that were not changed since, and delete the change.

    Returns:
        The entries restored; None if the change is no longer stored.

    Raises:
        BadField: The account would have more than ``ENTRIES_MAX``; nothing was changed.
        QuotaExceeded: The change is one of 0.2, which did not count; nothing was changed.
    """
    with database.writing() as connection:
        found = take_change(connection, account, change_id)
        if found is None:
            return None
        steps, freed = found
        named = [entry.pattern for step in steps for entry in step if entry is not None]
        known = _find(connection, account, named)
        back = [
            (after, before) for before, after in steps if known.get(_name(before, after)) == after
        ]
        _apply(connection, account, back, -freed)
    return Undone(len(back), len(steps) - len(back))


def _find(
    connection: Connection, account: str, patterns: Collection[str] | None
) -> dict[str, ListEntry]:
    """Return entries by their patterns; None: all."""
    statement = select(own_entries).where(_of(account))
    if patterns is not None and len(patterns) <= _PATTERNS_PER_STATEMENT:
        statement = statement.where(own_entries.c.pattern.in_(patterns))
    found = {entry.pattern: entry for entry in _read(connection, statement)}
    return found if patterns is None else {name: found[name] for name in patterns if name in found}


def _name(before: ListEntry | None, after: ListEntry | None) -> str:
    entry = after or before
    return "" if entry is None else entry.pattern


def _apply(connection: Connection, account: str, steps: Sequence[Step], taken: int) -> None:
    """Take steps within ``ENTRIES_MAX`` and the quota; undo takes ``taken`` bytes more of it."""
    old = [before for before, _ in steps if before is not None]
    new = [after for _, after in steps if after is not None]
    if len(new) > len(old):
        _require_room(connection, account, len(new) - len(old))
    quota.use(connection, account, taken + measure_entries(new) - measure_entries(old))
    gone = [before.pattern for before, after in steps if before is not None and after is None]
    for start in range(0, len(gone), _PATTERNS_PER_STATEMENT):
        some = gone[start : start + _PATTERNS_PER_STATEMENT]
        connection.execute(delete(own_entries).where(_of(account), own_entries.c.pattern.in_(some)))
    if new:
        put = insert(own_entries)
        put = put.on_conflict_do_update(  # the date stays, and with it the index
            set_={"category": put.excluded.category, "note": put.excluded.note}
        )
        names = ListEntry.__slots__  # ``asdict`` takes ten times as long: it copies each value
        rows = ({name: getattr(entry, name) for name in names} for entry in new)
        connection.execute(put, [{"account": account, **row} for row in rows])
    if steps:
        version = {"account": account, "version": 1}
        upsert(connection, own_list_versions, [version], adds=("version",))


def _require_room(connection: Connection, account: str, more: int) -> None:
    wanted = _count(connection, _of(account)) + more
    if wanted > ENTRIES_MAX:
        raise BadField(
            "your lists",
            "would have {entries}; {most} is the most",
            entries=translatable_many(wanted, "{count} entry", "{count} entries"),
            most=ENTRIES_MAX,
            hint="Remove entries that are not needed, or use wildcards.",
        )


def find_entry(database: Database, account: str, pattern: str) -> ListEntry | None:
    """Return the entry with this pattern."""
    with database.reading() as connection:
        return _find(connection, account, [pattern]).get(pattern)


def _count(connection: Connection, where: ColumnElement[bool]) -> int:
    return connection.execute(
        select(func.count()).select_from(own_entries).where(where)
    ).scalar_one()


def _of(account: str) -> ColumnElement[bool]:
    return own_entries.c.account == account


def _read_version(connection: Connection, account: str) -> int:
    statement = select(own_list_versions.c.version).where(own_list_versions.c.account == account)
    return int(connection.execute(statement).scalar() or 0)


def _read(connection: Connection, statement: Select[Any]) -> tuple[ListEntry, ...]:
    return tuple(value_from_row(row, ListEntry) for row in connection.execute(statement))
