"""Inspection of a list's first rows, whatever its format: columns, header, sample."""

from collections.abc import Sequence
from dataclasses import replace

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.task import Notice
from winnow.lists.inspection.columns import (
    choose_column,
    find_address_columns,
    find_columns,
    names_email,
    speaks_of_mail,
    suggest_column,
)
from winnow.lists.inspection.first_row import (
    GUESS_ROWS,
    SEARCH_ROWS,
    NumberedRow,
    is_list_row,
)
from winnow.words import mark

SAMPLE_ROWS = 20
SAMPLE_CELL_CHARACTERS = 200


def tell_rows(rows: Sequence[NumberedRow], place: int, choices: Choices) -> Head:
    """Return a head with everything that the first rows say; the format fills in the rest.

    ``place`` is that of the header, or of the list's first row; titles may be above it.
    """
    (number, first), *below = rows[place:]
    head = _tell_columns(first, [cells for _, cells in below], choices)
    numbers = [number for number, _ in rows[place + head.has_header :]]
    return replace(
        head,
        first_row=number,
        rows_above=tuple((row, _shorten_all(cells)) for row, cells in rows[:place][:SEARCH_ROWS]),
        row_numbers=tuple(numbers[:SAMPLE_ROWS]),
        notices=(*head.notices, *_note_first_row(number, has_header=head.has_header)),
    )


def _note_first_row(number: int, *, has_header: bool) -> tuple[Notice, ...]:
    """Return the notice of a list that begins below titles and the like."""
    if number == 1:
        return ()
    what = mark("The header is") if has_header else mark("The list begins")
    text = mark(
        "{problem} in row {row}; the rows above it pass through as they are.",
        problem=what,
        row=number,
    )
    return (Notice("header_below_top", text, (number,), 1),)


def _tell_columns(first: Sequence[str], rest: Sequence[Sequence[str]], choices: Choices) -> Head:
    has_header = choices.has_header is not False
    matches = find_columns(first)
    headerless_guess = choices.has_header is None and not matches and is_list_row(first, rest)
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
    columns += ("",) * (last + 1 - len(columns))  # it may be beyond the last name
    is_assumed = choices.has_header is None and bool(address_columns) and not headerless_guess
    if choices.email_column is not None:
        choose_column(columns, choices.email_column)
    if choices.second_email_column is not None:
        choose_column(columns, choices.second_email_column, "second_email_column")
    return Head(
        file_format=FileFormat.UNKNOWN,
        columns=columns,
        email_columns=matches,
        address_columns=address_columns,
        is_named=suggested is not None and names_email(columns[suggested]),
        suggested_column=suggested,
        sample_rows=tuple(map(_shorten_all, rows[:SAMPLE_ROWS])),
        size_bytes=0,
        row_count=None,
        row_estimate=0,
        has_header=has_header,
        headerless_guess=headerless_guess,
        chosen_column=choices.email_column,
        second_column=choices.second_email_column,
        notices=_note_header(columns, suggested) if is_assumed else (),
    )


def _note_header(columns: Sequence[str], suggested: int | None) -> tuple[Notice, ...]:
    """Return the notice of a header that may be a row: it does not name the email column."""
    if suggested is None or speaks_of_mail(columns[suggested]):
        return ()
    text = mark(
        "The header of this list is assumed: no name in it says that a column holds email "
        "addresses. The header itself is not checked."
    )
    return (Notice("header_assumed", text),)


def shorten(cell: str) -> str:
    """Return a cell for the eye, a long one cut."""
    if len(cell) <= SAMPLE_CELL_CHARACTERS:
        return cell
    return f"{cell[: SAMPLE_CELL_CHARACTERS - 1]}…"


def _shorten_all(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(shorten, cells))
