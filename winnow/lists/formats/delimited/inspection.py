"""Inspection of a text list: its beginning parsed with care, the rest scanned once."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from winnow.core.errors import BadField, BrokenFile, EmptyFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.task import Notice
from winnow.lists.formats.delimited.odd_shapes import refuse_odd_header
from winnow.lists.formats.delimited.sniff import find_delimiter, find_escape, read_preamble
from winnow.lists.formats.delimited.source import open_source, settle_encoding
from winnow.lists.inspection.columns import EMAIL, looks_like_address
from winnow.lists.inspection.first_look import tell_rows
from winnow.lists.inspection.first_row import find_first_row
from winnow.lists.text.escapes import ESCAPE, read_plainly
from winnow.lists.text.splitter import CELL_MAX_CHARACTERS, Record, count_lines, split_records
from winnow.words import mark

HEAD_BYTES = 1 << 18  # records that begin here are read with care
HEAD_RECORDS = 100_000  # as many at most: lines of a few bytes each would take seconds
START_BYTES = HEAD_BYTES + CELL_MAX_CHARACTERS + 4096  # so that their longest cell is seen to end
_NUL_HINT = mark("Save the list as CSV or XLSX again and upload that file.")


def inspect_text(
    path: Path, file_format: FileFormat, choices: Choices, email_column: str | None
) -> Head:
    """Inspect a text list; see ``ListFormat.read_head``."""
    with path.open("rb") as file:
        source = open_source(path, file.read(HEAD_BYTES), choices.encoding)
    _refuse_nul(source.read_start(START_BYTES))  # before all of a large file is read
    source = settle_encoding(source)
    start = source.read_start(START_BYTES)
    is_whole = len(start) < START_BYTES
    # One character a byte: quotes, delimiters and line breaks are found in any encoding here.
    text = start.decode("latin-1")
    skipped, preamble_lines, sep = read_preamble(text)
    text = text[skipped:]
    if not text.strip():
        raise EmptyFile("The file holds no row.")
    notices: tuple[Notice, ...] = ()
    if choices.delimiter is not None:
        mark = _check_delimiter(choices.delimiter)
    elif sep is not None and sep.isascii():
        mark = sep
    else:
        mark, notices = find_delimiter(text, file_format, is_whole=is_whole)
    if choices.escape is not None:
        escape = _check_escape(choices.escape)
    else:
        escape = find_escape(text, mark, is_whole=is_whole)
    written, line = text.encode("latin-1"), preamble_lines + 1
    if escape:
        is_whole = is_whole and len(written) <= HEAD_BYTES
        written = written[:HEAD_BYTES]
        plain = read_plainly(written, mark, first_line=line, is_whole=is_whole)
        text = plain.decode("latin-1")
    shapes, end = _read_records(text, mark, line, is_whole=is_whole)
    if not shapes:
        raise BrokenFile(
            "Line {line:d}: a row is longer than 1 MiB.",
            line=line,
            hint="Check that it is a list, one address a row.",
        )
    size_bytes = path.stat().st_size
    codec = "utf-8" if source.codec else source.encoding
    records = tuple(_decode(shape, codec) for shape in shapes)
    numbered = [(record.row, record.cells) for record in records]
    place = find_first_row(numbered, choices.first_row, email_column or EMAIL)
    head = tell_rows(numbered, place, _look_at_header(records[place:], file_format, choices))
    left_out = place + head.has_header
    count = len(records) - left_out if is_whole and end == len(text) else None
    if count == 0 and not head.headerless_guess:
        raise EmptyFile("The file holds a header row and nothing else.")
    estimate = len(records) * size_bytes // (end * source.unit_bytes)
    return replace(
        head,
        file_format=file_format,
        size_bytes=size_bytes,
        row_count=count,
        row_estimate=estimate - left_out if count is None else count,
        encoding=source.encoding,
        encoding_doubt=source.doubt,
        delimiter=mark,
        escape=escape,
        preamble_lines=records[place].line - 1,
        notices=(*notices, *source.notices, *head.notices),
    )


def _look_at_header(rows: Sequence[Record], file_format: FileFormat, choices: Choices) -> Choices:
    """Refuse a header that cannot be read; return the choices, without one for plain addresses."""
    if choices.has_header is not False:
        refuse_odd_header(rows, is_delimiter_chosen=choices.delimiter is not None)
    first = rows[0].cells
    is_address = len(first) == 1 and looks_like_address(first[0])
    if file_format is FileFormat.TXT and choices.has_header is None and is_address:
        return replace(choices, has_header=False)  # one address a line, as a plain list has it
    return choices


def _read_records(
    text: str, delimiter: str, line: int, *, is_whole: bool
) -> tuple[list[Record], int]:
    """Return the records that begin in the first bytes, without blank lines, and where they end."""
    records = split_records(text, delimiter, is_whole=is_whole, first_line=line)
    found: list[Record] = []
    end = 0
    for record in islice(records, HEAD_RECORDS):
        end = record.end
        if not record.is_blank:
            found.append(record)
        if end >= HEAD_BYTES:
            break
    return found, end


def _decode(record: Record, encoding: str) -> Record:
    """Decode a record that was read one character a byte."""
    if all(map(str.isascii, record.cells)):
        return record
    cells = (cell.encode("latin-1").decode(encoding, "replace") for cell in record.cells)
    return replace(record, cells=tuple(cells))


def _check_delimiter(delimiter: str) -> str:
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise BadField("delimiter", "one ASCII character that is no quote and no line break")
    return delimiter


def _check_escape(escape: str) -> str:
    if escape not in ("", ESCAPE):
        raise BadField("escape", "a backslash, or nothing where quotes are doubled")
    return escape


def _refuse_nul(head: bytes) -> None:
    """Raise BrokenFile, with its line, for a NUL byte."""
    if 0 in head:
        line = 1 + count_lines(head[: head.index(0)].decode("latin-1"))
        raise BrokenFile(
            "Line {line:d} holds a NUL byte, so this is no text file.", line=line, hint=_NUL_HINT
        )
