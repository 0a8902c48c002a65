"""What a workbook holds, seen from its first rows: enough to plan a batch, cheap at any size."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from backend.core.errors import BrokenFile
from backend.files.inspection.columns import find_columns
from backend.files.workbook.archive import XlsxArchive, open_archive
from backend.files.workbook.book import SheetPart, read_book
from backend.files.workbook.cells import Cell, CellGrammar, MalformedRow, read_attributes
from backend.files.workbook.sheet import SheetStream
from backend.files.workbook.strings import find_shared_strings
from backend.files.workbook.text import CellTexts, load_number_formats

SAMPLE_ROWS = 20
HEADER_SEARCH_ROWS = 20  # rows with values before which the header is looked for
MAX_ROWS_SEEN = 20_000  # blank rows do not count as samples, yet end somewhere

_DIMENSION = re.compile(rb"<(?:[\w.-]+:)?dimension\b([^>]*)>")


@dataclass(frozen=True, slots=True)
class XlsxSheet:
    """One worksheet as a reader would see it.

    ``columns`` are the texts of the header row as they stand, without BOM, from column A to the
    last that has one; ``sample_rows`` are the rows after it, each at least as wide.
    ``row_count`` is the number of rows after the header by the workbook's own word (exact for a
    sheet of up to 20 rows), None where it gives none. ``header_row`` counts from 1; titles may
    stand above it.
    """

    name: str
    visible: bool
    columns: tuple[str, ...]
    sample_rows: tuple[tuple[str, ...], ...]
    row_count: int | None
    header_row: int = 1


@dataclass(frozen=True, slots=True)
class XlsxHead:
    """The worksheets in the workbook's order; chart sheets are left out."""

    sheets: tuple[XlsxSheet, ...]


@dataclass(frozen=True, slots=True)
class _FirstRows:
    sheet: SheetPart
    grammar: CellGrammar
    rows: list[tuple[int, list[Cell]]]
    last_row: int | None
    complete: bool


def read_xlsx_head(path: Path) -> XlsxHead:
    """Read names, header and first rows of every worksheet.

    Raises:
        UnsupportedFormat: The content is not an .xlsx workbook (CSV, .xls, .ods, macros …).
        BrokenFile: Password-protected, truncated, hostile or damaged.
    """
    with open_archive(path) as archive:
        book = read_book(archive)
        firsts = [_read_first_rows(archive, sheet) for sheet in book.sheets]
        formats = load_number_formats(archive, book)
        try:
            strings = find_shared_strings(archive, book, _list_strings(firsts))
            return XlsxHead(
                tuple(
                    _describe(first, CellTexts(first.grammar, strings, formats)) for first in firsts
                )
            )
        except (ValueError, LookupError) as error:
            raise BrokenFile(
                "The workbook has cells that cannot be read.",
                hint="Open it in a spreadsheet program and save it again as .xlsx.",
            ) from error


def locate_header(rows: Sequence[Sequence[str]]) -> int:
    """Return which of the first rows with values is the header: the first with a column email.

    Titles may stand above it. Without such a row it is the first one.
    """
    for place, row in enumerate(rows[:HEADER_SEARCH_ROWS]):
        if find_columns(row):
            return place
    return 0


def spread_cells(cells: Sequence[Cell], texts: CellTexts, width: int = 0) -> tuple[str, ...]:
    """Return a row's texts from column A on, cut after the last that is not empty.

    Never shorter than ``width``.

    Raises:
        ValueError, KeyError: A damaged cell.
    """
    shown = [(cell.column, text) for cell in cells if (text := texts.read(cell))]
    spread = [""] * max(width, shown[-1][0] + 1 if shown else 0)
    for column, text in shown:
        spread[column] = text
    return tuple(spread)


def _read_first_rows(archive: XlsxArchive, sheet: SheetPart) -> _FirstRows:
    stream = SheetStream(archive, sheet.part, sheet.name)
    grammar = CellGrammar(stream.prefix)
    rows: list[tuple[int, list[Cell]]] = []
    wanted, number = HEADER_SEARCH_ROWS + SAMPLE_ROWS, 0
    all_rows = (row for block in stream.row_blocks() for row in block)
    seen = 0
    for row in islice(all_rows, MAX_ROWS_SEEN):
        seen += 1
        try:
            number, _, cells = grammar.parse_row(row, number)
        except MalformedRow as error:
            raise BrokenFile(
                f"The sheet's row after row {number} {str(error) or 'is not well-formed'}.",
                sheet=sheet.name,
            ) from error
        if any(grammar.has_value(cell) for cell in cells):
            rows.append((number, cells))
        if len(rows) == wanted:
            break
    complete = len(rows) < wanted and seen < MAX_ROWS_SEEN
    return _FirstRows(sheet, grammar, rows, _read_last_row(stream.head), complete)


def _list_strings(firsts: list[_FirstRows]) -> set[int]:
    """Return the indices of the shared strings that the first rows show."""
    wanted: set[int] = set()
    for first in firsts:
        for _, cells in first.rows:
            for cell in cells:
                value = first.grammar.value.search(cell.content) if cell.kind == b"s" else None
                if value is not None:
                    wanted.add(int(value[1]))
    return wanted


def _describe(first: _FirstRows, texts: CellTexts) -> XlsxSheet:
    spread = [(number, spread_cells(cells, texts)) for number, cells in first.rows]
    spread = [(number, row) for number, row in spread if any(text.strip() for text in row)]
    rows = [row for _, row in spread]
    place = locate_header(rows)
    columns = strip_bom(rows[place]) if rows else ()
    header_row = spread[place][0] if rows else 1
    following = rows[place + 1 :]
    row_count = len(following) if first.complete else None
    if row_count is None and first.last_row is not None:
        stated = first.last_row - header_row
        row_count = stated if stated >= len(following) else None
    return XlsxSheet(
        name=first.sheet.name,
        visible=first.sheet.visible,
        columns=columns,
        sample_rows=tuple(
            (*row, *[""] * (len(columns) - len(row))) for row in following[:SAMPLE_ROWS]
        ),
        row_count=row_count,
        header_row=header_row,
    )


def strip_bom(columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return column names without the BOM that a careless import left before the first."""
    return (columns[0].removeprefix("\ufeff"), *columns[1:]) if columns else columns


def _read_last_row(head: bytes) -> int | None:
    match = _DIMENSION.search(head)
    if match is None:
        return None
    reference = read_attributes(match[1]).get(b"ref", b"")
    digits = re.search(rb":\$?[A-Z]+\$?([0-9]{1,7})\Z", reference)
    return int(digits[1]) if digits else None
