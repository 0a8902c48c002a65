"""Movers of references to a sheet when rows are deleted: of formulas, and of parts by rules."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from winnow.lists.formats.xlsx.markup import Element, edit_elements
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

DIGITS = re.compile(r"\s*[0-9]{1,7}\s*")
_NAME = re.compile(  # or a text; not a function
    r'"(?>(?:[^"]|"")*)"|(?<![\w.\\])(?!(?:TRUE|FALSE)\b)((?:[^\W\d]|\\)[\w.\\?]*+)(?!\s*+\()',
    re.IGNORECASE,
)


@dataclass(slots=True)
class BrokenReferences:
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
        self.losses = BrokenReferences()

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
        formula = parse_formula(text)
        moved, is_lost = self.shift(formula, at_home=at_home, distance=distance)
        if is_lost or (text and not formula):
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


class Kind(Enum):
    """What an attribute or an element's text holds, and what happens to it."""

    AREAS = 0  # the element is removed with the last of their rows
    FIXED_AREAS = 1  # lost ones become the first cell of the next kept row
    FORMULA = 2  # a reference without a sheet points at the part's own


class Entry(NamedTuple):
    """An attribute that names rows, ``""`` for the element's text; ``what`` is for notices."""

    attribute: str
    kind: Kind
    what: str = ""


# The entry of an element; or a function that returns False for an element to remove, True when
# nothing is left to do, None when what is below the element is still to be moved.
Rule = Entry | Callable[["PartMover", Element], bool | None]
Rules = Mapping[str, Rule]  # by the element's name without its prefix


class PartMover:
    """Moves all that one part says of the rows of a sheet.

    Args:
        rules: Those of the part's kind.
        mover: Moves references.
        sheet: The sheet that the part belongs to, ``""`` for none.

    ``at_home`` says that this is the sheet whose rows are removed, ``on`` names it in notices.
    """

    def __init__(self, rules: Rules, mover: ReferenceMover, sheet: str) -> None:
        self._rules = rules
        self.mover = mover
        self.rows = mover.rows
        self.losses = mover.losses
        self.at_home = sheet == mover.sheet
        self.on = f" on {sheet}" if sheet else ""

    def move(self, content: bytes) -> bytes:
        """Return the part, or what is before or after a sheet's rows, moved."""
        return edit_elements(content, self._rules, self._move)

    def _move(self, element: Element) -> bool:
        """Move an element and all below it; False when it is to be removed."""
        rule = self._rules.get(element.local)
        if isinstance(rule, Entry):
            if not self.move_entry(element, *rule):
                return False
        elif rule is not None and (done := rule(self, element)) is not None:
            return done
        return self.move_children(element)

    def move_children(self, element: Element) -> bool:
        """Move what is below an element; False when it loses all that it holds by that."""
        before = list(element.elements())
        element.children = [
            child for child in element.children if isinstance(child, str) or self._move(child)
        ]
        count = sum(1 for _ in element.elements())
        if count < len(before) and "count" in element.attributes:
            element.attributes["count"] = str(count)
        return not before or bool(count)

    def move_entry(self, element: Element, name: str, kind: Kind, what: str = "") -> bool:
        """Move an attribute or a text; False when the element is to be removed."""
        content = element.attributes.get(name) if name else element.text
        if not content or not content.strip():
            return True
        moved: str | None = content
        if kind is Kind.FORMULA:
            moved = self.move_formula(content, what + self.on)
        elif not self.at_home:
            return True
        elif kind is Kind.AREAS:
            moved = self.rows.move_areas(content)
        else:
            moved = self.rows.rest_areas(content)
        if moved is None:
            return False
        if name:
            element.attributes[name] = moved
        else:
            element.children = [moved]
        return True

    def move_formula(self, text: str, what: str, distance: int | None = None) -> str:
        """Move a formula of the part; see ``ReferenceMover``."""
        return self.mover.move_formula(text, what, at_home=self.at_home, distance=distance)

    def move_rows(self, first: str, last: str) -> tuple[str, str]:
        """Return the rows of a box, from 0, which keeps its height; what are no numbers stays."""
        if not (DIGITS.fullmatch(first) and DIGITS.fullmatch(last)):
            return first, last
        moved = self.rows.next_kept(int(first) + 1) - 1
        return str(moved), str(min(moved + int(last) - int(first), MAX_ROWS - 1))
