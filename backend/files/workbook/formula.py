"""References in formulas, moved as a spreadsheet program moves them when rows are deleted."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from backend.files.workbook.cells import MAX_COLUMNS, MAX_ROWS, column_index, column_letters

MAX_FORMULA_CHARACTERS = 8_192  # the limit of spreadsheet programs; twice that is declined
_TOKEN = re.compile(
    r"""
    "(?:[^"]|"")*+(?:"|\Z)                                      # a text
    | \#REF!(?:\$?[A-Za-z]{1,3}\$?[0-9]{1,7}(?::\$?[A-Za-z]{1,3}\$?[0-9]{1,7})?)?
    | \#[A-Za-z0-9/_]+[!?]?                                     # another error
    | (?P<sheet>(?:'(?:[^']|'')+' | (?:\[[^\]]*\])?[^\W\d][\w.]*(?::[^\W\d][\w.]*)?)!)?
      (?P<reference>
        \$?[A-Za-z]{1,3}\$?[0-9]{1,7}(?::(?:(?P=sheet))?\$?[A-Za-z]{1,3}\$?[0-9]{1,7})?
        | \$?[0-9]{1,7}:\$?[0-9]{1,7}
        | \$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}
      )(?![\w.(!\[?\\])
    | \[(?:[^\[\]']|'.|\[(?:[^\]']|'.)*+(?:\]|\Z))*+(?:\]|\Z)  # a column of a table
    | '(?:[^']|'')*+(?:'!?|\Z)                                  # a sheet before something else
    | [^\W\d][\w.\\?]*!? | \\[\w.\\?]*                        # a name or a function
    | [0-9]+(?:\.[0-9]*)?(?:[Ee][+-]?[0-9]+)?                   # a number
    """,
    re.VERBOSE | re.DOTALL,
)
_NAME = re.compile(r"[^\W\d][\w.\\?]*|\\[\w.\\?]*")
_CORNER = re.compile(r"(\$?)([A-Za-z]{0,3})(\$?)([0-9]{0,7})\Z")


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


def is_one_reference(text: str) -> bool:
    """Tell whether a text is a reference and nothing else: ``Data!A2:B3``, not ``a1@x.de``."""
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
        else piece._replace(corners=tuple(_offset(end, rows, columns) for end in piece.corners))
        for piece in formula
    )


class FormulaShifter:
    """Moves references to one sheet by its row map.

    Args:
        sheet: The sheet.
        all_sheets: The names of all sheets in order.
        rows: Where its rows go.

    ``outdated_names`` are the names and tables, case folded, that hold removed rows.
    """

    def __init__(self, sheet: str, all_sheets: Sequence[str], rows: RowMap) -> None:
        self._sheet = sheet.casefold()
        self.outdated_names: frozenset[str] = frozenset()
        self._places = {name.casefold(): place for place, name in enumerate(all_sheets)}
        self.rows = rows

    def mentions(self, formula: Formula, *, at_home: bool) -> bool:
        """Whether anything in the formula points at the sheet."""
        return any(
            not isinstance(piece, str) and self._points_here(piece.sheet, at_home=at_home)
            for piece in formula
        )

    def covers_removed(self, formula: Formula, *, at_home: bool) -> bool:
        """Whether the formula looks at several rows at once, and some of them go.

        A table's column counts as such: which table it is is not looked up.
        """
        return any(
            "[" in piece or self._speaks_of_outdated(piece)
            if isinstance(piece, str)
            else self._points_here(piece.sheet, at_home=at_home)
            and self.rows.covers_removed(piece.corners[0].row, piece.corners[-1].row or MAX_ROWS)
            for piece in formula
        )

    def _speaks_of_outdated(self, text: str) -> bool:
        return bool(self.outdated_names) and any(
            name.casefold() in self.outdated_names for name in _NAME.findall(text)
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
            LostReference: It points at a removed row, or at a run of sheets whose rows would move.
        """
        moved: list[str | Reference] = []
        for piece in formula:
            if isinstance(piece, str):
                moved.append(piece)
                continue
            try:
                moved.append(self._shift_piece(piece, anchor, at_home=at_home, relative=relative))
            except LostReference:
                if not marks_lost:
                    raise
                moved.append("#REF!")
        return tuple(moved)

    def _points_here(self, prefix: str, *, at_home: bool) -> bool:
        """Whether a reference with this prefix may point at the sheet."""
        return self._is_run(prefix) or self._names_sheet(prefix, at_home=at_home)

    def _names_sheet(self, prefix: str, *, at_home: bool) -> bool:
        return read_sheet_prefix(prefix).casefold() == self._sheet if prefix else at_home

    def _is_run(self, prefix: str) -> bool:
        """Whether a prefix names a run of sheets, this one among them."""
        if ":" not in prefix or "[" in prefix:
            return False
        first, _, last = read_sheet_prefix(prefix).casefold().partition(":")
        here = self._places.get(self._sheet, -1)
        ends = self._places.get(first, here), self._places.get(last, here)
        return min(ends) <= here <= max(ends)

    def _shift_piece(
        self,
        piece: Reference,
        anchor: tuple[int, int] | None,
        *,
        at_home: bool,
        relative: bool,
    ) -> Reference:
        if self._is_run(piece.sheet):
            if self.rows.covers_removed(1, piece.corners[-1].row) and piece.corners[0].row:
                raise LostReference  # the rows of the other sheets stay
            return piece
        if not self._names_sheet(piece.sheet, at_home=at_home):
            return piece
        return piece._replace(corners=self._shift(piece.corners, anchor, relative=relative))

    def _shift(
        self, corners: tuple[Corner, ...], anchor: tuple[int, int] | None, *, relative: bool
    ) -> tuple[Corner, ...]:
        if not corners[0].row:
            return corners
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


def _offset(corner: Corner, rows: int, columns: int) -> Corner:
    row = corner.row if corner.row_fixed or not corner.row else corner.row + rows
    column = corner.column
    if column >= 0 and not corner.column_fixed:
        column += columns
        if not 0 <= column < MAX_COLUMNS:
            raise LostReference
    if corner.row and not 1 <= row <= MAX_ROWS:
        raise LostReference
    return corner._replace(row=row, column=column)
