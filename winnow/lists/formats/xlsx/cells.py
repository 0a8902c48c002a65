"""Parser for rows and cells of a sheet's XML, in every spelling that XML allows.

A tag may have any namespace prefix, either quote, blanks and line breaks, and its attributes in any
order; rows may lack their numbers and cells their places (ISO/IEC 29500-1, 18.3.1.4 and 18.3.1.73).
The XML comes from ``check_xml`` and is well-formed.
"""

import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile
from winnow.lists.formats.xlsx.xml import ATTRIBUTES, NAME, read_attributes
from winnow.lists.new_workbook import MAX_COLUMNS, MAX_ROWS
from winnow.lists.text.arrow_cells import read_buffers
from winnow.lists.text.records import BLANKS
from winnow.words import mark

MAX_DIGITS = 10  # of any number of ours; Python itself gives up at 4,300
MAX_TEXT_BYTES = 32 << 20  # of the texts at once

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
_NOT_BLANK = f"[^{BLANKS.decode()}]"
_PLACE = re.compile(rb"\s*\$?([A-Za-z]{1,3})\$?([0-9]{1,7})\s*\Z")

NUMBERS = (None, b"", b"n", b"b")  # what cells with numbers and truth values say of their kind

Positions = NDArray[np.int64]
Mask = NDArray[np.bool_]
ReadText = Callable[[bytes | None, bytes, int], bytes]


@dataclass(frozen=True, slots=True)
class CellBlock:
    """Rows that follow one another, and all their cells from left to right.

    ``numbers`` are the rows' own, from 1; the other columns have an entry for each cell: ``rows``
    is the position of its row in ``numbers``, ``columns`` counts from 0, ``styles`` are 0 for none.
    ``texts`` are what a person would read, in UTF-8; of a formula its stored value. ``has_text``
    says which are not empty, ``is_filled`` which are more than blanks, ``is_number`` which cells
    are of numbers or truth values. ``rests`` is the XML in a cell that is no plain value.
    ``previous`` is the number of the row before the block.
    """

    numbers: Positions
    rows: Positions
    columns: Positions
    styles: Positions
    texts: pa.Array
    has_text: Mask
    is_filled: Mask
    is_number: Mask
    rests: list[bytes | None]
    previous: int

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(self.numbers)

    @property
    def last_number(self) -> int:
        """The number of the last row, or of the one before the block."""
        return int(self.numbers[-1]) if len(self.numbers) else self.previous

    def has_formula(self, cell: int) -> bool:
        """Whether a cell is worked out."""
        rest = self.rests[cell]
        return rest is not None and FORMULA.search(rest) is not None

    def lacks_value(self, cell: int) -> bool:
        """Whether a formula shows nothing because the workbook does not store its value."""
        return bool(self.is_number[cell] and not self.has_text[cell] and self.has_formula(cell))

    def list_formulas(self, row: int) -> list[bytes]:
        """Return the formulas of a row, as written, of those that have a text of their own."""
        first, last = np.searchsorted(self.rows, (row, row + 1)).tolist()
        found = (FORMULA.search(rest) for rest in self.rests[first:last] if rest)
        return [match[3] for match in found if match is not None and match[3]]

    def find_cells(self, column: int) -> Positions:
        """Return for each row its cell with a value in a column, -1 for none."""
        found = np.full(self.row_count, -1)
        cells = np.flatnonzero((self.columns == column) & self.is_filled)
        found[self.rows[cells]] = cells
        return found

    def find_last_columns(self, is_wanted: Mask) -> Positions:
        """Return for each row the column of the last of its cells that are wanted, -1 for none."""
        found = np.full(self.row_count, -1)
        cells = np.flatnonzero(is_wanted)
        found[self.rows[cells]] = self.columns[cells]  # a row's last is written last
        return found

    def take(self, cells: Positions) -> pa.Array:
        """Return the texts of some cells, null for -1."""
        return self.texts.take(pa.array(cells, mask=cells < 0))

    def list_rows(self, is_wanted: Mask) -> list[tuple[int, tuple[str, ...]]]:
        """Return some rows' numbers, and their texts from column A to the last; blanks are none."""
        cells = np.flatnonzero(self.is_filled & is_wanted[self.rows])
        lasts = self.find_last_columns(self.is_filled).tolist()
        found = {row: [""] * (lasts[row] + 1) for row in np.flatnonzero(is_wanted).tolist()}
        texts = self.texts.take(pa.array(cells)).to_pylist()
        places = zip(self.rows[cells].tolist(), self.columns[cells].tolist(), strict=True)
        for (row, column), text in zip(places, texts, strict=True):
            found[row][column] = text.decode()
        return [(int(self.numbers[row]), tuple(words)) for row, words in found.items()]


class _SheetRows:
    """Collects rows and their cells for a block."""

    def __init__(self, previous: int) -> None:
        self.previous = previous
        self.numbers: list[int] = []
        self.rows, self.columns, self.styles = array("q"), array("q"), array("q")
        self.is_number = bytearray()
        self.texts: list[bytes] = []
        self.rests: list[bytes | None] = []
        self.text_bytes = self.row_bytes = 0  # of all texts, of those before the last row

    def build(self) -> CellBlock:
        texts = pa.array(self.texts, pa.large_binary())
        data, starts, ends = read_buffers(texts)
        has_text = ends > starts
        is_filled = has_text & (data.take(starts, mode="clip") > ord(" "))
        doubtful = has_text & ~is_filled
        some = pc.match_substring_regex(texts.filter(pa.array(doubtful)), _NOT_BLANK)
        is_filled[doubtful] = some.to_numpy(zero_copy_only=False)
        return CellBlock(
            np.array(self.numbers, np.int64),
            np.array(self.rows),
            np.array(self.columns),
            np.array(self.styles),
            texts,
            has_text,
            is_filled,
            np.frombuffer(bytes(self.is_number), np.bool_),
            self.rests,
            self.previous,
        )


class MalformedRow(ValueError):
    """A row's XML is not what a worksheet may hold, or a cell's value is none.

    ``what`` says what is wrong with it, where that is known; ``previous`` is the number of the row
    before it.
    """

    def __init__(self, what: str = "", previous: int = 0) -> None:
        super().__init__(what)
        self.what = mark(what)
        self.previous = previous

    def explain(self, sheet: str) -> BrokenFile:
        """Return an error that names the sheet and the row."""
        what = self.what or mark("cannot be read")
        detail = mark("The sheet's row after row {row} {problem}.", row=self.previous, problem=what)
        if not self.previous:
            detail = mark("The sheet's first row {problem}.", problem=what)
        return BrokenFile(
            detail,
            hint="Open the workbook in a spreadsheet program and save it again as .xlsx.",
            sheet=sheet,
        )


def read_rows(
    region: bytes, previous: int, read_text: ReadText, most_rows: int = MAX_ROWS
) -> Iterator[CellBlock]:
    """Yield the rows of a region of whole rows, some at a time where their texts are long.

    Args:
        region: XML.
        previous: The number of the row before it.
        read_text: Returns the text of a value, by its cell's kind and style.
        most_rows: How many rows a block has.

    Raises:
        MalformedRow: Rows or cells out of their places, values that are none, or a row of more
            than MAX_TEXT_BYTES.
    """
    block = _SheetRows(previous)
    number, before, column = previous, previous, -1
    digits = b""
    for found in _TAG.finditer(region):
        is_row, attributes, letters, stated, styled, kind, others, value, rest = found.groups()
        if is_row:
            before, number, column = number, read_number(attributes, number), -1
            if block.text_bytes > MAX_TEXT_BYTES or len(block.numbers) >= most_rows:
                yield block.build()
                block = _SheetRows(before)
            digits = b"%d" % number
            block.numbers.append(number)
            block.row_bytes = block.text_bytes
            continue
        try:
            if others:
                letters, stated, styled, kind = _read_cell_tag(others)
            if stated is not None and stated != digits and int(stated) != number:
                raise MalformedRow("has a cell with the reference of another row")
            column = _move_on(column, letters)
            if not block.numbers:
                raise MalformedRow("has cells out of order")
            if rest:
                value = _find_value(rest, kind)
            style = read_style(styled)
            text = read_text(kind, value, style) if value else b""
        except ValueError as error:
            what = error.what if isinstance(error, MalformedRow) else ""
            raise MalformedRow(what, before) from error
        block.text_bytes += len(text)
        if block.text_bytes - block.row_bytes > MAX_TEXT_BYTES:
            raise MalformedRow("", before)
        block.rows.append(len(block.numbers) - 1)
        block.columns.append(column)
        block.styles.append(style)
        block.is_number.append(kind in NUMBERS)
        block.texts.append(text)
        block.rests.append(rest)
    yield block.build()


def _move_on(previous: int, letters: bytes | None) -> int:
    """Return the column of a cell, which is right of the one before."""
    column = column_index(letters) if letters else previous + 1
    if column <= previous:
        raise MalformedRow("has cells out of order")
    if column >= MAX_COLUMNS:
        raise MalformedRow(mark("has more than {most} columns", most=MAX_COLUMNS))
    return column


def read_number(attributes: bytes, previous: int) -> int:
    """Return the number of a row by the attributes of its tag.

    Raises:
        MalformedRow: It does not follow the row before.
    """
    if attributes.startswith(b' r="'):
        stated = attributes[4 : attributes.index(b'"', 4)]
    else:
        stated = _read_attributes(attributes).get("r", str(previous + 1)).strip().encode()
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
    found = _read_attributes(attributes)
    letters = digits = None
    if "r" in found:
        place = _PLACE.match(found["r"].encode())
        if place is None:
            raise MalformedRow("has a cell without a valid reference")
        letters, digits = place[1].upper(), place[2]
    style, kind = (found.get(name, "").strip().encode() for name in ("s", "t"))
    return letters, digits, style, kind


def _read_attributes(text: bytes) -> dict[str, str]:
    """Return a tag's attributes as they are written, since rows are renumbered as written."""
    if b"&" in text:
        raise MalformedRow("has attributes that no spreadsheet program writes")
    return read_attributes(text)
