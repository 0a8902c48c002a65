"""Inspection of an uploaded workbook: its sheets, the list's columns and first rows.

Only the first rows of each sheet are read, so it is cheap at any size.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from winnow.core.errors import BadField, EmptyFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.task import OTHER_SHEETS, Notice
from winnow.lists.formats.xlsx.archive import XlsxArchive, open_archive, word_too_large
from winnow.lists.formats.xlsx.book import SheetPart, read_book
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.text import CellTexts, open_texts
from winnow.lists.inspection.columns import EMAIL, find_columns, looks_like_address
from winnow.lists.inspection.first_rows import SAMPLE_ROWS, SEARCH_ROWS, find_first_row, tell_rows
from winnow.words import mark

MAX_ROWS_SEEN = 20_000  # blank rows do not count as samples, yet end somewhere
MAX_FIRST_BYTES = 64 << 20
MAX_FIRST_CELLS = 4_000_000  # 40 rows that reach the last column take 655,360
MAX_STRING_BYTES = 1 << 30  # on the disk, as far as first rows of any sheet refer to them

_LIST_ROWS = 2  # with addresses; a single one is on covers too


@dataclass(frozen=True, slots=True)
class XlsxSheet:
    """One worksheet as a reader would see it.

    ``first_rows`` are all the rows with values that were looked at, with their numbers, from
    column A on; ``header_place`` says which of them is the header, titles may be above it.
    """

    name: str
    visible: bool
    first_rows: tuple[tuple[int, tuple[str, ...]], ...] = ()
    header_place: int = 0
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
    def rows_below(self) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """The first rows below the header."""
        return self.first_rows[self.header_place + 1 :]

    @property
    def row_count(self) -> int | None:
        """How many rows are below the header, None where not all were looked at."""
        return len(self.rows_below) if self.is_whole else None


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

    def take(self, row: Sequence[str]) -> None:
        """Take the share of a row.

        Raises:
            BrokenFile: Nothing is left.
        """
        self._bytes -= sum(map(len, row))
        self._cells -= len(row)
        if self._bytes < 0 or self._cells < 0:
            raise word_too_large()


def _read_sheet(
    archive: XlsxArchive, sheet: SheetPart, texts: CellTexts, email_column: str, budget: _Budget
) -> XlsxSheet:
    stream = SheetStream(archive, sheet, MAX_FIRST_BYTES)
    rows: list[tuple[int, tuple[str, ...]]] = []
    is_whole = True
    for seen, row in enumerate(stream.rows(texts.read), start=1):
        words = row.list_texts()
        if words:
            budget.take(words)
            rows.append((row.number, words))
        if len(rows) == SEARCH_ROWS + SAMPLE_ROWS or seen == MAX_ROWS_SEEN:
            is_whole = False
            break
    found = XlsxSheet(
        sheet.name,
        sheet.visible,
        tuple(rows),
        is_whole=is_whole and not stream.is_cut_off,
        row_estimate=stream.rows_done * archive.size_bytes(sheet.part) // max(1, stream.bytes_done),
    )
    return replace(found, header_place=find_first_row(rows, None, email_column))


def inspect_workbook(
    path: Path, choices: Choices, email_column: str | None, scratch: Path | None
) -> Head:
    """Inspect a workbook; see ``ListFormat.read_head``."""
    sheets = read_xlsx_head(path, email_column or EMAIL, scratch)
    sheet = _choose_sheet(sheets, choices.sheet, email_column=email_column)
    if choices.first_row is not None:
        place = find_first_row(sheet.first_rows, choices.first_row)
        sheet = replace(sheet, header_place=place)
    above = sheet.first_rows[: sheet.header_place]
    rows = (*above, (sheet.header_row, sheet.columns), *sheet.rows_below)
    head = tell_rows(rows, len(above), choices)
    count = sheet.row_count
    if not sheet.rows_below and head.has_header and not head.headerless_guess:
        raise EmptyFile("The sheet holds no row below its header.", sheet=sheet.name)
    if count is not None and not head.has_header:
        count += 1
    notices = head.notices
    if others := _list_other_lists(sheets, sheet):
        names = ", ".join(other.name for other in others)
        told = mark(
            "Only the sheet {sheet} is checked. Other sheets hold addresses too, and they "
            "are not checked: {names}.",
            sheet=sheet.name,
            names=names,
        )
        notices += (Notice(OTHER_SHEETS, told, (), len(others)),)
    return replace(
        head,
        file_format=FileFormat.XLSX,
        size_bytes=path.stat().st_size,
        row_count=count,
        row_estimate=max(0, sheet.row_estimate - sheet.header_row) if count is None else count,
        sheets=tuple(one.name for one in sheets if one.visible),
        sheet=sheet.name,
        notices=notices,
    )


def _choose_sheet(
    sheets: list[XlsxSheet], wanted: str | None, *, email_column: str | None = None
) -> XlsxSheet:
    """Return the sheet of a name, else the first visible one that is most like the list.

    A sheet with ``email_column``, the name of the column that was asked for, comes before those
    with a column named email, these before those that show an address, then any with anything.

    Raises:
        BadField: There is no sheet of that name.
        EmptyFile: The visible sheets are empty.
    """
    if wanted is not None:
        for sheet in sheets:
            if sheet.name == wanted:
                return sheet
        raise BadField("sheet", "the workbook has no such sheet")
    visible = [sheet for sheet in sheets if sheet.visible]
    filled = [sheet for sheet in visible if any(sheet.columns) or sheet.rows_below]
    if not filled:
        raise EmptyFile("The workbook's visible sheets are empty.")

    def rank(sheet: XlsxSheet) -> tuple[bool, bool, bool]:
        names = () if email_column is None else find_columns(sheet.columns, email_column)
        has_column = bool(find_columns(sheet.columns))
        cells = (cell for _, row in sheet.rows_below for cell in row)
        return bool(names), has_column, has_column or any(map(looks_like_address, cells))

    return max(filled, key=rank)


def _list_other_lists(sheets: list[XlsxSheet], chosen: XlsxSheet) -> list[XlsxSheet]:
    """Return the visible sheets other than the chosen one that look like lists of addresses."""
    return [
        sheet
        for sheet in sheets
        if sheet.visible and sheet.name != chosen.name and _count_addressed(sheet) >= _LIST_ROWS
    ]


def _count_addressed(sheet: XlsxSheet) -> int:
    rows = sheet.first_rows[sheet.header_place :]
    return sum(any(map(looks_like_address, row)) for _, row in rows)
