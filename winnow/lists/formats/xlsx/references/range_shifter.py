"""Cell and range references in parts of a workbook, moved when rows are removed."""

import re
from dataclasses import dataclass, field
from functools import partial

from winnow.lists.formats.xlsx.cells import column_index, column_letters
from winnow.lists.formats.xlsx.markup import Element
from winnow.lists.formats.xlsx.references.formula import (
    Formula,
    LostReference,
    parse_formula,
    write_formula,
)
from winnow.lists.formats.xlsx.references.formula_shifter import FormulaShifter, RowMap
from winnow.lists.formats.xlsx.xml import escape, resolve_references

_AREA = re.compile(
    rb"(\$?)([A-Za-z]{0,3})(\$?)([0-9]{1,7})(?::(\$?)([A-Za-z]{0,3})(\$?)([0-9]{1,7}))?\Z"
)
_FORMULA_ELEMENTS = frozenset((b"formula", b"formula1", b"formula2", b"f"))


def shift_area(area: bytes, rows: RowMap) -> bytes | None:
    """Move one area such as ``A1:F9``; None when all its rows are removed. Columns stay."""
    match = _AREA.match(area)
    if match is None:
        return area  # whole columns
    first = int(match[4])
    span = rows.span(first, int(match[8] or first))
    if span is None:
        return None
    start = match[1] + match[2] + match[3] + b"%d" % span[0]
    if match[8] is None:
        return start
    return start + b":" + match[5] + match[6] + match[7] + b"%d" % span[1]


def shift_areas(areas: bytes, rows: RowMap) -> bytes | None:
    """Move a list of areas separated by blanks; None when nothing is left."""
    moved = [left for area in areas.split() if (left := shift_area(area, rows)) is not None]
    return b" ".join(moved) or None


def rest_areas(areas: bytes, rows: RowMap) -> bytes:
    """Move areas that must not be lost: the first cell of lost ones at the next kept row."""
    moved = shift_areas(areas, rows)
    if moved is not None or not areas.split():
        return areas if moved is None else moved
    row = rows.next_kept(first_row(areas))
    return re.sub(rb"[0-9]+", b"%d" % row, areas.split()[0].partition(b":")[0])


def read_rows(area: bytes) -> tuple[int, int] | None:
    """Return the first and the last row of an area; None for one that names no rows."""
    match = _AREA.match(area.strip())
    return (int(match[4]), int(match[8] or match[4])) if match is not None else None


def read_columns(area: bytes) -> tuple[int, int] | None:
    """Return the first and the last column, from 0, of an area; None for whole rows or columns."""
    match = _AREA.match(area.strip())
    if match is None or not match[2]:
        return None
    return column_index(match[2].upper()), column_index((match[6] or match[2]).upper())


def write_area(columns: tuple[int, int], rows: tuple[int, int]) -> bytes:
    """Return the area between two columns, from 0, and two rows, from 1."""
    return b"%s%d:%s%d" % (column_letters(columns[0]), rows[0], column_letters(columns[1]), rows[1])


def first_row(areas: bytes) -> int:
    """Return the top row of areas: rules for them count their rows from there."""
    return min((int(digits) for digits in re.findall(rb"[0-9]{1,7}", areas)), default=1)


@dataclass(slots=True)
class Losses:
    """What a rewriting could not keep as it was.

    ``formulas`` counts cells that keep their last value without a formula, ``unresolved`` those
    that had no value and show ``#REF!``. ``pointless`` names what points at removed rows only,
    ``partly`` what lost some of its own rows, ``outdated`` what shows the rows as they were until
    it is worked out anew, ``untouched`` what names the rows by their old numbers.
    """

    formulas: int = 0
    unresolved: int = 0
    has_moved_formulas: bool = False
    pointless: list[str] = field(default_factory=list)
    partly: list[str] = field(default_factory=list)
    outdated: list[str] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)


class ReferenceMover:
    """Moves what elements say about the rows of a sheet, and counts what it could not.

    Args:
        formulas: Moves references.
        losses: Takes what points at removed rows only.
    """

    def __init__(self, formulas: FormulaShifter, losses: Losses) -> None:
        self.formulas = formulas
        self.rows = formulas.rows
        self.losses = losses

    def move_attribute(self, element: Element, name: bytes) -> bool:
        """Move the areas in an attribute; False when nothing is left of them."""
        areas = element.attributes.get(name)
        if areas is None:
            return True
        moved = shift_areas(areas, self.rows)
        if moved is not None:
            element.attributes[name] = moved
        return moved is not None or not areas.strip()

    def rest_attribute(self, element: Element, name: bytes) -> None:
        """Move the areas in an attribute, to the next kept row where nothing is left of them."""
        if name in element.attributes:
            element.attributes[name] = rest_areas(element.attributes[name], self.rows)

    def move_row_text(self, element: Element) -> None:
        """Move the row, counted from 0, that is in an element."""
        digits = element.text.strip()
        if re.fullmatch(rb"[0-9]{1,7}", digits):
            element.children = [b"%d" % self.next_row(int(digits))]

    def next_row(self, row: int) -> int:
        """Return the new place of a row counted from 0, or of the first kept one after it."""
        return self.rows.next_kept(row + 1) - 1

    def move_formula(
        self,
        content: bytes,
        what: str,
        *,
        at_home: bool,
        anchor: tuple[int, int] | None = None,
        relative: bool = True,
    ) -> bytes:
        """Move a formula as written in XML; lost references become ``#REF!`` and are counted.

        Args:
            content: Between two tags, or in an attribute.
            what: Whose formula it is, in an analyst's words.
            at_home: Bare references point at the sheet.
            anchor: See ``FormulaShifter.shift``.
            relative: See ``FormulaShifter.shift``.
        """
        try:
            formula = parse_formula(resolve_references(content))
        except ValueError:  # no text, or longer than any formula
            self.losses.pointless.append(what)
            return content
        moved, is_lost = self._shift(formula, at_home=at_home, anchor=anchor, relative=relative)
        if is_lost:
            self.losses.pointless.append(what)
        return content if moved == formula else escape(write_formula(moved))

    def move_formula_attribute(
        self, element: Element, name: bytes, what: str, *, at_home: bool
    ) -> None:
        """Move the formula in an attribute, if there is one."""
        content = element.attributes.get(name)
        if content:
            element.attributes[name] = self.move_formula(content, what, at_home=at_home)

    def move_formulas_below(
        self, element: Element, what: str, *, at_home: bool, anchor: tuple[int, int] | None = None
    ) -> None:
        """Move all formulas of a rule: in elements of their own, and in bounds of scales."""
        for inner in element.walk():
            if inner.local in _FORMULA_ELEMENTS and inner.text.strip():
                moved = self.move_formula(inner.text, what, at_home=at_home, anchor=anchor)
                inner.children = [moved]
            elif inner.local == b"cfvo":
                self.move_formula_attribute(inner, b"val", what, at_home=at_home)

    def _shift(
        self, formula: Formula, *, at_home: bool, anchor: tuple[int, int] | None, relative: bool
    ) -> tuple[Formula, bool]:
        shift = partial(
            self.formulas.shift, formula, at_home=at_home, anchor=anchor, relative=relative
        )
        try:
            return shift(), False
        except LostReference:
            return shift(marks_lost=True), True
