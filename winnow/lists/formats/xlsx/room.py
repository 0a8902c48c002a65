"""How much room a workbook's result can take at most.

It is packed anew and its cells are written once more as text, so it is measured by its parts, with
a margin.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from winnow.core.tasks.task import InputPlan
from winnow.lists.formats.xlsx.archive import open_archive
from winnow.lists.formats.xlsx.book import read_book
from winnow.lists.formats.xlsx.cells import column_letters
from winnow.lists.formats.xlsx.sheet_structure import find_sheet
from winnow.lists.result.added_columns import ADDED
from winnow.lists.result.empty_runs import LONGEST_PLAIN
from winnow.lists.result.row_room import RowCounts

_SHEET_ROW_BYTES = 12 * ADDED.count  # repetitive cells, packed; some five bytes each in fact
_REPACKED = 3, 2  # times its size, packed again with less effort; 1.3 at most was seen
_REPEATED = 2  # a string in many cells may be longer than the mean


def bound_workbook_bytes(path: Path, plan: InputPlan) -> int:
    """Return the most that a run writes for a workbook.

    Raises:
        BrokenFile: It cannot be read through.
    """
    names = RowCounts(ord("<"))  # a tag ends what stands before it
    rows = cells = strings = 0
    beyond, reaches_far = _match_columns_beyond(len(plan.columns)), False
    with open_archive(path) as archive:
        book = read_book(archive)
        sheet_text = string_text = references = 0
        for part in _overlap(archive.stream(find_sheet(book, plan.sheet).part)):
            names.feed(part)
            sheet_text += _count_text(part)
            rows += part.count(b"<row") + part.count(b":row")
            cells += part.count(b"<c ") + part.count(b"<c>") + part.count(b":c ")
            reaches_far = reaches_far or beyond.search(part) is not None
            references += part.count(b'"s"') + part.count(b"'s'")
        if book.shared_strings is not None:
            for part in _overlap(archive.stream(book.shared_strings)):
                names.feed(part)
                string_text += _count_text(part)
                strings += part.count(b"<si") + part.count(b":si")
    names.finish()
    separators = LONGEST_PLAIN * (cells + rows)
    if not reaches_far:
        separators = min(separators, rows * len(plan.columns) + cells)
    repeated = max(0, references - strings) * _REPEATED * string_text // max(1, strings)
    names.rows = names.blank_lines = rows  # a sheet need not name its blank rows
    times, by = _REPACKED
    return (
        path.stat().st_size * times // by
        + rows * _SHEET_ROW_BYTES
        + sheet_text
        + string_text
        + repeated
        + 2 * cells  # quotes
        + separators
        + names.bound_index_bytes()
        + (1 << 16)
    )


def _match_columns_beyond(count: int) -> re.Pattern[bytes]:
    """Match a reference to a column behind so many, and maybe what only looks like one."""
    last = column_letters(count - 1)
    behind = [
        last[:place] + b"[%c-Z]" % (letter + 1) + b"[A-Z]" * (len(last) - place - 1)
        for place, letter in enumerate(last)
        if letter < ord("Z")
    ]
    longer = b"[A-Z]" * (len(last) + 1) + b"+"
    return re.compile(b"[\"'](?:" + b"|".join((longer, *behind)) + b")[0-9]|[\"']&")


def _count_text(part: bytes) -> int:
    """Return the bytes of XML that stand in no tag, or a few more."""
    data = np.frombuffer(part, np.uint8)
    opens, closes = np.flatnonzero(data == ord("<")), np.flatnonzero(data == ord(">"))
    places = np.searchsorted(closes, opens)
    is_whole = places < len(closes)
    tags = closes[places[is_whole]] - opens[is_whole] + 1
    return len(part) - int(tags.sum())


def _overlap(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield chunks with the last tag of the one before in front: what lies across both is met."""
    tail = b""
    for chunk in chunks:
        yield tail + chunk
        start = chunk.rfind(b"<")
        tail = chunk[start:] if start >= 0 and len(chunk) - start < 1024 else chunk[-16:]
