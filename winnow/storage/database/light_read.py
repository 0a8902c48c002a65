"""Reading of your lists without SQLAlchemy, whose import takes longer than a check."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from winnow.core.errors import StartRefused
from winnow.core.own_lists.patterns import OwnLists, PatternKind
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.verdict import Category

_ENTRIES = "SELECT category, pattern, kind, note, added_at FROM own_entries WHERE account = ?"
_VERSIONS = {
    "own_list_versions": "SELECT version FROM own_list_versions WHERE account = ?",
    "own_files": "SELECT * FROM own_files WHERE account = ? AND sha256 IS NOT NULL "
    "ORDER BY file_id",  # those that are whole, which alone count; columns of any release
}
_FILES = "SELECT 1 FROM own_files WHERE account = ? LIMIT 1"
_MICROSECONDS_A_DAY = 86_400_000_000
_EPOCH = date(1970, 1, 1)
_TABLE = "SELECT 1 FROM sqlite_master WHERE name = ?"  # older releases had none
OwnRow = tuple[str, str, str, str, int]
"""Category, pattern, kind, note, and the time in microseconds since 1970, as they are stored."""


def read_own_lists(database: Path, account: str) -> OwnLists:
    """Return an account's lists from a database that is only read; none of an older release.

    Raises:
        StartRefused: The database cannot be read.
    """
    return build_own_lists(1, _read(database, "own_entries", _ENTRIES, account))


def has_own_files(database: Path, account: str) -> bool:
    """Return whether an account has own files of any kind; as ``read_own_lists``."""
    return bool(_read(database, "own_files", _FILES, account))


def read_versions(database: Path, account: str) -> list[Any]:
    """Return what differs after every change of own lists or own files; as ``read_own_lists``."""
    return [_read(database, table, query, account) for table, query in _VERSIONS.items()]


def _read(database: Path, table: str, query: str, account: str) -> list[Any]:
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
            has_table = connection.execute(_TABLE, (table,)).fetchone()
            return connection.execute(query, (account,)).fetchall() if has_table else []
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise StartRefused(f'"{database}" cannot be read: {error}') from error


def build_own_lists(version: int, rows: Sequence[OwnRow]) -> OwnLists:
    """Return lists from their rows; there may be a hundred thousand."""
    categories = {category.value: category for category in Category}
    reasons = {kind.value: kind.reason for kind in PatternKind}
    days = {
        day: _EPOCH + timedelta(days=day) for day in {row[4] // _MICROSECONDS_A_DAY for row in rows}
    }
    return OwnLists.build(
        version,
        [
            OwnEntry(
                categories[category], pattern, reasons[kind], note, days[at // _MICROSECONDS_A_DAY]
            )
            for category, pattern, kind, note, at in rows
        ],
    )
