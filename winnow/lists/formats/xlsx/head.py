"""Inspection of a workbook's sheets by their first rows, cheap at any size."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from winnow.core.errors import BadField, BrokenFile
from winnow.lists.formats.xlsx.archive import XlsxArchive, open_archive
from winnow.lists.formats.xlsx.book import SheetPart, read_book
from winnow.lists.formats.xlsx.markup import find_elements
from winnow.lists.formats.xlsx.references.formula import read_rows
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.text import CellTexts, open_texts
from winnow.lists.inspection.columns import EMAIL
from winnow.lists.inspection.first_row import SEARCH_ROWS, locate_first_row

SAMPLE_ROWS = 20
MAX_ROWS_SEEN = 20_000  # blank rows do not count as samples, yet end somewhere
MAX_FIRST_BYTES = 64 << 20
MAX_FIRST_CELLS = 4_000_000  # 40 rows that reach the last column take 655,360
MAX_STRING_BYTES = 1 << 30  # on the disk, as far as first rows of any sheet refer to them

Rows = Sequence[tuple[int, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class XlsxSheet:
    """One worksheet as a reader would see it.

    ``first_rows`` are all the rows with values that were looked at, with their numbers, from
    column A on; ``header_place`` says which of them is the header, titles may be above it.
    ``last_row`` is the sheet's last one by the workbook's own word, None where it gives none.
    """

    name: str
    visible: bool
    first_rows: tuple[tuple[int, tuple[str, ...]], ...] = ()
    header_place: int = 0
    last_row: int | None = None
    is_whole: bool = True  # there are no more than ``first_rows``
    row_estimate: int = field(default=0, compare=False)  # by the size of the rows that were read

    @property
    def header_row(self) -> int:
        """The number of the header's row."""
        return self.first_rows[self.header_place][0] if self.first_rows else 1

    @property
    def columns(self) -> tuple[str, ...]:
        """The header's texts unchanged, without BOM, up to the last that is not empty."""
        if not self.first_rows:
            return ()
        first, *others = self.first_rows[self.header_place][1]
        return (first.removeprefix("\ufeff"), *others)

    @property
    def sample_rows(self) -> tuple[tuple[str, ...], ...]:
        """The first rows below the header, each at least as wide."""
        below = self.first_rows[self.header_place + 1 :][:SAMPLE_ROWS]
        return tuple((*row, *[""] * (len(self.columns) - len(row))) for _, row in below)

    @property
    def row_count(self) -> int | None:
        """How many rows are below the header, by the workbook's own word for more than a few.

        None where it gives none, or one that is not true.
        """
        seen = len(self.first_rows[self.header_place + 1 :])
        if self.is_whole:
            return seen
        stated = (self.last_row or 0) - self.header_row
        return stated if stated >= seen else None

    def begin_at(self, number: int) -> "XlsxSheet":
        """Return the sheet with its header in another row, or in the next with a value.

        Raises:
            BadField: It is none of the first rows.
        """
        for place, (row, _) in enumerate(self.first_rows):
            if row >= number > 0:
                return replace(self, header_place=place)
        raise BadField("header", "the list has no such row", hint="Choose one of its first rows.")


def read_xlsx_head(
    path: Path, email_column: str = EMAIL, scratch: Path | None = None
) -> list[XlsxSheet]:
    """Read names, header and first rows of every worksheet in order; chart sheets are left out.

    Args:
        path: The workbook.
        email_column: The name of the column that was asked for.
        scratch: A folder for temporary files; None: the system's.

    Raises:
        UnsupportedFormat: The content is not an .xlsx workbook (CSV, .xls, .ods, macros …).
        BrokenFile: Password-protected, truncated, hostile or damaged.
    """
    with open_archive(path) as archive:
        book = read_book(archive)
        with open_texts(archive, book, scratch, MAX_STRING_BYTES) as texts:
            budget = _Budget()
            return [
                _read_sheet(archive, sheet, texts, email_column, budget) for sheet in book.sheets
            ]


class _Budget:
    """How much of the first rows is kept, over all sheets."""

    def __init__(self) -> None:
        self._bytes = MAX_FIRST_BYTES
        self._cells = MAX_FIRST_CELLS

    def take(self, rows: Rows) -> None:
        """Take the share of some rows.

        Raises:
            BrokenFile: Nothing is left.
        """
        self._bytes -= sum(len(text) for _, row in rows for text in row)
        self._cells -= sum(len(row) for _, row in rows)
        if self._bytes < 0 or self._cells < 0:
            raise BrokenFile(
                "The first rows of the workbook's sheets are too large to look into.",
                hint="Save the sheet with the list as a workbook of its own.",
            )


def _read_sheet(
    archive: XlsxArchive, sheet: SheetPart, texts: CellTexts, email_column: str, budget: _Budget
) -> XlsxSheet:
    stream = SheetStream(archive, sheet.part, sheet.name, MAX_FIRST_BYTES)
    rows: list[tuple[int, tuple[str, ...]]] = []
    left, unseen = SEARCH_ROWS + SAMPLE_ROWS, MAX_ROWS_SEEN
    for block in stream.blocks(texts.read, left):
        is_wanted = np.zeros(block.row_count, np.bool_)
        is_wanted[np.unique(block.rows[block.is_filled])[:left]] = True
        is_wanted[unseen:] = False
        first = block.list_rows(is_wanted)
        budget.take(first)
        rows += first
        left -= len(first)
        unseen -= block.row_count
        if not left or unseen <= 0:
            break
    found = XlsxSheet(
        sheet.name,
        sheet.visible,
        tuple(rows),
        last_row=_read_last_row(stream.head),
        is_whole=left > 0 and unseen > 0 and not stream.is_cut_off,
        row_estimate=stream.rows_done * archive.size_bytes(sheet.part) // max(1, stream.bytes_done),
    )
    place = locate_first_row([row for _, row in rows], email_column) if rows else 0
    return replace(found, header_place=place)


def _read_last_row(head: bytes) -> int | None:
    areas = [element.get("ref") for element in find_elements(head, "dimension")]
    rows = read_rows(areas[0]) if areas and ":" in areas[0] else None
    return rows[1] if rows is not None else None
