"""Parser for rows and cells of a sheet's XML, in every spelling that XML allows.

A tag may have any namespace prefix, either quote, blanks and line breaks, and its attributes in any
order; rows may lack their numbers and cells their places (ISO/IEC 29500-1, 18.3.1.4 and 18.3.1.73).
The XML comes from ``check_xml`` and is well-formed.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from winnow.core.errors import BrokenFile
from winnow.lists.formats.xlsx.archive import SAVE_AGAIN
from winnow.lists.formats.xlsx.xml import ATTRIBUTES, NAME, read_attributes
from winnow.lists.sheet_limits import MAX_COLUMNS, MAX_ROWS
from winnow.lists.text.records import BLANKS
from winnow.words import translatable

MAX_DIGITS = 10  # of any number of ours; Python itself gives up at 4,300
MAX_TEXT_BYTES = 32 << 20  # of the texts of a row

CELL = re.compile(  # groups: letters, digits, style, kind, other attributes, value, the rest
    rb"<" + NAME + rb'c(?: r="([A-Z]{1,3}+)([0-9]++)"(?>(?: s="([0-9]++)")?)'
    rb'(?>(?: t="([A-Za-z]++)")?)'
    rb"(?=/?>)|(?=[\s/>])" + ATTRIBUTES + rb")(?:/>|>"
    rb"(?>(?:<" + NAME + rb"v>([^<]*+)</" + NAME + rb"v>(?=</" + NAME + rb"c))?)"
    rb"((?>(?:[^<]++|<(?!/?" + NAME + rb"c[\s/>]))*))</" + NAME + rb"c\s*+>)"
)
ROW = re.compile(rb"<" + NAME + rb"row(?=[\s/>])" + ATTRIBUTES + rb"/?>")
VALUE = re.compile(rb"<" + NAME + rb"v(?=[\s>])[^<>]*+(?<!/)>([^<]*+)</")
TEXT = re.compile(rb"<" + NAME + rb"t(?=[\s>])[^<>]*+(?<!/)>([^<]*+)</")
FORMULA = re.compile(
    rb"<(" + NAME + rb"f)(?=[\s/>])" + ATTRIBUTES + rb"(?:/>|>([^<]*+)</" + NAME + rb"f\s*+>)"
)
_PHONETIC = re.compile(  # reading aids, not part of the text (ISO/IEC 29500-1, 18.4.6)
    rb"<(" + NAME + rb"rPh)(?=[\s>])[^<>]*+(?<!/)>.*?</\1\s*+>", re.DOTALL
)
_PLACE = re.compile(rb"\s*\$?([A-Za-z]{1,3})\$?([0-9]{1,7})\s*\Z")

NUMBERS = (None, b"", b"n", b"b")  # what cells with numbers and truth values say of their kind

ReadText = Callable[[bytes | None, bytes, int], bytes]
CellTag = tuple[bytes | None, bytes | None, bytes | None, bytes | None]


class Cell(NamedTuple):
    """One cell: ``column`` counts from 0, ``style`` is 0 for none.

    ``text`` is what a person would read, in UTF-8; of a formula its stored value. ``kind`` is the
    kind of its value as written, ``rest`` the XML in a cell that is no plain value.
    """

    column: int
    text: bytes
    style: int
    kind: bytes | None
    rest: bytes | None

    @property
    def is_filled(self) -> bool:
        """Whether the text is more than blanks."""
        return bool(self.text.strip(BLANKS))

    @property
    def has_formula(self) -> bool:
        """Whether the cell is worked out."""
        return self.rest is not None and FORMULA.search(self.rest) is not None

    @property
    def lacks_value(self) -> bool:
        """Whether a formula shows nothing because the workbook does not store its value."""
        return not self.text and self.kind in NUMBERS and self.has_formula


class SheetRow(NamedTuple):
    """One row: its number, from 1, and its cells from left to right."""

    number: int
    cells: list[Cell]

    @property
    def last_filled(self) -> Cell | None:
        """The last cell with more than blanks."""
        return next((cell for cell in reversed(self.cells) if cell.is_filled), None)

    def find(self, column: int | None) -> Cell | None:
        """Return the cell of a column if it has more than blanks."""
        found = (cell for cell in self.cells if cell.column == column)
        return next((cell for cell in found if cell.is_filled), None)

    def list_formulas(self) -> list[bytes]:
        """Return the formulas, as written, of those that have a text of their own."""
        found = (FORMULA.search(cell.rest) for cell in self.cells if cell.rest)
        return [match[3] for match in found if match is not None and match[3]]


class MalformedRow(ValueError):
    """A row's XML is not what a worksheet may hold; ``what`` says what is wrong with it."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = translatable(what)


def explain_row(error: ValueError, sheet: str, previous: int) -> BrokenFile:
    """Return an error that names the sheet and the row after ``previous``, which cannot be read."""
    what = error.what if isinstance(error, MalformedRow) else translatable("cannot be read")
    detail = translatable("The sheet's row after row {row} {problem}.", row=previous, problem=what)
    if not previous:
        detail = translatable("The sheet's first row {problem}.", problem=what)
    return BrokenFile(detail, hint=SAVE_AGAIN, sheet=sheet)


def split_rows(region: bytes, previous: int) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield each row's number, its opening tag, and what follows up to the next row.

    Args:
        region: XML of whole rows.
        previous: The number of the row before it.

    Raises:
        MalformedRow: A row without a number that may follow, or something before the first row.
    """
    rows = list(ROW.finditer(region))
    starts = [row.start() for row in rows]
    if region[: starts[0] if rows else None].strip():
        raise MalformedRow("has cells out of order")
    for row, end in zip(rows, (*starts[1:], len(region)), strict=bool(rows)):
        previous = _read_number(row[1], previous)
        yield previous, row[0], region[row.end() : end]


def read_cells(body: bytes, number: int, read_text: ReadText) -> list[Cell]:
    """Return the cells of a row.

    Args:
        body: What follows the row's opening tag.
        number: The row's.
        read_text: Returns the text of a value, by its cell's kind and style.

    Raises:
        ValueError: Cells out of their places, values that are none, or more than MAX_TEXT_BYTES.
    """
    cells: list[Cell] = []
    column, size_bytes, digits = -1, 0, b"%d" % number
    for found in CELL.finditer(body):
        letters, stated, styled, kind, others, value, rest = found.groups()
        if others:
            letters, stated, styled, kind = _read_cell_tag(others)
        if stated is not None and stated != digits and int(stated) != number:
            raise MalformedRow("has a cell with the reference of another row")
        previous, column = column, column_index(letters) if letters else column + 1
        if column <= previous:
            raise MalformedRow("has cells out of order")
        if column >= MAX_COLUMNS:
            raise MalformedRow(translatable("has more than {most} columns", most=MAX_COLUMNS))
        if rest and kind == b"inlineStr":
            value = join_runs(rest)
        elif rest:
            stored = VALUE.search(rest)
            value = stored[1] if stored is not None else b""
        style = read_style(styled)
        text = read_text(kind, value, style) if value else b""
        size_bytes += len(text)
        if size_bytes > MAX_TEXT_BYTES:
            raise MalformedRow("cannot be read")
        cells.append(Cell(column, text, style, kind, rest))
    return cells


def _read_number(attributes: bytes, previous: int) -> int:
    """Return the number of a row by the attributes of its tag.

    Raises:
        MalformedRow: It does not follow the row before.
    """
    if attributes.startswith(b' r="'):
        stated = attributes[4 : attributes.index(b'"', 4)]
    else:
        stated = _read_attributes(attributes).get("r", str(previous + 1)).strip().encode()
    if not stated.isdigit() or len(stated) > MAX_DIGITS:
        raise MalformedRow("has a number that is not valid")
    number = int(stated)
    if not previous < number <= MAX_ROWS:
        raise MalformedRow("is out of order")
    return number


def read_style(digits: bytes | None) -> int:
    """Return a cell's style by its attribute, 0 for none."""
    return int(digits) if digits and digits.isdigit() and len(digits) <= MAX_DIGITS else 0


def read_place(found: re.Match[bytes], previous: int) -> tuple[int, int]:
    """Return the column, from 0, and the style, 0 for none, of a cell that ``CELL`` found.

    ``previous`` is the column of the cell before it.
    """
    letters, _, styled, _ = _read_cell_tag(found[5]) if found[5] else found.group(1, 2, 3, 4)
    return column_index(letters) if letters else previous + 1, read_style(styled)


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


def _read_cell_tag(attributes: bytes) -> CellTag:
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
