"""References to one sheet, moved as spreadsheet programs do when rows are deleted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from winnow.lists.formats.xlsx.references.formula import (
    Corner,
    Formula,
    LostReference,
    Reference,
    RowMap,
    parse_formula,
    read_sheet_prefix,
    write_formula,
)
from winnow.lists.sheet_limits import MAX_ROWS

_NAME = re.compile(  # or a text; not a function
    r'"(?:[^"]|"")*+"|(?<![\w.\\])(?!(?:TRUE|FALSE)\b)((?:[^\W\d]|\\)[\w.\\?]*+)(?!\s*+\()',
    re.IGNORECASE,
)


@dataclass(slots=True)
class Losses:
    """What a rewriting could not keep as it was.

    ``formulas`` counts cells that keep their last value without a formula, or show ``#REF!`` where
    they had none. ``pointless`` names what points at removed rows, ``untouched`` what names the
    rows by their old numbers. ``pivots`` counts the sources of pivot tables that may have lost
    rows.
    """

    formulas: int = 0
    pivots: int = 0
    pointless: list[str] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)


class ReferenceMover:
    """Moves references to one sheet, and counts in ``losses`` what it could not move.

    Args:
        sheet: The sheet's name.
        removed: The numbers of its removed rows, ascending.

    ``at_home`` means everywhere that a reference without a sheet points at this one.
    """

    def __init__(self, sheet: str, removed: Sequence[int]) -> None:
        self.sheet = sheet
        self.rows = RowMap(removed)
        self.losses = Losses()

    def covers_removed(self, formula: Formula, *, at_home: bool) -> bool:
        """Whether the formula refers to several rows at once, and some of them are removed.

        A name and a table's column count as such: what they refer to is not looked up.
        """
        return any(
            "[" in piece or any(found[1] for found in _NAME.finditer(piece))
            if isinstance(piece, str)
            else self._points_here(piece.sheet, at_home=at_home)
            and self.rows.covers_removed(piece.corners[0].row, piece.corners[-1].row or MAX_ROWS)
            for piece in formula
        )

    def is_outdated(self, text: str) -> bool:
        """Whether a formula of no sheet refers to removed rows."""
        try:
            return self.covers_removed(parse_formula(text), at_home=False)
        except LostReference:
            return False

    def shift(
        self,
        formula: Formula,
        *,
        at_home: bool,
        distance: int | None = None,
    ) -> tuple[Formula, bool]:
        """Return the formula for the sheet without the removed rows; whether any reference is lost.

        A lost one points at a removed row, and is written as ``#REF!``.

        Args:
            formula: What ``parse_formula`` gave.
            at_home: See the class.
            distance: How far all rows without ``$`` move, as those of rules for a whole area do;
                None: each to where its row is.
        """
        moved: list[str | Reference] = []
        is_lost = False
        for piece in formula:
            if isinstance(piece, str) or not self._points_here(piece.sheet, at_home=at_home):
                moved.append(piece)
                continue
            try:
                corners = self._shift(piece.corners, distance)
                moved.append(piece._replace(corners=corners))
            except LostReference:
                is_lost = True
                moved.append("#REF!")
        return tuple(moved), is_lost

    def move_formula(
        self, text: str, what: str, *, at_home: bool = False, distance: int | None = None
    ) -> str:
        """Move a formula; lost references become ``#REF!`` and are counted as those of ``what``."""
        try:
            formula = parse_formula(text)
        except LostReference:  # longer than any formula
            self.losses.pointless.append(what)
            return text
        moved, is_lost = self.shift(formula, at_home=at_home, distance=distance)
        if is_lost:
            self.losses.pointless.append(what)
        return text if moved == formula else write_formula(moved)

    def _points_here(self, prefix: str, *, at_home: bool) -> bool:
        """Whether a reference with this prefix points at the sheet; runs of sheets never do."""
        if ":" in prefix and "[" not in prefix:
            runs = "formulas over several sheets"
            if runs not in self.losses.untouched:
                self.losses.untouched.append(runs)
        if not prefix:
            return at_home
        return read_sheet_prefix(prefix).casefold() == self.sheet.casefold()

    def _shift(self, corners: tuple[Corner, ...], distance: int | None) -> tuple[Corner, ...]:
        if not corners[0].row:
            return corners
        moves = [corner.row_fixed or distance is None for corner in corners]
        if all(moves) and len(corners) == 2:
            top, bottom = sorted(corner.row for corner in corners)
            span = self.rows.span(top, bottom)
            if span is None:
                raise LostReference
            first, last = reversed(span) if corners[0].row > corners[1].row else span
            return corners[0]._replace(row=first), corners[1]._replace(row=last)
        return tuple(
            self._move(corner) if move else corner.offset(distance or 0, 0)
            for corner, move in zip(corners, moves, strict=True)
        )

    def _move(self, corner: Corner) -> Corner:
        row = self.rows.find(corner.row)
        if row is None:
            raise LostReference
        return corner._replace(row=row)
