"""Inspection of an uploaded workbook: its sheets, the list's columns and first rows."""

from dataclasses import replace
from pathlib import Path

from winnow.core.errors import BadField, EmptyFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.task import OTHER_SHEETS, Notice
from winnow.lists.formats.xlsx.head import XlsxSheet, read_xlsx_head
from winnow.lists.inspection.columns import EMAIL, find_columns, looks_like_address
from winnow.lists.inspection.first_look import SAMPLE_ROWS, show_above, tell_columns, tell_first_row
from winnow.words import mark

_LIST_ROWS = 2  # with addresses; a single one is on covers too


def inspect_workbook(
    path: Path, choices: Choices, email_column: str | None, scratch: Path | None
) -> Head:
    """Inspect a workbook; see ``ListFormat.read_head``."""
    sheets = read_xlsx_head(path, email_column or EMAIL, scratch)
    sheet = _choose_sheet(sheets, choices.sheet, email_column=email_column)
    if choices.first_row is not None:
        sheet = sheet.begin_at(choices.first_row)
    head = tell_columns(sheet.columns, sheet.sample_rows, choices)
    count = sheet.row_count
    if not sheet.sample_rows and head.has_header and not head.headerless_guess:
        raise EmptyFile("The sheet holds no row below its header.", sheet=sheet.name)
    if count is not None and not head.has_header:
        count += 1
    notices = head.notices
    if sheet.header_row > 1:
        notices += (tell_first_row(sheet.header_row, has_header=head.has_header),)
    if others := _list_other_lists(sheets, sheet):
        names = ", ".join(other.name for other in others)
        told = mark(
            "Only the sheet {sheet} is checked. Other sheets hold addresses too, and they "
            "are not checked: {names}.",
            sheet=sheet.name,
            names=names,
        )
        notices += (Notice(OTHER_SHEETS, told, (), len(others)),)
    first = sheet.header_place + head.has_header
    numbers = tuple(number for number, _ in sheet.first_rows[first:])
    return replace(
        head,
        file_format=FileFormat.XLSX,
        size_bytes=path.stat().st_size,
        row_count=count,
        row_estimate=sheet.row_estimate if count is None else count,
        sheets=tuple(one.name for one in sheets if one.visible),
        sheet=sheet.name,
        first_row=sheet.header_row,
        rows_above=show_above(sheet.first_rows[: sheet.header_place]),
        row_numbers=numbers[:SAMPLE_ROWS],
        notices=notices,
    )


def _choose_sheet(
    sheets: list[XlsxSheet], wanted: str | None, *, email_column: str | None = None
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
        for sheet in sheets:
            if sheet.name == wanted:
                return sheet
        raise BadField("sheet", "the workbook has no such sheet")
    visible = [sheet for sheet in sheets if sheet.visible]
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


def _list_other_lists(sheets: list[XlsxSheet], chosen: XlsxSheet) -> list[XlsxSheet]:
    """Return the visible sheets other than the chosen one that look like lists of addresses."""
    return [
        sheet
        for sheet in sheets
        if sheet.visible and sheet.name != chosen.name and _count_addressed(sheet) >= _LIST_ROWS
    ]


def _count_addressed(sheet: XlsxSheet) -> int:
    rows = (sheet.columns, *sheet.sample_rows)
    return sum(any(map(looks_like_address, row)) for row in rows)
