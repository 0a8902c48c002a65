"""Mover for one part of a workbook: applies the part's rules to the elements that name rows."""

import re
from collections.abc import Callable, Mapping
from enum import Enum
from typing import NamedTuple

from winnow.lists.formats.xlsx.markup import Element, edit_elements
from winnow.lists.formats.xlsx.references.mover import ReferenceMover
from winnow.lists.sheet_limits import MAX_ROWS

DIGITS = re.compile(r"\s*[0-9]{1,7}\s*")


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


# The entries of an element; or a function that returns False for an element to remove, True when
# nothing is left to do, None when what is below the element is still to be moved.
Rule = tuple[Entry, ...] | Callable[["PartMover", Element], bool | None]
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
        rule = self._rules.get(element.local, ())
        if not isinstance(rule, tuple):
            done = rule(self, element)
            if done is not None:
                return done
        elif not all(self.move_entry(element, *entry) for entry in rule):
            return False
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
