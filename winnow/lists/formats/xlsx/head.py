"""Inspection of a workbook's sheets by their first rows, cheap at any size."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from winnow.core.errors import BadField, BrokenFile
from winnow.lists.formats.xlsx.archive import XlsxArchive, open_archive
from winnow.lists.formats.xlsx.book import Book, SheetPart, read_book
from winnow.lists.formats.xlsx.cells import CellBlock, MalformedRow
from winnow.lists.formats.xlsx.references.formula import read_rows
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.strings import load_shared_strings
from winnow.lists.formats.xlsx.text import CellTexts, load_number_formats
from winnow.lists.formats.xlsx.xml import read_attributes
from winnow.lists.inspection.columns import EMAIL
from winnow.lists.inspection.first_row import SEARCH_ROWS, locate_first_row

SAMPLE_ROWS = 20
MAX_ROWS_SEEN = 20_000  # blank rows do not count as samples, yet end somewhere
MAX_FIRST_BYTES = 64 << 20
MAX_FIRST_CELLS = 1_000_000  # 40 rows that are full to the last column take two thirds

_DIMENSION = re.compile(rb"<(?:[\w.-]+:)?dimension\b([^>]*)>")


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
        return strip_bom(self.first_rows[self.header_place][1]) if self.first_rows else ()

    @property
    def sample_rows(self) -> tuple[tuple[str, ...], ...]:
        """The first rows below the header, each at least as wide."""
        width = len(self.columns)
        return tuple((*row, *[""] * (width - len(row))) for _, row in self._list_below())

    @property
    def row_numbers(self) -> tuple[int, ...]:
        """The numbers of the sample's rows."""
        return tuple(number for number, _ in self._list_below())

    @property
    def rows_above(self) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """The rows with values above the header."""
        return self.first_rows[: self.header_place]

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

    def _list_below(self) -> tuple[tuple[int, tuple[str, ...]], ...]:
        return self.first_rows[self.header_place + 1 :][:SAMPLE_ROWS]


def read_xlsx_head(path: Path, email_column: str = EMAIL) -> list[XlsxSheet]:
    """Read names, header and first rows of every worksheet in order; chart sheets are left out.

    Args:
        path: The workbook.
        email_column: The name of the column that was asked for.

    Raises:
        UnsupportedFormat: The content is not an .xlsx workbook (CSV, .xls, .ods, macros …).
        BrokenFile: Password-protected, truncated, hostile or damaged.
    """
    with open_archive(path) as archive:
        book = read_book(archive)
        return _read_sheets(archive, book, book.sheets, email_column)


def read_sheet_head(archive: XlsxArchive, book: Book, sheet: SheetPart) -> XlsxSheet:
    """Read the first rows of one sheet; errors are those of ``read_xlsx_head``."""
    [found] = _read_sheets(archive, book, [sheet], EMAIL)
    return found


def _read_sheets(
    archive: XlsxArchive, book: Book, sheets: Sequence[SheetPart], email_column: str
) -> list[XlsxSheet]:
    budget = _Budget()
    firsts = [_read_first_rows(archive, sheet, budget) for sheet in sheets]
    formats = load_number_formats(archive, book)
    try:
        wanted = [block.shared for _, blocks in firsts for block in blocks]
        indices = np.concatenate([np.empty(0, np.int64), *wanted])
        texts = CellTexts(load_shared_strings(archive, book, None, indices[indices >= 0]), formats)
        return [_put_rows(sheet, blocks, texts, email_column) for sheet, blocks in firsts]
    except MalformedRow as error:
        raise BrokenFile(
            "The workbook has cells that cannot be read.",
            hint="Open it in a spreadsheet program and save it again as .xlsx.",
        ) from error


class _Budget:
    """How much of the first rows is kept, over all sheets."""

    def __init__(self) -> None:
        self._bytes = MAX_FIRST_BYTES
        self._cells = MAX_FIRST_CELLS

    def take(self, block: CellBlock) -> None:
        """Take the share of some rows.

        Raises:
            BrokenFile: Nothing is left.
        """
        self._bytes -= sum(len(text) for text in (*block.values, *block.rests) if text)
        self._cells -= len(block.values)
        if self._bytes < 0 or self._cells < 0:
            raise BrokenFile(
                "The first rows of the workbook's sheets are too large to look into.",
                hint="Save the sheet with the list as a workbook of its own.",
            )


def _read_first_rows(
    archive: XlsxArchive, sheet: SheetPart, budget: _Budget
) -> tuple[XlsxSheet, list[CellBlock]]:
    """Return a sheet without its rows, and the cells of these."""
    stream = SheetStream(archive, sheet.part, sheet.name, MAX_FIRST_BYTES)
    blocks: list[CellBlock] = []
    left, unseen = SEARCH_ROWS + SAMPLE_ROWS, MAX_ROWS_SEEN
    for block in stream.blocks():
        is_filled = np.array([bool(value and value.strip()) for value in block.values], np.bool_)
        is_filled |= block.shared >= 0
        is_wanted = np.zeros(len(block.numbers), np.bool_)
        is_wanted[np.unique(block.rows[is_filled])[:left]] = True
        is_wanted[unseen:] = False
        first = block.pick(is_wanted, is_filled)
        budget.take(first)
        blocks.append(first)
        left -= len(first.numbers)
        unseen -= len(block.numbers)
        if not left or unseen <= 0:
            break
    seen = MAX_ROWS_SEEN - unseen
    found = XlsxSheet(
        sheet.name,
        sheet.visible,
        last_row=_read_last_row(stream.head),
        is_whole=left > 0 and unseen > 0 and not stream.is_cut_off,
        row_estimate=seen * archive.size_bytes(sheet.part) // max(1, stream.bytes_done),
    )
    return found, blocks


def _put_rows(
    sheet: XlsxSheet, blocks: Sequence[CellBlock], texts: CellTexts, email_column: str
) -> XlsxSheet:
    """Return a sheet with its first rows; its header is where that of a list seems to be."""
    rows = [row for block in blocks for some in texts.read(block) for row in some.list_rows()]
    rows = [(number, row) for number, row in rows if any(text.strip() for text in row)]
    if not rows:
        return sheet
    numbers = [number for number, _ in rows]
    gaps = [place for place in range(1, len(numbers)) if numbers[place] > numbers[place - 1] + 1]
    place = locate_first_row([row for _, row in rows], gaps, email_column)
    return replace(sheet, first_rows=tuple(rows), header_place=place)


def strip_bom(columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return column names without the BOM that a careless import left before the first."""
    return (columns[0].removeprefix("\ufeff"), *columns[1:]) if columns else columns


def _read_last_row(head: bytes) -> int | None:
    match = _DIMENSION.search(head)
    if match is None:
        return None
    area = read_attributes(match[1]).get(b"ref", b"")
    rows = read_rows(area)
    return rows[1] if rows is not None and b":" in area else None
