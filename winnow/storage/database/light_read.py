"""Reading of your lists without SQLAlchemy, whose import takes longer than a check."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from winnow.core.errors import StartRefused
from winnow.core.own_lists.patterns import REASONS, OwnLists, PatternKind
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.verdict import Category

_ENTRIES = "SELECT category, pattern, kind, note, added_at FROM own_entries WHERE account = ?"
_TABLE = "SELECT 1 FROM sqlite_master WHERE name = 'own_entries'"  # 0.1 had none


def read_own_lists(database: Path, account: str) -> OwnLists:
    """Return an account's lists from a database that is only read; none of an older release.

    Raises:
        StartRefused: The database cannot be read.
    """
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
            if connection.execute(_TABLE).fetchone() is None:
                return OwnLists()
            rows = connection.execute(_ENTRIES, (account,)).fetchall()
    except sqlite3.Error as error:
        raise StartRefused(f'"{database}" cannot be read: {error}') from error
    return OwnLists.build(
        1,
        [
            OwnEntry(
                Category(category),
                pattern,
                REASONS[PatternKind(kind)],
                note,
                datetime.fromtimestamp(microseconds / 1e6, UTC).date(),
            )
            for category, pattern, kind, note, microseconds in rows
        ],
    )
