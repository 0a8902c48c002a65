"""References in formulas, moved as a spreadsheet program moves them when rows are deleted."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from backend.files.workbook.cells import MAX_COLUMNS, MAX_ROWS, column_index, column_letters

MAX_FORMULA_CHARACTERS = 8_192  # the limit of spreadsheet programs; twice that is declined
_TOKEN = re.compile(
    r"""
    "(?:[^"]|"")*"                                              # a text
    | (?P<sheet>(?:'(?:[^']|'')+' | (?:\[[^\]]*\])?[^\W\d][\w.]*(?::[^\W\d][\w.]*)?)!)?
      (?P<reference>
        \$?[A-Za-z]{1,3}\$?[0-9]{1,7}(?::\$?[A-Za-z]{1,3}\$?[0-9]{1,7})?
        | \$?[0-9]{1,7}:\$?[0-9]{1,7}
      )(?![\w.(!\[?\\])
    | \[(?:[^\[\]]|\[[^\]]*\])*\]                               # a column of a table
    | '(?:[^']|'')+'!                                           # a sheet before something else
    | [^\W\d][\w.\\?]*!?                                        # a name or a function
    | [0-9]+(?:\.[0-9]*)?(?:[Ee][+-]?[0-9]+)?                   # a number
    """,
    re.VERBOSE,
)
_OPEN_AREA = re.compile(r"\[|[A-Za-z]:\$?[A-Za-z]")  # a table's column, or a sheet's whole one
_CORNER = re.compile(r"(\$?)([A-Za-z]{0,3})(\$?)([0-9]{1,7})\Z")


class RowMap:
    """Where rows are after some were taken out.

    Args:
        removed: The numbers of the removed rows, ascending.
    """

    def __init__(self, removed: Sequence[int]) -> None:
        self.removed = removed

    def find(self, row: int) -> int | None:
        """Return a row's new number, None when it is gone."""
        place = bisect_left(self.removed, row)
        if place < len(self.removed) and self.removed[place] == row:
            return None
        return row - place

    def next_kept(self, row: int) -> int:
        """Return the new number of the first kept row from here on."""
        return row - bisect_left(self.removed, row)

    def covers_removed(self, first: int, last: int) -> bool:
        """Whether any row between two, in either order, is gone."""
        first, last = sorted((first, last))
        return bisect_right(self.removed, last) > bisect_left(self.removed, first)

    def span(self, first: int, last: int) -> tuple[int, int] | None:
        """Return what is left of a range of rows, None when nothing is."""
        if first == 1 and last == MAX_ROWS:
            return first, last
        start, end = self.next_kept(first), last - bisect_right(self.removed, last)
        return (start, end) if start <= end else None


class Corner(NamedTuple):
    """One end of a reference: column from 0 (-1 for whole rows), row from 1, which are fixed."""

    column: int
    row: int
    column_fixed: bool
    row_fixed: bool

    def write(self) -> str:
        """Return the corner in A1 form."""
        letters = column_letters(self.column).decode("ascii") if self.column >= 0 else ""
        return (
            f"{'$' if self.column_fixed else ''}{letters}{'$' if self.row_fixed else ''}{self.row}"
        )


class Reference(NamedTuple):
    """A cell or a range in a formula; ``sheet`` is the prefix as it stands, with its ``!``."""

    sheet: str
    corners: tuple[Corner, ...]


class LostReference(ValueError):
    """The formula points at a row that is gone, or in a way that cannot be moved."""


Formula = tuple[str | Reference, ...]


def parse_formula(text: str) -> Formula:
    """Split a formula into references and what stands between them.

    Raises:
        LostReference: Longer than any spreadsheet program writes.
    """
    if len(text) > 2 * MAX_FORMULA_CHARACTERS:
        raise LostReference
    pieces: list[str | Reference] = []
    position = 0
    for match in _TOKEN.finditer(text):
        reference = _read_reference(match["sheet"] or "", match["reference"] or "")
        if reference is not None:
            pieces += (text[position : match.start()], reference)
            position = match.end()
    return (*pieces, text[position:])


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
        else piece._replace(corners=tuple(_offset(end, rows, columns) for end in piece.corners))
        for piece in formula
    )


class FormulaShifter:
    """Moves references to one sheet by its row map."""

    def __init__(self, sheet: str, all_sheets: Sequence[str], rows: RowMap) -> None:
        self._sheet = sheet.casefold()
        self._places = {name.casefold(): place for place, name in enumerate(all_sheets)}
        self.rows = rows

    def mentions(self, formula: Formula, *, at_home: bool) -> bool:
        """Whether anything in the formula points at the sheet."""
        return any(
            not isinstance(piece, str) and self._points_here(piece.sheet, at_home=at_home)
            for piece in formula
        )

    def covers_removed(self, formula: Formula, *, at_home: bool) -> bool:
        """Whether the formula looks at several rows at once, and some of them go."""
        return any(
            _OPEN_AREA.search(piece) is not None
            if isinstance(piece, str)
            else self._points_here(piece.sheet, at_home=at_home)
            and self.rows.covers_removed(piece.corners[0].row, piece.corners[-1].row)
            for piece in formula
        )

    def shift(
        self,
        formula: Formula,
        *,
        at_home: bool,
        anchor: tuple[int, int] | None = None,
        relative: bool = True,
        marks_lost: bool = False,
    ) -> Formula:
        """Return the formula for the sheet without the removed rows.

        Args:
            formula: What ``parse_formula`` gave.
            at_home: The formula stands on the sheet itself: bare references point at it.
            anchor: For rules that hold for a whole area: its first row before and after; rows
                without ``$`` keep their distance from it.
            relative: Whether rows without ``$`` mean rows at all (not so in defined names).
            marks_lost: Write ``#REF!`` for a lost reference instead of raising.

        Raises:
            LostReference: It points at a removed row, or at a run of sheets.
        """
        moved: list[str | Reference] = []
        for piece in formula:
            if isinstance(piece, str):
                moved.append(piece)
                continue
            try:
                if self._points_here(piece.sheet, at_home=at_home):
                    corners = self._shift(piece.corners, anchor, relative=relative)
                    piece = piece._replace(corners=corners)
                moved.append(piece)
            except LostReference:
                if not marks_lost:
                    raise
                moved.append("#REF!")
        return tuple(moved)

    def _points_here(self, prefix: str, *, at_home: bool) -> bool:
        if not prefix:
            return at_home
        name = prefix[:-1]
        if name.startswith("'"):
            name = name[1:-1].replace("''", "'")
        if name.startswith("["):
            return False  # another workbook
        first, colon, last = name.casefold().partition(":")
        if not colon:
            return first == self._sheet
        here = self._places.get(self._sheet, -1)
        ends = self._places.get(first, here), self._places.get(last, here)
        if min(ends) <= here <= max(ends):
            raise LostReference  # a run of sheets: the others' rows stay
        return False

    def _shift(
        self, corners: tuple[Corner, ...], anchor: tuple[int, int] | None, *, relative: bool
    ) -> tuple[Corner, ...]:
        moves = [corner.row_fixed or (relative and anchor is None) for corner in corners]
        if anchor is not None:
            distance = anchor[1] - anchor[0]
            corners = tuple(
                corner if move else _offset(corner, distance, 0)
                for corner, move in zip(corners, moves, strict=True)
            )
        if not any(moves):
            return corners
        if len(corners) == 1 or not all(moves):
            return tuple(
                self._move(corner) if move else corner
                for corner, move in zip(corners, moves, strict=True)
            )
        top, bottom = sorted(corner.row for corner in corners)
        span = self.rows.span(top, bottom)
        if span is None:
            raise LostReference
        upside_down = corners[0].row > corners[1].row
        first, last = reversed(span) if upside_down else span
        return corners[0]._replace(row=first), corners[1]._replace(row=last)

    def _move(self, corner: Corner) -> Corner:
        row = self.rows.find(corner.row)
        if row is None:
            raise LostReference
        return corner._replace(row=row)


def _read_reference(sheet: str, text: str) -> Reference | None:
    corners: list[Corner] = []
    for end in text.split(":") if text else ():
        match = _CORNER.match(end)
        if match is None:
            return None
        column = column_index(match[2].upper().encode("ascii")) if match[2] else -1
        row = int(match[4])
        if column >= MAX_COLUMNS or not 1 <= row <= MAX_ROWS:
            return None
        if column < 0:  # whole rows: their only dollar belongs to the row
            corners.append(Corner(-1, row, False, bool(match[1] or match[3])))
        else:
            corners.append(Corner(column, row, bool(match[1]), bool(match[3])))
    return Reference(sheet, tuple(corners)) if corners else None


def _offset(corner: Corner, rows: int, columns: int) -> Corner:
    row = corner.row if corner.row_fixed else corner.row + rows
    column = corner.column
    if column >= 0 and not corner.column_fixed:
        column += columns
        if not 0 <= column < MAX_COLUMNS:
            raise LostReference
    if not 1 <= row <= MAX_ROWS:
        raise LostReference
    return corner._replace(row=row, column=column)
