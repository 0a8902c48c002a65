"""Inspection of an uploaded workbook: its sheets, the list's columns and first rows.

Only the first rows of each sheet are read, so it is cheap at any size.
"""

from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from winnow.core.errors import BadField, EmptyFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.notices import OTHER_SHEETS, Notice
from winnow.core.meaning.addresses import looks_like_address
from winnow.lists.formats.xlsx.archive import XlsxArchive, open_archive, word_too_large
from winnow.lists.formats.xlsx.book import SheetPart, read_book
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.text import CellTexts, open_texts
from winnow.lists.inspection.columns import EMAIL, find_columns
from winnow.lists.inspection.first_rows import FIRST_ROWS, describe_rows, find_first_row
from winnow.words import translatable

MAX_ROWS_SEEN = 20_000  # blank rows do not count as samples, yet end somewhere
MAX_FIRST_BYTES = 64 << 20
CELL_BYTES = 16  # of a cell more than its text; 40 rows that reach the last column are 655,360
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
    row_estimate: int = 0  # by the size of the rows that were read

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
    sheets: list[XlsxSheet] = []
    left_bytes = MAX_FIRST_BYTES
    with open_archive(path) as archive:
        book = read_book(archive)
        with open_texts(archive, book, scratch, MAX_STRING_BYTES) as texts:
            for part in book.sheets:
                sheet, size_bytes = _read_sheet(archive, part, texts, email_column, left_bytes)
                left_bytes -= size_bytes
                sheets.append(sheet)
    return sheets


def _read_sheet(
    archive: XlsxArchive, sheet: SheetPart, texts: CellTexts, email_column: str, most_bytes: int
) -> tuple[XlsxSheet, int]:
    """Return a sheet, and how many bytes its first rows are, with some for each cell."""
    stream = SheetStream(archive, sheet, MAX_FIRST_BYTES)
    rows: list[tuple[int, tuple[str, ...]]] = []
    is_whole = True
    size_bytes = 0
    found = (stream.read_rows(region, texts.read) for region in stream.regions())
    for seen, row in enumerate(chain.from_iterable(found), start=1):
        filled = {cell.column: cell.text.decode() for cell in row.cells if cell.is_filled}
        words = tuple(filled.get(column, "") for column in range(max(filled, default=-1) + 1))
        size_bytes += sum(map(len, words)) + CELL_BYTES * len(words)
        if size_bytes > most_bytes:
            raise word_too_large()
        if words:
            rows.append((row.number, words))
        if len(rows) == FIRST_ROWS or seen == MAX_ROWS_SEEN:
            is_whole = False
            break
    read = XlsxSheet(
        sheet.name,
        sheet.visible,
        tuple(rows),
        find_first_row(rows, None, email_column),
        is_whole=is_whole and not stream.is_cut_off,
        row_estimate=stream.rows_done * archive.size_bytes(sheet.part) // max(1, stream.bytes_done),
    )
    return read, size_bytes


def inspect_workbook(
    path: Path, choices: Choices, email_column: str | None, scratch: Path | None
) -> Head:
    """Inspect a workbook; see ``ListFormat.read_head``."""
    sheets = read_xlsx_head(path, email_column or EMAIL, scratch)
    sheet = _choose_sheet(sheets, choices.sheet, email_column)
    if choices.first_row is not None:
        place = find_first_row(sheet.first_rows, choices.first_row)
        sheet = replace(sheet, header_place=place)
    rows = [*sheet.first_rows] or [(1, ())]
    rows[sheet.header_place] = (rows[sheet.header_place][0], sheet.columns)
    head = describe_rows(rows, sheet.header_place, choices)
    if not sheet.rows_below and head.has_header and not head.headerless_guess:
        raise EmptyFile("The sheet holds no row below its header.", sheet=sheet.name)
    count = len(sheet.rows_below) + (not head.has_header) if sheet.is_whole else None
    notices = head.notices
    others = []
    for other in sheets:
        shown = other.first_rows[other.header_place :] if other.visible else ()
        addressed = sum(any(map(looks_like_address, row)) for _, row in shown)
        if other.name != sheet.name and addressed >= _LIST_ROWS:
            others.append(other.name)
    if others:
        said = translatable(
            "Only the sheet {sheet} is checked. Other sheets hold addresses too, and they "
            "are not checked: {names}.",
            sheet=sheet.name,
            names=", ".join(others),
        )
        notices += (Notice(OTHER_SHEETS, said, (), len(others)),)
    return replace(
        head,
        file_format=FileFormat.XLSX,
        size_bytes=path.stat().st_size,
        row_count=count,
        row_estimate=max(0, sheet.row_estimate - head.first_row) if count is None else count,
        sheets=tuple(one.name for one in sheets if one.visible),
        sheet=sheet.name,
        notices=notices,
    )


def _choose_sheet(
    sheets: list[XlsxSheet], wanted: str | None, email_column: str | None
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
