"""Inspection of an uploaded text list: its dialect, columns and first rows."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from winnow.core.errors import EmptyFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.task import Notice
from winnow.lists.formats.delimited.odd_shapes import lacks_first_name
from winnow.lists.formats.delimited.text_head import TextHead, read_text_head
from winnow.lists.inspection.columns import EMAIL, looks_like_address
from winnow.lists.inspection.first_look import SAMPLE_ROWS, show_above, tell_columns, tell_first_row
from winnow.lists.text.loose_lines import count_loose_lines
from winnow.words import mark


def inspect_text(
    path: Path, file_format: FileFormat, choices: Choices, email_column: str | None
) -> Head:
    """Inspect a text list; see ``ListFormat.read_head``."""
    text = read_text_head(path, file_format, choices, email_column or EMAIL)
    rows = [record.cells for record in text.records]
    if file_format is FileFormat.TXT and choices.has_header is None and _is_address(rows[0]):
        choices = replace(choices, has_header=False)  # one address a line, as a plain list has it
    lacks_name = choices.has_header is not False and lacks_first_name(rows[0], rows[1:])
    if lacks_name:
        rows[0] = ("", *rows[0])
    head = tell_columns(rows[0], rows[1:], choices)
    header_rows = 1 if head.has_header else 0
    count = None if text.record_count is None else text.record_count - header_rows
    if count and text.body:
        count -= _count_loose_lines(text, head)
    if count == 0 and not head.headerless_guess:
        raise EmptyFile("The file holds a header row and nothing else.")
    notices = text.notices + head.notices
    if text.preamble_lines:
        notices += (tell_first_row(text.records[0].row, has_header=head.has_header),)
    if lacks_name:
        told = mark(
            "The header has one name less than there are columns: the first has none, as in R."
        )
        notices += (Notice("header_short", told, (text.preamble_lines + 1,), 1),)
    numbers = [record.row for record in text.records[header_rows:]]
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
        first_row=text.records[0].row,
        rows_above=show_above([(record.row, record.cells) for record in text.above]),
        row_numbers=tuple(numbers[:SAMPLE_ROWS]),
        nameless_columns=int(lacks_name),
        notices=notices,
    )


def _is_address(row: Sequence[str]) -> bool:
    return len(row) == 1 and looks_like_address(row[0])


def _count_loose_lines(text: TextHead, head: Head) -> int:
    """Return how many lines of a text that was read to its end are no rows."""
    column = head.chosen_column if head.chosen_column is not None else head.suggested_column
    return count_loose_lines(
        text.body,
        text.delimiter,
        len(head.columns),
        column or 0,
        has_header=head.has_header,
    )
