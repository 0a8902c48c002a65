"""What an uploaded list is: its format, dialect, columns and first rows, and the plan of it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.errors import EmailColumnAmbiguous, EmailColumnMissing, EmptyFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.task import InputPlan, Notice
from winnow.lists.formats.delimited.odd_shapes import lacks_first_name
from winnow.lists.inspection.column_names import names_email
from winnow.lists.inspection.columns import (
    EMAIL,
    choose_column,
    find_address_columns,
    find_columns,
    holds_address,
    looks_like_address,
    suggest_column,
)
from winnow.lists.inspection.first_row import GUESS_ROWS, SEARCH_ROWS
from winnow.lists.inspection.signature import check_signature, split_file_name

if TYPE_CHECKING:
    from winnow.lists.formats.delimited.text_head import TextHead

SAMPLE_ROWS = 20
SAMPLE_CELL_CHARACTERS = 200
_SIGNATURE_BYTES = 1 << 16


def read_head(
    path: Path,
    file_name: str,
    choices: Choices = Choices(),
    *,
    email_column: str | None = None,
) -> Head:
    """Find out what a list is, from its first MiB and one quick pass over the rest.

    Args:
        path: The file on disk, whatever it is called there.
        file_name: The name it came with; its extension says the format.
        choices: What the analyst changed.
        email_column: The name that ``plan_input`` will be asked for: it tells the sheet and the
            header.

    Raises:
        UnsupportedFormat: Not CSV, TSV or XLSX by name, or the content is something else.
        BrokenFile: NUL bytes, an unterminated quote, a cell over 1 MiB in the first MiB; a damaged
            workbook. What stands later is a notice, and fails the task.
        EmptyFile: No data row.
        BadField: A choice that cannot be: an unknown sheet, encoding or delimiter.
    """
    _, file_format = split_file_name(file_name)
    with path.open("rb") as file:
        check_signature(file.read(_SIGNATURE_BYTES), file_format)
    if file_format is FileFormat.XLSX:
        return _read_workbook(path, choices, email_column)
    return _read_text(path, file_format, choices, email_column or EMAIL)


def _read_text(path: Path, file_format: FileFormat, choices: Choices, email_column: str) -> Head:
    from winnow.lists.formats.delimited.text_head import (
        read_text_head,  # brings numpy and pyarrow along
    )

    text = read_text_head(path, file_format, choices, email_column)
    rows = [record.cells for record in text.records]
    if file_format is FileFormat.TXT and choices.has_header is None and _is_address(rows[0]):
        choices = replace(choices, has_header=False)  # one address a line, as a plain list has it
    lacks_name = choices.has_header is not False and lacks_first_name(rows[0], rows[1:])
    if lacks_name:
        rows[0] = ("", *rows[0])
    head = _tell_columns(rows[0], rows[1:], choices)
    header_rows = 1 if head.has_header else 0
    count = None if text.record_count is None else text.record_count - header_rows
    if count and text.body:
        count -= _count_loose_lines(text, head)
    if count == 0 and not head.headerless_guess:
        raise EmptyFile("The file holds a header row and nothing else.")
    notices = text.notices
    if text.preamble_lines:
        notices += (tell_first_row(text.preamble_lines + 1, has_header=head.has_header),)
    if lacks_name:
        told = "The header has one name less than there are columns: the first has none, as in R."
        notices += (Notice("header_short", told, (text.preamble_lines + 1,), 1),)
    numbers = [record.line for record in text.records[header_rows:]]
    return replace(
        head,
        file_format=file_format,
        size_bytes=path.stat().st_size,
        row_count=count,
        row_estimate=text.record_estimate - header_rows if count is None else count,
        encoding=text.encoding,
        encoding_doubt=text.encoding_doubt,
        bom=text.bom,
        delimiter=text.delimiter,
        escape=text.escape,
        escape_is_chosen=choices.escape is not None,
        newline=text.newline,
        preamble_lines=text.preamble_lines,
        first_row=text.preamble_lines + 1,
        rows_above=_show_above([(record.line, record.cells) for record in text.above]),
        row_numbers=tuple(numbers[:SAMPLE_ROWS]),
        nameless_columns=int(lacks_name),
        notices=notices,
    )


def _is_address(row: Sequence[str]) -> bool:
    return len(row) == 1 and looks_like_address(row[0])


def _count_loose_lines(text: "TextHead", head: Head) -> int:
    """Return how many lines of a text that was read to its end are no rows."""
    from winnow.lists.text.loose_lines import count_loose_lines

    column = head.chosen_column if head.chosen_column is not None else head.suggested_column
    return count_loose_lines(
        text.body,
        text.delimiter,
        text.escape,
        len(head.columns),
        column or 0,
        has_header=head.has_header,
    )


def _read_workbook(path: Path, choices: Choices, email_column: str | None) -> Head:
    from winnow.lists.formats.xlsx.head import read_xlsx_head
    from winnow.lists.formats.xlsx.sheet_choice import (  # numpy and pyarrow, too
        choose_sheet,
        estimate_rows,
    )

    workbook = read_xlsx_head(path, email_column or EMAIL)
    sheet = choose_sheet(workbook, choices.sheet, email_column=email_column)
    if choices.first_row is not None:
        sheet = sheet.begin_at(choices.first_row)
    head = _tell_columns(sheet.columns, sheet.sample_rows, choices)
    count = sheet.row_count
    if not sheet.sample_rows and head.has_header and not head.headerless_guess:
        raise EmptyFile("The sheet holds no row below its header.", sheet=sheet.name)
    if count is not None and not head.has_header:
        count += 1
    notices: tuple[Notice, ...] = ()
    if sheet.header_row > 1:
        notices = (tell_first_row(sheet.header_row, has_header=head.has_header),)
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
        rows_above=_show_above(sheet.rows_above),
        row_numbers=numbers[:SAMPLE_ROWS],
        notices=notices,
    )


def tell_first_row(number: int, *, has_header: bool) -> Notice:
    """Word where the list begins, below titles and the like."""
    what = "The header is" if has_header else "The list begins"
    text = f"{what} in row {number:,}; the rows above it pass through as they are."
    return Notice("header_below_top", text, (number,), 1)


def _show_above(
    rows: Sequence[tuple[int, Sequence[str]]],
) -> tuple[tuple[int, tuple[str, ...]], ...]:
    shown = rows[:SEARCH_ROWS]
    return tuple((number, tuple(map(_shorten, cells))) for number, cells in shown)


def _tell_columns(first: Sequence[str], rest: Sequence[Sequence[str]], choices: Choices) -> Head:
    """Return a head with everything that the first rows say."""
    has_header = choices.has_header is not False
    matches = find_columns(first)
    headerless_guess = (
        not matches and choices.has_header is not True and any(map(holds_address, first))
    )
    if has_header:
        columns, rows = tuple(first), rest
    else:
        rows = [first, *rest]
        matches = ()
        width = max(len(row) for row in rows)
        columns = tuple(f"column {place}" for place in range(1, width + 1))
    sample = rows[:GUESS_ROWS]
    address_columns = find_address_columns(sample)
    suggested = suggest_column(columns, matches, address_columns, sample)
    last = max((-1 if suggested is None else suggested, *address_columns))
    columns += ("",) * (last + 1 - len(columns))  # it may stand beyond the last name
    if choices.email_column is not None:
        choose_column(columns, choices.email_column)
    return Head(
        file_format=FileFormat.CSV,
        columns=columns,
        email_columns=matches,
        address_columns=address_columns,
        is_named=suggested is not None and names_email(columns[suggested]),
        suggested_column=suggested,
        sample_rows=tuple(tuple(map(_shorten, row)) for row in rows[:SAMPLE_ROWS]),
        size_bytes=0,
        row_count=None,
        row_estimate=0,
        has_header=has_header,
        headerless_guess=headerless_guess,
        chosen_column=choices.email_column,
    )


def _shorten(cell: str) -> str:
    if len(cell) <= SAMPLE_CELL_CHARACTERS:
        return cell
    return f"{cell[: SAMPLE_CELL_CHARACTERS - 1]}…"


def plan_input(head: Head, *, email_column: int | str | None = None) -> InputPlan:
    """Turn what was understood into the plan that the engines follow.

    Args:
        head: From ``read_head``.
        email_column: A position from 0, or text: a column's name, else its position from 1 in
            digits, as the API's form field has it. None: the analyst's choice in ``head``, else
            the column named email.

    Raises:
        EmailColumnMissing: No column is named email, and none was chosen; or the first row holds
            an address in the chosen one (``headerless``) and nobody said that it is a header.
        EmailColumnAmbiguous: Twin columns of that name, and no position was given.
        BadField: There is no such column.
    """
    return InputPlan(
        file_format=head.file_format,
        email_column=_settle_column(head, email_column),
        columns=head.columns,
        has_header=head.has_header,
        encoding=head.encoding,
        bom=head.bom,
        delimiter=head.delimiter,
        newline=head.newline,
        sheet=head.sheet,
        preamble_lines=head.preamble_lines,
        nameless_columns=head.nameless_columns,
        first_row=head.first_row if head.file_format.traits.has_sheets else 0,
        escape=head.escape,
        escape_is_chosen=head.escape_is_chosen,
    )


def _settle_column(head: Head, wanted: int | str | None) -> int:
    if wanted is None:
        wanted = head.chosen_column
    if wanted is not None:
        column = choose_column(head.columns, wanted)
        if head.has_header and head.headerless_guess and holds_address(head.columns[column]):
            raise _miss_column(head)  # or an address would be taken for a column's name
        return column
    if len(head.email_columns) > 1:
        raise EmailColumnAmbiguous([place + 1 for place in head.email_columns])
    if head.email_columns:
        return head.email_columns[0]
    if not head.has_header and head.suggested_column is not None:
        return head.suggested_column
    raise _miss_column(head)


def find_column(head: Head) -> int:
    """Return the column to check, from 0, where nobody said it: by its name, by its addresses.

    For the library and the command line; the API takes a column named email only.

    Raises:
        EmailColumnMissing: No column is one, or the first row may be no header.
        EmailColumnAmbiguous: More than one column could be meant.
    """
    if head.suggested_column is not None:
        return _settle_column(head, head.suggested_column)
    if not head.email_columns and len(head.address_columns) > 1:
        places = [place + 1 for place in head.address_columns]
        names = [head.columns[place] for place in head.address_columns]
        raise EmailColumnAmbiguous(places, names=names)
    return _settle_column(head, None)


def _miss_column(head: Head) -> EmailColumnMissing:
    headerless = head.has_header and head.headerless_guess
    return EmailColumnMissing(
        head.columns,
        headerless=headerless,
        hint="Add a header row with a column named email."
        if headerless
        else "Name one column email, or say in email_column which one holds the addresses.",
    )
