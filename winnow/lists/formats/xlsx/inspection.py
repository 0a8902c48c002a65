"""What an uploaded workbook is: its sheets, the list's columns and first rows."""

from dataclasses import replace
from pathlib import Path

from winnow.core.errors import EmptyFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.task import OTHER_SHEETS, InputPlan, Notice
from winnow.lists.formats.xlsx.head import read_xlsx_head
from winnow.lists.formats.xlsx.sheet_choice import choose_sheet, estimate_rows, list_other_lists
from winnow.lists.inspection.columns import EMAIL
from winnow.lists.inspection.first_look import SAMPLE_ROWS, show_above, tell_columns, tell_first_row
from winnow.lists.result.row_columns import RowIndex
from winnow.lists.result.row_index import RESULT_NAME
from winnow.lists.result.titles import Titles
from winnow.words import mark


def inspect_workbook(path: Path, choices: Choices, email_column: str | None) -> Head:
    """Find out what a workbook is; see ``ListFormat.read_head``."""
    workbook = read_xlsx_head(path, email_column or EMAIL)
    sheet = choose_sheet(workbook, choices.sheet, email_column=email_column)
    if choices.first_row is not None:
        sheet = sheet.begin_at(choices.first_row)
    head = tell_columns(sheet.columns, sheet.sample_rows, choices)
    count = sheet.row_count
    if not sheet.sample_rows and head.has_header and not head.headerless_guess:
        raise EmptyFile("The sheet holds no row below its header.", sheet=sheet.name)
    if count is not None and not head.has_header:
        count += 1
    notices: tuple[Notice, ...] = ()
    if sheet.header_row > 1:
        notices = (tell_first_row(sheet.header_row, has_header=head.has_header),)
    if others := list_other_lists(workbook, sheet):
        names = ", ".join(other.name for other in others)
        told = mark(
            f"Only the sheet {sheet.name} is checked. Other sheets hold addresses too, and they "
            f"are not checked: {names}."
        )
        notices += (Notice(OTHER_SHEETS, told, (), len(others)),)
    numbers = sheet.row_numbers if head.has_header else (sheet.header_row, *sheet.row_numbers)
    return replace(
        head,
        file_format=FileFormat.XLSX,
        size_bytes=path.stat().st_size,
        row_count=count,
        row_estimate=estimate_rows(path) if count is None else count,
        sheets=tuple(one.name for one in workbook.sheets if one.visible),
        sheet=sheet.name,
        first_row=sheet.header_row,
        rows_above=show_above(sheet.rows_above),
        row_numbers=numbers[:SAMPLE_ROWS],
        notices=notices,
    )


def read_sheet_titles(index: RowIndex, plan: InputPlan) -> Titles:
    """Return the rows above the list that hold anything, from the stored workbook."""
    for sheet in read_xlsx_head(index.folder / RESULT_NAME).sheets:
        if sheet.name == plan.sheet:
            return tuple(cells for number, cells in sheet.first_rows if number < plan.first_row)
    return ()
