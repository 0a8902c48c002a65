"""Inspection of an uploaded text list: its dialect, columns and first rows."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from winnow.core.errors import EmptyFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.lists.formats.delimited.odd_shapes import refuse_short_header
from winnow.lists.formats.delimited.text_head import read_text_head
from winnow.lists.inspection.columns import EMAIL, looks_like_address
from winnow.lists.inspection.first_look import SAMPLE_ROWS, show_above, tell_columns, tell_first_row


def inspect_text(
    path: Path, file_format: FileFormat, choices: Choices, email_column: str | None
) -> Head:
    """Inspect a text list; see ``ListFormat.read_head``."""
    text = read_text_head(path, file_format, choices, email_column or EMAIL)
    if choices.has_header is not False:
        refuse_short_header(text.records)
    rows = [record.cells for record in text.records]
    if file_format is FileFormat.TXT and choices.has_header is None and _is_address(rows[0]):
        choices = replace(choices, has_header=False)  # one address a line, as a plain list has it
    head = tell_columns(rows[0], rows[1:], choices)
    header_rows = 1 if head.has_header else 0
    count = None if text.record_count is None else text.record_count - header_rows
    if count == 0 and not head.headerless_guess:
        raise EmptyFile("The file holds a header row and nothing else.")
    notices = text.notices + head.notices
    if text.preamble_lines:
        notices += (tell_first_row(text.records[0].row, has_header=head.has_header),)
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
        newline=text.newline,
        preamble_lines=text.preamble_lines,
        first_row=text.records[0].row,
        rows_above=show_above([(record.row, record.cells) for record in text.above]),
        row_numbers=tuple(numbers[:SAMPLE_ROWS]),
        notices=notices,
    )


def _is_address(row: Sequence[str]) -> bool:
    return len(row) == 1 and looks_like_address(row[0])
