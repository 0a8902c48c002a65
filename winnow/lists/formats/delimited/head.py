"""Inspection of a text list: its beginning parsed with care, the rest scanned once.

Refused are texts whose columns cannot be separated: all their rows would be black.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from winnow.core.errors import BadField, BrokenFile, EmptyFile
from winnow.core.file_faults import FileFault
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.notices import Notice
from winnow.core.meaning.addresses import looks_like_address, names_email
from winnow.lists.formats.delimited.sniff import find_delimiter, find_escape, read_preamble
from winnow.lists.formats.delimited.source import open_source, settle_encoding
from winnow.lists.inspection.columns import EMAIL, find_columns
from winnow.lists.inspection.first_rows import (
    FIRST_ROWS,
    GUESS_ROWS,
    describe_rows,
    find_address_column,
    find_first_row,
)
from winnow.lists.text.escapes import ESCAPE, read_plainly
from winnow.lists.text.records import MAX_CELL_BYTES
from winnow.lists.text.splitter import Record, count_lines, split_records

HEAD_BYTES = 1 << 18  # records that begin here are read with care
START_BYTES = HEAD_BYTES + MAX_CELL_BYTES + 4096  # so that their longest cell is seen to end
_ADDRESS = re.compile(r"[\w.%+-]+@[\w-]+(?:\.[\w-]+)*\.\w{2,}")
_ALONE = re.compile(rf".*<.*|\W*(?:mailto:)?{_ADDRESS.pattern}\W*", re.IGNORECASE | re.DOTALL)
_COLUMN_NAME = re.compile(r"[\w-]+")
_MOST = 0.8


def inspect_text(
    path: Path, file_format: FileFormat, choices: Choices, email_column: str | None
) -> Head:
    """Inspect a text list; see ``ListFormat.read_head``."""
    with path.open("rb") as file:
        source = open_source(path, file.read(HEAD_BYTES), choices.encoding)
    start = source.read_start(START_BYTES)  # before all of a large file is read
    if 0 in start:
        line = 1 + count_lines(start[: start.index(0)].decode("latin-1"))
        raise BrokenFile(
            "Line {line:d} holds a NUL byte, so this is no text file.",
            fault=FileFault.NOT_A_LIST,
            line=line,
            hint="Save the list as CSV or XLSX again and upload that file.",
        )
    source = settle_encoding(source)
    start = source.read_start(START_BYTES)
    is_whole = len(start) < START_BYTES
    # One character a byte: quotes, delimiters and line breaks are found in any encoding here.
    text = start.decode("latin-1")
    skipped, preamble_lines, sep = read_preamble(text)
    text = text[skipped:]
    if not text.strip():
        raise EmptyFile("The file holds no row.")
    head_text, is_head_whole = text[:HEAD_BYTES], is_whole and len(text) <= HEAD_BYTES
    notices: tuple[Notice, ...] = ()
    if (mark := choices.delimiter) is not None:
        if len(mark) != 1 or not mark.isascii() or mark in '"\r\n\0':
            raise BadField("delimiter", "one ASCII character that is no quote and no line break")
    elif sep is not None and sep.isascii():
        mark = sep
    else:
        mark, notices = find_delimiter(head_text, file_format, is_whole=is_head_whole)
    if (escape := choices.escape) is None:
        escape = find_escape(head_text, mark, is_whole=is_head_whole)
    elif escape not in ("", ESCAPE):
        raise BadField("escape", "a backslash, or nothing where quotes are doubled")
    line = preamble_lines + 1
    if escape:
        is_whole = is_head_whole
        plain = read_plainly(head_text.encode("latin-1"), mark, first_line=line, is_whole=is_whole)
        text = plain.decode("latin-1")
    shapes, end = _read_records(text, mark, line, is_whole=is_whole)
    if not shapes:
        raise BrokenFile(
            "Line {line:d}: a row is longer than 1 MiB.",
            fault=FileFault.TOO_LARGE,
            line=line,
            hint="Check that it is a list, one address a row.",
        )
    size_bytes = path.stat().st_size
    codec = "utf-8" if source.codec else source.encoding
    records = [
        replace(
            shape,
            cells=tuple(one.encode("latin-1").decode(codec, "replace") for one in shape.cells),
        )
        for shape in shapes
    ]
    numbered = [(record.row, record.cells) for record in records]
    place = find_first_row(numbered, choices.first_row, email_column or EMAIL)
    head = describe_rows(numbered, place, _look_at_header(records[place:], file_format, choices))
    left_out = place + head.has_header
    count = len(records) - left_out if is_whole and end == len(text) else None
    if count == 0 and not head.headerless_guess:
        raise EmptyFile("The file holds a header row and nothing else.")
    unit_bytes = 2 if source.encoding.startswith("utf-16") else 1
    estimate = len(records) * size_bytes // (end * unit_bytes)
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
        _refuse_odd_header(rows, is_delimiter_chosen=choices.delimiter is not None)
    first = rows[0].cells
    is_address = len(first) == 1 and looks_like_address(first[0])
    if file_format is FileFormat.TXT and choices.has_header is None and is_address:
        return replace(choices, has_header=False)  # one address a line, as a plain list has it
    return choices


def _refuse_odd_header(records: Sequence[Record], *, is_delimiter_chosen: bool) -> None:
    """Refuse a header whose names are not those of the columns below it; it is the first record.

    Rows are one cell each below several names, one of them of mail, and that is not meant; or the
    header lacks the first column's name, as R writes it.
    """
    header, rows = records[0], records[1:GUESS_ROWS]
    if len(header.cells) == 1 and not is_delimiter_chosen and _is_unparted(header.cells[0], rows):
        raise BrokenFile(
            "Line {line:d}: the columns are not separated by a comma, a semicolon, a tab or a "
            "vertical bar.",
            fault=FileFault.COLUMNS,
            line=header.line,
            hint="Export the list with one of these and upload it again.",
        )
    if _lacks_first_name(header.cells, [row.cells for row in rows]):
        raise BrokenFile(
            "Line {line:d}: the header has one name less than there are columns.",
            fault=FileFault.COLUMNS,
            line=header.line,
            hint="Put a name or a delimiter before the others (in R: write.csv), and upload the "
            "list again.",
        )


def _is_unparted(header: str, rows: Sequence[Record]) -> bool:
    """Return whether a header is several names, one of them of mail, above whole rows in a cell."""
    names = _COLUMN_NAME.findall(header)
    if len(names) < 2 or not any(map(names_email, names)):
        return False
    addressed = [row.cells[0] for row in rows if _ADDRESS.search(row.cells[0])]
    whole = [cell for cell in addressed if not _ALONE.fullmatch(cell)]
    return 2 * len(whole) > len(addressed)


def _lacks_first_name(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a header begins with the name of the second column.

    All rows have one cell more, and the column of addresses is one to the right of its name.
    """
    longer = [row for row in rows if len(row) == len(header) + 1]
    if not longer or len(longer) < _MOST * len(rows):
        return False
    if not any(row[-1].strip() for row in longer):  # each row just ends in a delimiter
        return False
    column = find_address_column(longer)
    named = {*find_columns(header), *(p for p, name in enumerate(header) if names_email(name))}
    return column is not None and column not in named and column - 1 in named


def _read_records(
    text: str, delimiter: str, line: int, *, is_whole: bool
) -> tuple[list[Record], int]:
    """Return the first records without blank lines, and where they end.

    Those that begin in the first bytes, and of long ones as many as are shown.
    """
    found: list[Record] = []
    end = 0
    for record in split_records(text, delimiter, is_whole=is_whole, first_line=line):
        end = record.end
        if not record.is_blank:
            found.append(record)
        if end >= HEAD_BYTES and len(found) >= FIRST_ROWS:
            break
    return found, end
