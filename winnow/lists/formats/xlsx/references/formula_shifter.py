"""References in formulas, moved as a spreadsheet program moves them when rows are deleted."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from winnow.lists.formats.xlsx.cells import MAX_ROWS
from winnow.lists.formats.xlsx.references.formula import (
    Corner,
    Formula,
    LostReference,
    Reference,
    read_sheet_prefix,
)

_NAME = re.compile(r"[^\W\d][\w.\\?]*|\\[\w.\\?]*")


class RowMap:
    """Where rows are after some were taken out.

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
        """Whether any row between two, in either order, is gone."""
        first, last = sorted((first, last))
        return bisect_right(self.removed, last) > bisect_left(self.removed, first)

    def span(self, first: int, last: int) -> tuple[int, int] | None:
        """Return the remaining range of rows, None when all are removed."""
        if first == 1 and last == MAX_ROWS:
            return first, last
        start, end = self.next_kept(first), last - bisect_right(self.removed, last)
        return (start, end) if start <= end else None


class FormulaShifter:
    """Moves references to one sheet by its row map.

    Args:
        sheet: The sheet.
        rows: The new places of its rows.

    ``has_runs``: a reference to a run of sheets was met, and left as it is. ``outdated_names`` are
    the names and tables, case folded, that hold removed rows.
    """

    def __init__(self, sheet: str, rows: RowMap) -> None:
        self._sheet = sheet.casefold()
        self.outdated_names: frozenset[str] = frozenset()
        self.has_runs = False
        self.rows = rows

    def mentions(self, formula: Formula, *, at_home: bool) -> bool:
        """Whether anything in the formula points at the sheet."""
        return any(
            not isinstance(piece, str) and self._points_here(piece.sheet, at_home=at_home)
            for piece in formula
        )

    def covers_removed(self, formula: Formula, *, at_home: bool) -> bool:
        """Whether the formula refers to several rows at once, and some of them are removed.

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
            at_home: The formula is on the sheet itself: bare references point at it.
            anchor: For rules that hold for a whole area: its first row before and after; rows
                without ``$`` keep their distance from it.
            relative: Whether rows without ``$`` mean rows at all (not so in defined names).
            marks_lost: Write ``#REF!`` for a lost reference instead of raising.

        Raises:
            LostReference: It points at a removed row.
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
        """Whether a reference with this prefix points at the sheet."""
        return read_sheet_prefix(prefix).casefold() == self._sheet if prefix else at_home

    def _shift_piece(
        self, piece: Reference, anchor: tuple[int, int] | None, *, at_home: bool, relative: bool
    ) -> Reference:
        if ":" in piece.sheet and "[" not in piece.sheet:
            self.has_runs = True
        if not self._points_here(piece.sheet, at_home=at_home):
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
                corner if move else corner.offset(distance, 0)
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
