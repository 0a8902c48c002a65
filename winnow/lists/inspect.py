"""Inspection of an uploaded list: format, dialect, columns, first rows and plan."""

from dataclasses import replace
from pathlib import Path

from winnow.core.errors import (
    BadField,
    EmailColumnAmbiguous,
    EmailColumnMissing,
    EmptyFile,
    UnsupportedFormat,
)
from winnow.core.lists.input_head import Choices, Head, doubt_name
from winnow.core.meaning.addresses import holds_address
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.keep_rule import MAILBOX_HINT, KeepRule
from winnow.core.tasks.run_request import RunRequest
from winnow.lists.format_registry import find_format
from winnow.lists.inspection.columns import choose_column, is_position
from winnow.lists.inspection.signature import SIGNATURE_BYTES, split_file_name, suggest_form
from winnow.lists.list_format import ListFormat


def read_head(
    path: Path,
    file_name: str,
    choices: Choices = Choices(),
    *,
    email_column: str | None = None,
    scratch: Path | None = None,
) -> Head:
    """Inspect a list by its beginning and one quick pass over the rest.

    Args:
        path: The file on disk, whatever it is called there.
        file_name: The name it came with; its extension says the format.
        choices: What the analyst changed.
        email_column: What ``plan_input`` will be asked for. A name helps to find the sheet and
            the header; a position does not.
        scratch: An existing folder for temporary files; None: the system's.

    Raises:
        UnsupportedFormat: Not CSV, TSV or XLSX by name, or the content is something else.
        BrokenFile: NUL bytes, an unterminated quote, a cell over 1 MiB at the beginning; a damaged
            workbook. A later one fails the task.
        EmptyFile: No data row.
        BadField: A choice that cannot be: an unknown sheet, encoding or delimiter.
    """
    name = None if is_position(email_column) else email_column
    head = _open_format(path, file_name).read_head(path, choices, name, scratch)
    return replace(head, notices=(*head.notices, *doubt_name(file_name)))


def read_asked_head(
    path: Path,
    file_name: str,
    request: RunRequest,
    scratch: Path | None = None,
    *,
    is_merged: bool = False,
) -> Head:
    """Inspect a list as a run is asked for; a doubtful first row of a merged one is a row."""
    name, choices = request.column_name, request.choices
    head = read_head(path, file_name, choices, email_column=name, scratch=scratch)
    if is_merged and head.headerless_guess and request.email_column is None:
        choices = replace(choices, has_header=False)
        head = read_head(path, file_name, choices, scratch=scratch)
    return head


def measure_content(path: Path, file_name: str, most_bytes: int) -> int:
    """Return how many bytes a list has unpacked; counting ends soon after ``most_bytes``.

    Raises:
        UnsupportedFormat, BrokenFile, EmptyFile: As ``read_head``.
    """
    return _open_format(path, file_name).measure_content(path, most_bytes)


def _open_format(path: Path, file_name: str) -> ListFormat:
    """Return the format by a file's name, after a look at what its first bytes say."""
    _, code = split_file_name(file_name)
    list_format = find_format(code)
    with path.open("rb") as file:
        start = file.read(SIGNATURE_BYTES)
    if not start:
        raise EmptyFile("The file is empty.")
    found = list_format.name_content(start)
    if found is not None:
        hint, fault = suggest_form(found)
        raise UnsupportedFormat(
            "The name says {file_format}, but this is really {found}.",
            file_format=code.traits.file_name,
            found=found,
            hint=hint,
            fault=fault,
        )
    return list_format


def plan_input(
    head: Head,
    *,
    email_column: int | str | None = None,
    second_email_column: int | str | None = None,
) -> InputPlan:
    """Return the plan that the engines follow, from the inspection.

    Args:
        head: From ``read_head``.
        email_column: A position from 0, or text: a column's name, or its position from 1 in
            digits. Digits are a name only where the header has that name. None: the analyst's
            choice in ``head``, else the column named email.

        second_email_column: As ``email_column``: has the address of rows whose first one is blank.
            None: the analyst's choice in ``head``, else there is none.

    Raises:
        EmailColumnMissing: No column is named email, and none was chosen; or the first row looks
            like a row of the list (``headerless``) and the column was not asked for by its name.
        EmailColumnAmbiguous: Twin columns of that name, and no position was given.
        BadField: There is no such column, or both are one.
    """
    first = _settle_column(head, email_column)
    second = head.second_column if second_email_column is None else second_email_column
    if second is not None:
        second = choose_column(head.columns, second, "second_email_column")
        if second == first:
            raise BadField(
                "second_email_column", "is the email column itself", hint="Name another column."
            )
    return InputPlan(
        file_format=head.file_format,
        email_column=first,
        second_email_column=second,
        columns=head.columns,
        has_header=head.has_header,
        encoding=head.encoding,
        delimiter=head.delimiter,
        sheet=head.sheet,
        preamble_lines=head.preamble_lines,
        first_row=head.first_row,
        escape=head.escape,
    )


def plan_run(
    head: Head, request: RunRequest, *, finds_column: bool = False
) -> tuple[InputPlan, RunRequest]:
    """Return the plan of a list, and what is asked besides; errors are those of ``plan_input``.

    ``finds_column``: without a column in the request take that with addresses, whatever its name.
    """
    column = request.email_column
    plan = plan_input(
        head,
        email_column=find_column(head) if column is None and finds_column else column,
        second_email_column=request.second_email_column,
    )
    silent = request.silence.column
    if silent is not None:
        silent = choose_column(head.columns, silent, "silent_by")
    return plan, request.settle(find_dates(head, request.keep), silent)


def find_dates(head: Head, rule: KeepRule) -> int | None:
    """Return the column of dates that a rule goes by, from 0; None: it needs none.

    Raises:
        BadField: There is no such column, or one is asked for that was removed.
        EmailColumnAmbiguous: More than one has the name.
    """
    if rule.adds_mailbox:
        raise BadField("mailbox", "was removed", hint=MAILBOX_HINT)
    by = rule.keep_by
    return None if by is None else choose_column(head.columns, by, "keep_by")


def _settle_column(head: Head, wanted: int | str | None) -> int:
    if wanted is None:
        wanted = head.chosen_column
    if wanted is not None:
        column = choose_column(head.columns, wanted)
        is_name = isinstance(wanted, str) and not is_position(wanted)
        if head.headerless_guess and (not is_name or holds_address(head.columns[column])):
            raise _miss_column(head)  # or a row would be lost as the header
        return column
    if len(head.email_columns) > 1:
        raise EmailColumnAmbiguous([place + 1 for place in head.email_columns])
    if head.email_columns:
        return head.email_columns[0]
    if not head.has_header and head.suggested_column is not None:
        return head.suggested_column
    raise _miss_column(head)


def find_column(head: Head) -> int:
    """Return the column to check, from 0: as chosen in ``head``, by its name, by its addresses.

    For the library and the command line; the API takes a column named email only.

    Raises:
        EmailColumnMissing: No column is one, or the first row may be no header.
        EmailColumnAmbiguous: More than one column could be meant.
    """
    wanted = head.suggested_column if head.chosen_column is None else head.chosen_column
    if wanted is None and not head.email_columns and len(head.address_columns) > 1:
        indices = [place + 1 for place in head.address_columns]
        names = [head.columns[place] for place in head.address_columns]
        raise EmailColumnAmbiguous(indices, names=names)
    return _settle_column(head, wanted)


def _miss_column(head: Head) -> EmailColumnMissing:
    return EmailColumnMissing(
        head.columns,
        headerless=head.headerless_guess,
        hint="Add a header row with a column named email."
        if head.headerless_guess
        else "Name one column email, or say in email_column which one holds the addresses.",
    )
