"""The entries of the accounts' own lists. Each change is one transaction with a new version."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Row,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    type_coerce,
    update,
)

from backend.core.errors import BadField
from backend.core.facts import OwnEntry
from backend.core.own_entries import ListEntry
from backend.core.own_lists import REASONS, OwnLists, PatternKind
from backend.core.verdict import Category
from backend.store.database import Database
from backend.store.tables import own_entries, own_list_versions

_PATTERNS_PER_STATEMENT = 500
_MICROSECONDS_A_DAY = 86_400_000_000
_EPOCH = date(1970, 1, 1)


def read_version(database: Database, account: str) -> int:
    """Return a number that is another one after every change; 0 before the first."""
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
    categories = {category.value: category for category in Category}
    reasons = {kind.value: reason for kind, reason in REASONS.items()}
    with database.read() as connection:
        version = _read_version(connection, account)
        found = connection.execute(statement).all()
    days = {
        day: _EPOCH + timedelta(days=day)
        for day in {row[4] // _MICROSECONDS_A_DAY for row in found}
    }
    return OwnLists.build(
        version,
        [
            OwnEntry(
                categories[category], pattern, reasons[kind], note, days[at // _MICROSECONDS_A_DAY]
            )
            for category, pattern, kind, note, at in found
        ],
    )


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
    database: Database, account: str, entries: Sequence[ListEntry], *, most: int
) -> tuple[int, int]:
    """Add entries; one whose pattern is there gets the new category and note, and keeps its day.

    Returns:
        How many were added, and how many were there already.

    Raises:
        BadField: The account would have more than ``most``; nothing was changed.
    """
    with database.write() as connection:
        known = set(connection.execute(select(own_entries.c.pattern).where(_of(account))).scalars())
        new = [entry for entry in entries if entry.pattern not in known]
        changed = [entry for entry in entries if entry.pattern in known]
        if len(known) + len(new) > most:
            raise BadField(
                "own lists",
                f"would have {len(known) + len(new):,} entries; {most:,} is the most",
                hint="Remove entries that are not needed, or use wildcards.",
            )
        if new:
            connection.execute(
                insert(own_entries), [{"account": account, **_to_row(entry)} for entry in new]
            )
        if changed:
            connection.execute(
                update(own_entries)
                .where(_of(account), own_entries.c.pattern == bindparam("wanted"))
                .values(category=bindparam("new_category"), note=bindparam("new_note")),
                [
                    {
                        "wanted": entry.pattern,
                        "new_category": entry.category.value,
                        "new_note": entry.note,
                    }
                    for entry in changed
                ],
            )
        if entries:
            _advance(connection, account)
    return len(new), len(changed)


def remove_entries(database: Database, account: str, patterns: Iterable[str]) -> int:
    """Remove entries by their patterns; return how many were there."""
    wanted = list(patterns)
    removed = 0
    with database.write() as connection:
        for start in range(0, len(wanted), _PATTERNS_PER_STATEMENT):
            some = wanted[start : start + _PATTERNS_PER_STATEMENT]
            removed += connection.execute(
                delete(own_entries).where(_of(account), own_entries.c.pattern.in_(some))
            ).rowcount
        if removed:
            _advance(connection, account)
    return removed


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
    return tuple(_to_entry(row) for row in connection.execute(statement))


def _advance(connection: Connection, account: str) -> None:
    moved = connection.execute(
        update(own_list_versions)
        .where(own_list_versions.c.account == account)
        .values(version=own_list_versions.c.version + 1)
    ).rowcount
    if not moved:
        connection.execute(insert(own_list_versions).values(account=account, version=1))


def _to_row(entry: ListEntry) -> dict[str, object]:
    return {
        "pattern": entry.pattern,
        "kind": entry.kind.value,
        "category": entry.category.value,
        "note": entry.note,
        "added_at": entry.added_at,
    }


def _to_entry(row: Row[tuple[object, ...]]) -> ListEntry:
    return ListEntry(
        row.pattern, PatternKind(row.kind), Category(row.category), row.note, row.added_at
    )
