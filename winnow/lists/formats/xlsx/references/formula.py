"""References in formulas and areas (``A1:F9``): parsing, writing, moving with their rows."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from winnow.lists.formats.xlsx.cells import column_index
from winnow.lists.sheet_limits import MAX_COLUMNS, MAX_ROWS, column_letters

MAX_FORMULA_CHARACTERS = 8_192  # the limit of spreadsheet programs; twice that is declined
_TOKEN = re.compile(
    r"""
    "(?>(?:[^"]|"")*)(?:"|\Z)                                      # a text
    | \#REF!(?:\$?[A-Za-z]{1,3}\$?[0-9]{1,7}(?::\$?[A-Za-z]{1,3}\$?[0-9]{1,7})?)?
    | \#[A-Za-z0-9/_]+[!?]?                                     # another error
    | (?P<sheet>(?:'(?:[^']|'')+' | (?:\[[^\]]*\])?[^\W\d][\w.]*(?::[^\W\d][\w.]*)?)!)?
      (?P<reference>
        \$?[A-Za-z]{1,3}\$?[0-9]{1,7}(?::(?:(?P=sheet))?\$?[A-Za-z]{1,3}\$?[0-9]{1,7})?
        | \$?[0-9]{1,7}:\$?[0-9]{1,7}
        | \$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}
      )(?![\w.(!\[?\\])
    | \[(?>(?:[^\[\]']|'.|\[(?>(?:[^\]']|'.)*)(?:\]|\Z))*)(?:\]|\Z)  # a column of a table
    | '(?>(?:[^']|'')*)(?:'!?|\Z)                                  # a sheet before something else
    | [^\W\d][\w.\\?]*!? | \\[\w.\\?]*                        # a name or a function
    | [0-9]+(?:\.[0-9]*)?(?:[Ee][+-]?[0-9]+)?                   # a number
    """,
    re.VERBOSE | re.DOTALL,
)
_AREA = re.compile(
    r"(\$?([A-Za-z]{0,3})\$?)([0-9]{1,7})(?::(\$?([A-Za-z]{0,3})\$?)([0-9]{1,7}))?\Z"
)
_CORNER = re.compile(r"(\$?)([A-Za-z]{0,3})(\$?)([0-9]{0,7})\Z")


class Corner(NamedTuple):
    """One end of a reference: column from 0 (-1 for whole rows), row from 1 (0 for whole columns).

    ``column_fixed`` and ``row_fixed`` are the dollars before them.
    """

    column: int
    row: int
    column_fixed: bool
    row_fixed: bool

    def write(self) -> str:
        """Return the corner in A1 form."""
        letters = column_letters(self.column).decode("ascii") if self.column >= 0 else ""
        digits = str(self.row or "")
        return f"{'$' * self.column_fixed}{letters}{'$' * self.row_fixed}{digits}"

    def offset(self, rows: int, columns: int) -> "Corner":
        """Return the corner as it is in a cell so far away; what is fixed stays.

        Raises:
            LostReference: It leaves the sheet.
        """
        row = self.row if self.row_fixed or not self.row else self.row + rows
        column = self.column
        if column >= 0 and not self.column_fixed:
            column += columns
            if not 0 <= column < MAX_COLUMNS:
                raise LostReference
        if self.row and not 1 <= row <= MAX_ROWS:
            raise LostReference
        return self._replace(row=row, column=column)


class Reference(NamedTuple):
    """A cell or a range in a formula; ``sheet`` is the prefix as written, with its ``!``."""

    sheet: str
    corners: tuple[Corner, ...]


class LostReference(ValueError):
    """The formula points at a row that is gone, or out of the sheet."""


Formula = tuple[str | Reference, ...]


def parse_formula(text: str) -> Formula:
    """Split a formula into references and what is between them; one longer than any is empty."""
    if len(text) > 2 * MAX_FORMULA_CHARACTERS:
        return ()
    pieces: list[str | Reference] = []
    position = 0
    for match in _TOKEN.finditer(text):
        reference = _read_reference(match["sheet"] or "", match["reference"] or "")
        if reference is not None:
            pieces += (text[position : match.start()], reference)
            position = match.end()
    return (*pieces, text[position:])


def is_one_reference(text: str) -> bool:
    """Return whether a text is a reference and nothing else: ``Data!A2:B3``, not ``a1@x.de``."""
    pieces = [piece for piece in parse_formula(text) if piece and piece != " "]
    return len(pieces) == 1 and isinstance(pieces[0], Reference)


def write_formula(formula: Formula) -> str:
    """Return a formula as text."""
    return "".join(
        piece
        if isinstance(piece, str)
        else piece.sheet + ":".join(corner.write() for corner in piece.corners)
        for piece in formula
    )


def offset_formula(formula: Formula, rows: int, columns: int) -> Formula:
    """Return the formula as if it had been filled from one cell into another.

    Raises:
        LostReference: A reference would leave the sheet.
    """
    if not rows and not columns:
        return formula
    return tuple(
        piece
        if isinstance(piece, str)
        else piece._replace(corners=tuple(end.offset(rows, columns) for end in piece.corners))
        for piece in formula
    )


def read_sheet_prefix(prefix: str) -> str:
    """Return the name in a prefix such as ``'My Data'!``; of another workbook with brackets."""
    name = prefix[:-1]
    return name[1:-1].replace("''", "'") if name.startswith("'") else name


def _read_reference(sheet: str, text: str) -> Reference | None:
    corners: list[Corner] = []
    for end in text.replace(sheet, "").split(":") if sheet else text.split(":") if text else ():
        match = _CORNER.match(end)
        if match is None:
            return None
        column = column_index(match[2].upper().encode("ascii")) if match[2] else -1
        row = int(match[4] or 0)
        if column >= MAX_COLUMNS or not (1 <= row <= MAX_ROWS or not match[4]):
            return None
        if column < 0:  # whole rows: their only dollar belongs to the row
            corners.append(Corner(-1, row, False, bool(match[1] or match[3])))
        else:
            corners.append(Corner(column, row, bool(match[1]), bool(match[3])))
    return Reference(sheet, tuple(corners)) if corners else None


class RowMap:
    """Numbers of a sheet's rows after some were removed.

    Args:
        removed: The numbers of the removed rows, ascending.
    """

    def __init__(self, removed: Sequence[int]) -> None:
        self.removed = removed

    def find(self, row: int) -> int | None:
        """Return a row's new number, None when it is removed."""
        place = bisect_left(self.removed, row)
        if place < len(self.removed) and self.removed[place] == row:
            return None
        return row - place

    def next_kept(self, row: int) -> int:
        """Return the new number of the first kept row from here on."""
        return row - bisect_left(self.removed, row)

    def covers_removed(self, first: int, last: int) -> bool:
        """Whether any row between two, in either order, is removed."""
        first, last = sorted((first, last))
        return bisect_right(self.removed, last) > bisect_left(self.removed, first)

    def span(self, first: int, last: int) -> tuple[int, int] | None:
        """Return the remaining range of rows, None when all are removed."""
        if first == 1 and last == MAX_ROWS:
            return first, last
        start, end = self.next_kept(first), last - bisect_right(self.removed, last)
        return (start, end) if start <= end else None

    def move_areas(self, areas: str) -> str | None:
        """Return areas separated by blanks with new rows; None when nothing is left of them."""
        moved: list[str] = []
        for area in areas.split():
            match = _AREA.match(area)
            if match is None:
                moved.append(area)  # whole columns
                continue
            start, _, first, end, _, last = match.groups()
            if span := self.span(int(first), int(last or first)):
                moved.append(f"{start}{span[0]}:{end}{span[1]}" if last else f"{start}{span[0]}")
        return " ".join(moved) or (None if areas.split() else areas)

    def rest_areas(self, areas: str) -> str:
        """Return areas moved; of lost ones the first cell in the next kept row."""
        moved = self.move_areas(areas)
        if moved is not None:
            return moved
        row = self.next_kept(first_row(areas))
        return re.sub("[0-9]+", str(row), areas.split()[0].partition(":")[0])


class Area(NamedTuple):
    """A rectangle of cells: columns count from 0, rows from 1."""

    first_column: int
    first_row: int
    last_column: int
    last_row: int

    def write(self) -> str:
        """Return the area as ``A1:B2``."""
        first, last = column_letters(self.first_column), column_letters(self.last_column)
        return f"{first.decode()}{self.first_row}:{last.decode()}{self.last_row}"


def read_area(text: str) -> Area | None:
    """Return an area or a cell; None for whole rows or columns, and what is none."""
    match = _AREA.match(text.strip())
    if match is None:
        return None
    first, last = (column_index(one.upper().encode()) for one in (match[2], match[5] or match[2]))
    if not (0 <= first < MAX_COLUMNS and 0 <= last < MAX_COLUMNS):
        return None
    return Area(first, int(match[3]), last, int(match[6] or match[3]))


def first_row(areas: str) -> int:
    """Return the top row of areas: rules for them count their rows from there."""
    return min((int(digits) for digits in re.findall("[0-9]{1,7}", areas)), default=1)
