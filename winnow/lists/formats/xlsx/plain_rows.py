"""Plain rows of a sheet, read by column: as spreadsheet programs and libraries write them.

A plain row has its number, and its cells their places, in double quotes and without a prefix; each
cell holds a value or an inline text. One expression proves it. Every other row (formulas, rich
text, another spelling), and each run of rows in doubt, is left to ``cells``, which words faults.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, pairwise, repeat

import numpy as np

from winnow.lists.formats.xlsx.cells import MAX_TEXT_BYTES, ReadText, read_style
from winnow.lists.sheet_limits import column_letters
from winnow.lists.text.records import BLANKS

MOST_COLUMNS = 256  # compiling the expression of so many takes .1 s
LEAST_ROWS = 8  # a shorter run is not worth it

_ROW = rb'<row r="([1-9][0-9]{0,6})"([^<>]*+)(?<!/)>'
_ROW_END = rb"</row>\s*+(?=<row[\s/>]|\Z)"  # what is between two rows would be a part of the first
# A cell behind its place. Groups: style, kind, value.
_CELL = (
    rb'"(?>(?: s="([0-9]++)")?)(?>(?: t="([A-Za-z]++)")?)(?:/>|>(?>(?:(?:<v>|'
    rb'(?<= t="inlineStr">)<is><t(?>(?: xml:space="preserve")?)>)([^<]*+)</(?:v|t></is)>)?)</c>)'
)
PLAIN_ROW = re.compile(  # groups: number, the tag's rest, cells, the last one's letters, the end
    _ROW + rb'((?>(?:<c r="([A-Z]{1,3}+)\1"[^<>]*+(?:(?<=/)>|>'
    rb"(?>(?:<v>[^<]*+</v>|<is><t[^<>]*+>[^<]*+</t></is>)?)</c>))*))(" + _ROW_END + rb")"
)
_NEEDS_QUOTES = re.compile(rb'[",\r\n]')
_NOT_FILLED = BLANKS + b',"'

Texts = Sequence[bytes | None]


@dataclass(frozen=True, slots=True)
class RowRun:
    """Rows one behind the other: their XML, and if they are plain, their numbers, which ascend.

    ``fields`` are the styles, kinds and values of one column after the other.
    """

    xml: bytes
    numbers: Sequence[bytes] = ()
    fields: Sequence[Texts] = ()


class PlainRows:
    """Finds the plain rows of a sheet.

    Args:
        column_count: How many columns its list has.
        header_row: The number of the last row before its rows.
    """

    def __init__(self, column_count: int, header_row: int) -> None:
        indices = range(column_count if column_count <= MOST_COLUMNS else 0)
        cells = (rb'(?>(?:<c r="%b\1%b)?)' % (column_letters(one), _CELL) for one in indices)
        self._row = re.compile(_ROW + b"".join(cells) + _ROW_END) if indices else None
        self._header_row = header_row

    def split(self, region: bytes) -> Iterator[RowRun]:
        """Yield the XML of rows in order: runs of plain ones, and others."""
        rows = list(self._row.finditer(region)) if self._row is not None else []
        if len(rows) < LEAST_ROWS:
            yield RowRun(region)
            return
        number_texts, _, *fields = zip(*(row.groups() for row in rows), strict=True)
        numbers = np.array(list(map(int, number_texts)))
        starts, ends = np.array([row.span() for row in rows]).T
        is_cut = (starts[1:] != ends[:-1]) | (numbers[1:] <= numbers[:-1])
        is_cut |= (numbers[:-1] <= self._header_row) & (numbers[1:] > self._header_row)
        done = 0
        for first, last in pairwise((0, *np.flatnonzero(is_cut) + 1, len(rows))):
            if last - first >= LEAST_ROWS:
                if done < starts[first]:
                    yield RowRun(region[done : starts[first]])
                done = ends[last - 1]
                texts = [field[first:last] for field in fields]
                yield RowRun(region[starts[first] : done], number_texts[first:last], texts)
        if done < len(region):
            yield RowRun(region[done:])


def quote(text: bytes) -> bytes:
    """Return a cell's text as CSV."""
    needs_quotes = _NEEDS_QUOTES.search(text) is not None
    return b'"%b"' % text.replace(b'"', b'""') if needs_quotes else text


def read_lines(run: RowRun, read_text: ReadText, reached: int, width: int) -> bytes | None:
    """Return a run of plain rows as CSV.

    Args:
        run: The rows.
        read_text: See ``read_cells``.
        reached: The last column that the rows before reach.
        width: How many cells each line has, at least as many as ``PlainRows`` has columns.

    Returns:
        None where the rows have to be read one by one: one is blank, reaches beyond ``reached``,
        holds a value that is none, or all together hold too much text.
    """
    columns, left_bytes = list[list[bytes]](), MAX_TEXT_BYTES
    for column in zip(run.fields[::3], run.fields[1::3], run.fields[2::3], strict=True):
        if len(columns) > reached and any(column[2]):
            return None
        texts = _read_column(column, read_text, left_bytes)
        if texts is None or (left_bytes := left_bytes - sum(map(len, texts))) < 0:
            return None
        if _NEEDS_QUOTES.search(b"\0".join(texts)) is not None:
            texts = [quote(one) if _NEEDS_QUOTES.search(one) else one for one in texts]
        columns.append(texts)
    lines = list(map(b",".join, zip(*columns, strict=True)))
    if not all(map(bytes.strip, lines, repeat(_NOT_FILLED))):
        return None
    ending = b"," * (width - len(columns)) + b"\n"
    return ending.join((*lines, b""))


def _read_column(
    column: tuple[Texts, Texts, Texts], read_text: ReadText, most_bytes: int
) -> list[bytes] | None:
    """Return the texts of a column, of which each different cell is read once."""
    _, kinds, values = column
    if set(compress(kinds, values)) <= {b"inlineStr"}:
        texts = [value or b"" for value in values]
        joined = b"\0".join(texts)
        if not (b"&" in joined or b"_x" in joined or b"\r" in joined):
            return texts
    cells = list(zip(*column, strict=True))
    known = dict[tuple[bytes | None, ...], bytes]()
    for cell in dict.fromkeys(cells):
        style, kind, value = cell
        try:
            known[cell] = read_text(kind, value, read_style(style)) if value else b""
        except ValueError:
            return None
        most_bytes -= len(known[cell])
        if most_bytes < 0:
            return None
    return [known[cell] for cell in cells]
