"""Cells of one row in the one spelling, found in its XML without parsing it into a tree."""

import re
from typing import NamedTuple

from winnow.core.errors import BrokenFile
from winnow.words import mark

MAX_COLUMNS = 16_384  # ISO/IEC 29500-1, 18.3.1.73; columns A to XFD
MAX_DIGITS = 10  # of any number of ours; Python itself gives up at 4,300
MAX_ROWS = 1_048_576

_ATTRIBUTES = rb"""((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*"""
_ATTRIBUTE = re.compile(rb"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(rb"\$?([A-Z]{1,3})\$?([1-9][0-9]{0,6})\Z")


class Cell(NamedTuple):
    """One cell: its column from 0, its bounds in the row's bytes, and what is inside.

    ``kind`` is the ``t`` attribute (empty for a number); ``content`` the XML between the tags.
    """

    column: int
    start: int
    end: int
    style: int
    kind: bytes
    content: bytes


class MalformedRow(ValueError):
    """The row's XML is not what a worksheet may hold; its text may say what is wrong with it.

    ``row`` is its number where that is known.
    """

    row: int | None = None


def tell_broken_row(sheet: str, previous: int, error: Exception) -> BrokenFile:
    """Say which row of a sheet cannot be read, and why where that is known.

    Args:
        sheet: Its name.
        previous: The number of the last row that could be read.
        error: What happened.
    """
    what = mark("cannot be read")
    row = None
    if isinstance(error, MalformedRow):
        row, what = error.row, str(error) or what
    detail = mark(f"The sheet's row after row {previous:,} {what}.")
    if row:
        detail = mark(f"The sheet's row {row:,} {what}.")
    elif not previous:
        detail = mark(f"The sheet's first row {what}.")
    return BrokenFile(
        detail,
        hint="Open the workbook in a spreadsheet program and save it again as .xlsx.",
        sheet=sheet,
    )


class CellGrammar:
    """Expressions for one namespace prefix (``b""`` or ``b"x:"``)."""

    def __init__(self, prefix: bytes) -> None:
        p = re.escape(prefix)
        self.prefix = prefix
        self.row_open = re.compile(_ATTRIBUTES + rb"(/?)>")
        self.cell = re.compile(
            rb"\s*<" + p + rb"c" + _ATTRIBUTES + rb"(?:/>|>(.*?)</" + p + rb"c\s*>)", re.DOTALL
        )
        self.row_end = re.compile(
            rb"\s*(?:<"
            + p
            + rb"extLst\b.*?</"
            + p
            + rb"extLst\s*>\s*)?(?:</"
            + p
            + rb"row\s*>)?\s*\Z",
            re.DOTALL,
        )
        self.value = re.compile(rb"<" + p + rb"v(?:\s[^>]*)?>([^<]*)</" + p + rb"v\s*>")
        self.formula = re.compile(
            rb"<" + p + rb"f" + _ATTRIBUTES + rb"(?:/>|>([^<]*)</" + p + rb"f\s*>)"
        )
        self.text = re.compile(rb"<" + p + rb"t(?:\s[^>]*)?>([^<]*)</" + p + rb"t\s*>")
        self.phonetic = re.compile(
            rb"<" + p + rb"rPh(?: [^>]*)?(?<!/)>.*?</" + p + rb"rPh>", re.DOTALL
        )  # reading aids, not part of the text (ISO/IEC 29500-1, 18.4.6)
        # What spreadsheet programs write, cell after cell: groups are column, style, kind, value.
        self.plain_cell = re.compile(
            rb"<" + p + rb'c r="([A-Z]{1,3})[0-9]+"(?: s="([0-9]+)")?(?: t="([a-z]+)")?'
            rb"(?:/>|>(?:<" + p + rb"v>([^<]*)</" + p + rb"v>)?</" + p + rb"c>)"
        )
        self.numbered = re.compile(rb"(<" + p + rb'c r="[A-Z]{1,3})[0-9]+(?=")')

    def parse_row(self, row: bytes, previous: int) -> tuple[int, int, list[Cell]]:
        """Parse one row of ``SheetStream.rows``.

        Args:
            row: The bytes after ``<row``.
            previous: The number of the row before, which a row without a number follows.

        Returns:
            The row's number, the end of its opening tag, and its cells from left to right.

        Raises:
            MalformedRow: Not a row, or numbers that go backwards.
        """
        opened = self.row_open.match(row)
        if opened is None:
            raise MalformedRow
        stated = read_attributes(opened[1]).get(b"r", b"")
        if len(stated) > MAX_DIGITS:
            raise MalformedRow
        number = int(stated) if stated.isdigit() else previous + 1
        if not previous < number <= MAX_ROWS:
            raise MalformedRow("is out of order")
        position, cells = opened.end(), list[Cell]()
        if opened[2]:
            if row[position:].strip():
                raise MalformedRow
            return number, position, cells
        column = -1
        while match := self.cell.match(row, position):
            attributes = read_attributes(match[1])
            column = self._find_column(attributes.get(b"r"), column)
            style = attributes.get(b"s", b"0")
            cells.append(
                Cell(
                    column,
                    match.start(),
                    match.end(),
                    int(style) if style.isdigit() and len(style) <= MAX_DIGITS else 0,
                    attributes.get(b"t", b""),
                    match[2] or b"",
                )
            )
            position = match.end()
        if self.row_end.match(row, position) is None:
            raise MalformedRow
        return number, opened.end(), cells

    def has_value(self, cell: Cell) -> bool:
        """Whether a reader would see something in the cell; a lone blank counts as nothing."""
        content = cell.content
        if not content:
            return False
        value = self.value.search(content)
        if value is not None and value[1].strip():
            return True
        if b"rPh" in content:
            content = self.phonetic.sub(b"", content)
        return any(match[1].strip() for match in self.text.finditer(content))

    @staticmethod
    def _find_column(reference: bytes | None, previous: int) -> int:
        column = previous + 1
        if reference is not None:
            match = _REFERENCE.match(reference)
            if match is None:
                raise MalformedRow
            column = column_index(match[1])
        if column >= MAX_COLUMNS:
            raise MalformedRow(f"has more than {MAX_COLUMNS:,} columns")
        if column <= previous:
            raise MalformedRow("has cells out of order")
        return column


def read_attributes(text: bytes) -> dict[bytes, bytes]:
    """Return a tag's attributes as they stand, not unescaped."""
    return {name: double or single for name, double, single in _ATTRIBUTE.findall(text)}


def read_row_number(row: bytes) -> int:
    """Return the number of a row in the one spelling, given as what follows ``<row``."""
    return int(row[4 : row.index(b'"', 4)])


def column_index(letters: bytes) -> int:
    """Return a column's position from 0: A is 0, XFD is 16,383."""
    index = 0
    for letter in letters:
        index = index * 26 + letter - 64
    return index - 1


def column_letters(index: int) -> bytes:
    """Return the letters of a column counted from 0."""
    letters = b""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = bytes((65 + rest,)) + letters
    return letters
