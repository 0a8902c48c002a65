"""Record splitter by the rules of RFC 4180 and Excel, for a list's beginning."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from winnow.lists.text.records import (
    BLANKS,
    MAX_CELL_BYTES,
    MAX_COLUMNS,
    oversized_cell,
    too_many_columns,
    unclosed_quote,
)

_BLANKS = BLANKS.decode()
_LINE = re.compile(r"([^\r\n]*+)(\r\n|\r|\n|\Z)")


@dataclass(frozen=True, slots=True)
class Record:
    """One record. ``line`` is its first physical line, from 1.

    ``row`` is its number as a spreadsheet shows it: a record with line breaks is one row.

    ``end`` is where it ends in the text, its line break included. ``is_blank``: nothing but white
    space on the line. ``has_stray_quote``: a quote in mid-cell, or text after a closing quote.
    """

    line: int
    cells: tuple[str, ...]
    end: int
    is_blank: bool
    has_stray_quote: bool
    row: int


@lru_cache(maxsize=16)
def _compile_cell(delimiter: str) -> re.Pattern[str]:
    mark = re.escape(delimiter)
    plain = rf"[^{mark}\r\n]*+"
    quoted = rf'"([^"]*+(?>(?:""[^"]*+)*))"({plain})'
    return re.compile(rf'(?:{quoted}|(?!")({plain}))({mark}|\r\n|\r|\n|\Z)')


def split_records(
    text: str, delimiter: str, *, is_whole: bool, first_line: int = 1
) -> Iterator[Record]:
    """Yield the records of a text.

    A quote opens a quoted cell only where the cell begins; elsewhere it is text. One that closes
    in mid-cell on a later line was never closed.

    Args:
        text: A list's beginning, without BOM.
        delimiter: One character.
        is_whole: The text reaches to the end of the file. If not, what the cut leaves of the last
            record is not yielded.
        first_line: The number of the text's first physical line.

    Raises:
        BrokenFile: With its line: a quote that never closes, a cell over 1 MiB, too many columns.
            Records before it have been yielded.
    """
    match_cell, match_line = _compile_cell(delimiter).match, _LINE.match
    place, line, row, size = 0, first_line, first_line, len(text)
    cells: list[str] = []
    start, start_line, is_stray = 0, line, False
    quote = -1  # the next one
    while start < size:
        if place == start and quote < start:
            quote = text.find('"', start)
            quote = size if quote < 0 else quote
        if (
            place == start
            and (whole := match_line(text, start))
            and whole.end() <= quote
            and len(whole[1]) <= MAX_CELL_BYTES
        ):  # a record without quotes, much faster so
            quoted, cells, end, place = None, whole[1].split(delimiter), whole[2], whole.end()
        else:
            match = match_cell(text, place)
            if match is None:
                if is_whole or size - place > MAX_CELL_BYTES:
                    raise (unclosed_quote if is_whole else oversized_cell)().name_line(line)
                return
            quoted, tail, plain, end = match.groups()
            if match.start(4) - place > MAX_CELL_BYTES:
                raise oversized_cell().name_line(line)
            if quoted is None:
                cells.append(plain)
                is_stray = is_stray or '"' in plain
            else:
                cells.append(quoted.replace('""', '"') + tail)
                is_stray = is_stray or bool(tail)
                breaks = count_lines(quoted)  # there are none outside of quotes
                if tail and breaks:
                    raise unclosed_quote().name_line(line)  # another cell's quote opens there
                line += breaks
            place = match.end()
        if len(cells) > MAX_COLUMNS:
            raise too_many_columns().name_line(start_line)
        if end == delimiter:
            continue
        if place == size and not is_whole and end != "\n":  # cut off, perhaps within CRLF
            return
        is_blank = quoted is None and len(cells) == 1 and not cells[0].strip(_BLANKS)
        yield Record(start_line, tuple(cells), place, is_blank, is_stray, row)
        line += 1
        row += 1
        cells, start, start_line, is_stray = [], place, line, False


def count_lines(text: str) -> int:
    """Return how many line breaks a text holds; CRLF is one."""
    return text.count("\n") + text.count("\r") - text.count("\r\n")
