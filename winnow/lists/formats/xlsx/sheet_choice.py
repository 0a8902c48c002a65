"""Which sheet of a workbook is the list, and about how long it is."""

import re
import zipfile
from pathlib import Path

from winnow.core.errors import BadField, EmptyFile
from winnow.lists.formats.xlsx.head import XlsxHead, XlsxSheet
from winnow.lists.inspection.columns import find_columns, looks_like_address

_ESTIMATE_BYTES = 1 << 20
_LIST_ROWS = 2  # with addresses; a single one stands on covers too


def estimate_rows(path: Path) -> int:
    """Estimate the rows of a workbook's largest sheet by its size; for one that states none."""
    with zipfile.ZipFile(path) as archive:
        largest = max(
            (
                part
                for part in archive.infolist()
                if "/worksheets/" in part.filename.replace("\\", "/")
            ),
            key=lambda part: part.file_size,
            default=None,
        )
        if largest is None:
            return 0
        with archive.open(largest) as part:
            start = part.read(_ESTIMATE_BYTES)
    rows = len(re.findall(rb"<(?:[\w.-]+:)?row\b", start))
    return rows * largest.file_size // max(len(start), 1)


def choose_sheet(
    workbook: XlsxHead, wanted: str | None, *, email_column: str | None = None
) -> XlsxSheet:
    """Return the sheet of a name, else the first visible one that has the email column.

    ``email_column`` is that column's name where one was asked for; a sheet that has it comes
    before those with a column named email. Where none has either: the first visible one that
    shows an address, else the first with anything.

    Raises:
        BadField: There is no sheet of that name.
        EmptyFile: The visible sheets are empty.
    """
    if wanted is not None:
        for sheet in workbook.sheets:
            if sheet.name == wanted:
                return sheet
        raise BadField("sheet", "the workbook has no such sheet")
    visible = [sheet for sheet in workbook.sheets if sheet.visible]
    filled = [sheet for sheet in visible if any(sheet.columns) or sheet.sample_rows]
    if not filled:
        raise EmptyFile("The workbook's visible sheets are empty.")
    with_wanted = (
        sheet
        for sheet in filled
        if email_column is not None and find_columns(sheet.columns, email_column)
    )
    with_column = (sheet for sheet in filled if find_columns(sheet.columns))
    with_address = (
        sheet
        for sheet in filled
        if any(looks_like_address(cell) for row in sheet.sample_rows for cell in row)
    )
    return next(with_wanted, None) or next(with_column, None) or next(with_address, filled[0])


def list_other_lists(workbook: XlsxHead, chosen: XlsxSheet) -> list[XlsxSheet]:
    """Return the visible sheets beside the chosen one that look like lists of addresses."""
    return [
        sheet
        for sheet in workbook.sheets
        if sheet.visible and sheet.name != chosen.name and _count_addressed(sheet) >= _LIST_ROWS
    ]


def _count_addressed(sheet: XlsxSheet) -> int:
    rows = (sheet.columns, *sheet.sample_rows)
    return sum(any(map(looks_like_address, row)) for row in rows)
