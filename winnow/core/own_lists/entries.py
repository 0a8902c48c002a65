"""Entries of the own lists, and their changes."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from winnow.core.own_lists.patterns import PatternKind
from winnow.core.verdicts.verdict import Category

ENTRIES_MAX = 100_000  # an account's; look-ups stay in memory
ENTRY_BYTES = 100  # besides its texts: with its places in two indexes


@dataclass(frozen=True, slots=True)
class ListEntry:
    """One entry; ``pattern`` as ``patterns.Pattern.text``, ``added_at`` in UTC."""

    pattern: str
    kind: PatternKind
    category: Category
    note: str
    added_at: datetime


def measure_entries(entries: Iterable[ListEntry | None]) -> int:
    """Return the bytes that entries take toward the quota; None takes none."""
    return sum(
        ENTRY_BYTES + len(entry.pattern.encode()) + len(entry.note.encode())
        for entry in entries
        if entry is not None
    )


def tag_entries(entries: Iterable[ListEntry]) -> str:
    """Return a text that differs where entries do, in any order."""
    texts = sorted(f"{one.pattern}\0{one.added_at.isoformat()}\0{one.note}\n" for one in entries)
    return hashlib.sha256("".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class OwnChange:
    """One change of the own lists, which can be undone.

    ``added``, ``changed`` and ``removed`` count entries. For a change of one entry, ``before`` and
    ``after`` are that entry; None: it was or is on no list. ``made_at`` in UTC.
    """

    change_id: int
    made_at: datetime
    added: int
    changed: int
    removed: int
    before: ListEntry | None = None
    after: ListEntry | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """Result of an undo: entries put back, and those left because they changed since."""

    entries: int
    left: int


@dataclass(frozen=True, slots=True)
class EntryPage:
    """One page of the entries that match, how many match, and how many there are in all."""

    entries: tuple[ListEntry, ...]
    matching: int
    total: int


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line of a file that was left out, and why; never its text."""

    line: int
    problem: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Result of an import. ``refused`` holds the first lines left out, of ``refused_count``.

    ``file_id`` is the id of the file as it was uploaded.
    """

    added: int
    changed: int
    refused: tuple[RefusedLine, ...]
    refused_count: int
    file_id: str
