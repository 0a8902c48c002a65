"""Parser for rows and cells of a sheet's XML, in every spelling that XML allows.

A tag may have any namespace prefix, either quote, blanks and line breaks, and its attributes in any
order; rows may lack their numbers and cells their places (ISO/IEC 29500-1, 18.3.1.4 and 18.3.1.73).
The XML comes from ``clean_chunks`` and is well-formed.
"""

import re
from array import array
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile
from winnow.lists.formats.xlsx.xml import ATTRIBUTES, NAME, read_attributes
from winnow.lists.new_workbook import MAX_COLUMNS, MAX_ROWS
from winnow.words import mark

MAX_DIGITS = 10  # of any number of ours; Python itself gives up at 4,300

_CELL = (
    rb"<" + NAME + rb'c(?: r="([A-Z]{1,3}+)([0-9]++)"(?: s="([0-9]++)")?+(?: t="([A-Za-z]++)")?+'
    rb"(?=/?>)|(?=[\s/>])" + ATTRIBUTES + rb")(?:/>|>"
    rb"(?:<" + NAME + rb"v>([^<]*+)</" + NAME + rb"v>(?=</" + NAME + rb"c))?+"
    rb"((?:[^<]++|<(?!/?" + NAME + rb"c[\s/>]))*+)</" + NAME + rb"c\s*+>)"
)
_ROW = rb"<" + NAME + rb"(row)(?=[\s/>])" + ATTRIBUTES + rb"/?>"
_TAG = re.compile(_ROW + rb"|" + _CELL)
CELL = re.compile(_CELL)  # groups: letters, digits, style, kind, other attributes, value, the rest
ROW = re.compile(_ROW)
VALUE = re.compile(rb"<" + NAME + rb"v(?=[\s>])[^<>]*+(?<!/)>([^<]*+)</")
TEXT = re.compile(rb"<" + NAME + rb"t(?=[\s>])[^<>]*+(?<!/)>([^<]*+)</")
FORMULA = re.compile(
    rb"<(" + NAME + rb"f)(?=[\s/>])" + ATTRIBUTES + rb"(?:/>|>([^<]*+)</" + NAME + rb"f\s*+>)"
)
_PHONETIC = re.compile(  # reading aids, not part of the text (ISO/IEC 29500-1, 18.4.6)
    rb"<(" + NAME + rb"rPh)(?=[\s>])[^<>]*+(?<!/)>.*?</\1\s*+>", re.DOTALL
)
_PLACE = re.compile(rb"\s*\$?([A-Za-z]{1,3})\$?([0-9]{1,7})\s*\Z")

Positions = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CellBlock:
    """Rows that follow one another, and all their cells from left to right.

    ``numbers`` are the rows' own, from 1; the other columns have an entry for each cell: ``rows``
    is the position of its row in ``numbers``, ``columns`` counts from 0, ``styles`` are 0 for none.
    ``kinds`` are the ``t`` attributes (None for a number); ``values`` the XML text of the values,
    of an inline string that of all its runs; ``shared`` the index of the shared string that a cell
    shows instead, -1 for none; ``rests`` the XML in a cell that is no plain value.
    ``previous`` is the number of the row before the block.
    """

    numbers: Positions
    rows: Positions
    columns: Positions
    styles: Positions
    shared: Positions
    kinds: list[bytes | None]
    values: list[bytes | None]
    rests: list[bytes | None]
    previous: int

    @property
    def last_number(self) -> int:
        """The number of the last row, or of the one before the block."""
        return int(self.numbers[-1]) if len(self.numbers) else self.previous

    def number_before(self, cell: int) -> int:
        """Return the number of the row before that of a cell."""
        row = int(self.rows[cell])
        return int(self.numbers[row - 1]) if row else self.previous

    def has_formula(self, cell: int) -> bool:
        """Whether a cell is worked out."""
        rest = self.rests[cell]
        return rest is not None and FORMULA.search(rest) is not None

    def list_formulas(self, row: int) -> list[bytes]:
        """Return the formulas of a row, as written, of those that have a text of their own."""
        first, last = np.searchsorted(self.rows, (row, row + 1)).tolist()
        found = (FORMULA.search(rest) for rest in self.rests[first:last] if rest)
        return [match[3] for match in found if match is not None and match[3]]

    def pick(self, is_row: Mask, is_cell: Mask) -> "CellBlock":
        """Return some rows and those of their cells that are wanted."""
        wanted = is_cell & is_row[self.rows]
        chosen = wanted.tolist()
        first = int(np.argmax(is_row)) if len(is_row) else 0
        return CellBlock(
            self.numbers[is_row],
            (np.cumsum(is_row) - 1)[self.rows[wanted]],
            self.columns[wanted],
            self.styles[wanted],
            self.shared[wanted],
            list(compress(self.kinds, chosen)),
            list(compress(self.values, chosen)),
            list(compress(self.rests, chosen)),
            int(self.numbers[first - 1]) if first else self.previous,
        )


class MalformedRow(ValueError):
    """A row's XML is not what a worksheet may hold, or a cell's value is none.

    ``what`` says what is wrong with it, where that is known; ``previous`` is the number of the row
    before it.
    """

    def __init__(self, what: str = "", previous: int = 0) -> None:
        super().__init__(what)
        self.previous = previous

    def explain(self, sheet: str) -> BrokenFile:
        """Return an error that names the sheet and the row."""
        what = str(self) or mark("cannot be read")
        detail = mark(f"The sheet's row after row {self.previous:,} {what}.")
        if not self.previous:
            detail = mark(f"The sheet's first row {what}.")
        return BrokenFile(
            detail,
            hint="Open the workbook in a spreadsheet program and save it again as .xlsx.",
            sheet=sheet,
        )


def parse_rows(region: bytes, previous: int) -> CellBlock:
    """Return the rows of a region of whole rows; ``previous`` is the number of the row before.

    Raises:
        MalformedRow: Rows or cells out of their places.
    """
    numbers: list[int] = []
    rows, columns, styles, shared = array("q"), array("q"), array("q"), array("q")
    kinds: list[bytes | None] = []
    values: list[bytes | None] = []
    rests: list[bytes | None] = []
    number, before, column = previous, previous, -1
    digits = b""
    for found in _TAG.finditer(region):
        is_row, attributes, *cell = found.groups()
        if is_row:
            before, number, column = number, read_number(attributes, number), -1
            digits = b"%d" % number
            numbers.append(number)
            continue
        letters, stated, style, kind, others, value, rest = cell
        try:
            if others:
                letters, stated, style, kind = _read_cell_tag(others)
            if stated is not None and stated != digits and int(stated) != number:
                raise MalformedRow("has a cell with the reference of another row")
            column = _move_on(column, letters)
            if rest:
                value = _find_value(rest, kind)
            index = -1
            if kind == b"s" and value:
                index, value = _read_index(value), None
        except MalformedRow as error:
            raise MalformedRow(str(error), before) from error
        if not numbers:
            raise MalformedRow("has cells out of order", previous)
        rows.append(len(numbers) - 1)
        columns.append(column)
        styles.append(read_style(style))
        kinds.append(kind)
        shared.append(index)
        values.append(value)
        rests.append(rest)
    return CellBlock(
        np.array(numbers, np.int64),
        np.array(rows),
        np.array(columns),
        np.array(styles),
        np.array(shared),
        kinds,
        values,
        rests,
        previous,
    )


def _read_index(value: bytes) -> int:
    """Return the index of a shared string, -1 for blanks."""
    digits = value.strip()
    if digits and not (digits.isdigit() and len(digits) <= MAX_DIGITS):
        raise MalformedRow
    return int(digits) if digits else -1


def _move_on(previous: int, letters: bytes | None) -> int:
    """Return the column of a cell, which is right of the one before."""
    column = column_index(letters) if letters else previous + 1
    if column <= previous:
        raise MalformedRow("has cells out of order")
    if column >= MAX_COLUMNS:
        raise MalformedRow(f"has more than {MAX_COLUMNS:,} columns")
    return column


def read_number(attributes: bytes, previous: int) -> int:
    """Return the number of a row by the attributes of its tag.

    Raises:
        MalformedRow: It does not follow the row before.
    """
    if attributes.startswith(b' r="'):
        stated = attributes[4 : attributes.index(b'"', 4)]
    else:
        stated = read_attributes(attributes).get(b"r", b"%d" % (previous + 1)).strip()
    if not stated.isdigit() or len(stated) > MAX_DIGITS:
        raise MalformedRow("has a number that is not valid", previous)
    number = int(stated)
    if not previous < number <= MAX_ROWS:
        raise MalformedRow("is out of order", previous)
    return number


@lru_cache(maxsize=1 << 16)
def read_style(digits: bytes | None) -> int:
    """Return the number of a style, 0 for none."""
    return int(digits) if digits and digits.isdigit() and len(digits) <= MAX_DIGITS else 0


def find_column(found: re.Match[bytes], previous: int) -> int:
    """Return the column, from 0, of a cell that ``CELL`` found, the column before it given."""
    letters = found[1] or _read_cell_tag(found[5] or b"")[0]
    return column_index(letters) if letters else previous + 1


def join_runs(rest: bytes) -> bytes:
    """Return the XML text of all runs of a string, without reading aids."""
    if b"rPh" in rest:
        rest = _PHONETIC.sub(b"", rest)
    return b"".join(TEXT.findall(rest))


@lru_cache(maxsize=1 << 16)
def column_index(letters: bytes) -> int:
    """Return a column's position from 0: A is 0, XFD is 16,383; -1 for no letters."""
    index = 0
    for letter in letters:
        index = index * 26 + letter - 64
    return index - 1


def _find_value(rest: bytes, kind: bytes | None) -> bytes:
    if kind == b"inlineStr":
        return join_runs(rest)
    found = VALUE.search(rest)
    return found[1] if found is not None else b""


def _read_cell_tag(
    attributes: bytes,
) -> tuple[bytes | None, bytes | None, bytes | None, bytes | None]:
    """Return the letters and the digits of a cell's place, its style and its kind."""
    found = read_attributes(attributes)
    letters = digits = None
    if b"r" in found:
        place = _PLACE.match(found[b"r"])
        if place is None:
            raise MalformedRow("has a cell without a valid reference")
        letters, digits = place[1].upper(), place[2]
    return letters, digits, found.get(b"s", b"").strip(), found.get(b"t", b"").strip()
