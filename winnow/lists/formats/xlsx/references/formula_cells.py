"""Formulas of cells, moved with the rows; what cannot be moved keeps its last value alone."""

import re
from dataclasses import dataclass

from winnow.lists.formats.xlsx.cells import CellGrammar, read_attributes
from winnow.lists.formats.xlsx.markup import write_tag
from winnow.lists.formats.xlsx.references.formula import (
    Formula,
    LostReference,
    offset_formula,
    parse_formula,
    write_formula,
)
from winnow.lists.formats.xlsx.references.range_shifter import (
    ReferenceMover,
    read_columns,
    read_rows,
    shift_area,
)
from winnow.lists.formats.xlsx.xml import escape, resolve_references

_OWN_ATTRIBUTES = (b"ca", b"aca", b"bx")  # of a formula, whether it is shared or not


@dataclass(frozen=True, slots=True)
class _Master:
    """A shared formula's first cell; None for a formula that cannot be moved at all."""

    formula: Formula | None
    row: int
    column: int
    is_concerned: bool


class FormulaCells:
    """Moves the formulas of one sheet, cell by cell in order, and counts in the mover's losses.

    Args:
        grammar: Expressions for the sheet.
        mover: Moves references.
        at_home: Whether this is the sheet whose rows are removed.
    """

    def __init__(self, grammar: CellGrammar, mover: ReferenceMover, *, at_home: bool) -> None:
        self._grammar = grammar
        self._shifter = mover.formulas
        self._losses = mover.losses
        self._at_home = at_home
        self._masters: dict[bytes, _Master] = {}
        self._tag = b"<" + grammar.prefix + b"f"
        self._closing = b"</" + grammar.prefix + b"f>"

    def move(self, content: bytes, row: int, column: int, *, keep: bool) -> bytes:
        """Return a cell's content with its formula moved.

        Args:
            content: The XML between the cell's tags.
            row: The cell's old row.
            column: Its column from 0.
            keep: False for a cell whose row goes: only what other cells have of it is remembered.

        Raises:
            ValueError: A formula that is not text.
        """
        match = self._grammar.formula.search(content)
        if match is None:
            return content
        attributes = read_attributes(match[1])
        kind = attributes.get(b"t", b"normal")
        text = match[2] or b""
        if kind == b"shared":
            master = self._find_master(attributes.get(b"si", b""), text, row, column)
            if not keep or (master is not None and not master.is_concerned):
                return content
            formula = self._fill(master, row, column)
            attributes = {name: attributes[name] for name in _OWN_ATTRIBUTES if name in attributes}
        elif not keep:
            self._count_headless(attributes)
            return content
        elif self._at_home and kind == b"dataTable":
            return self._move_data_table(content, match, attributes)
        else:
            formula = self._parse(text)
            if kind == b"array" and self._at_home:
                area = shift_area(attributes.get(b"ref", b""), self._shifter.rows)
                attributes[b"ref"] = area or b""
                formula = formula if area else None
        moved = self._shift(formula)
        if moved is None:
            self._losses.formulas += 1
            value = self._grammar.value.search(content)
            if formula is None or (value is not None and value[1]):
                return content[: match.start()] + content[match.end() :]
            moved = self._shifter.shift(formula, at_home=self._at_home, marks_lost=True)
        written = escape(write_formula(moved)) if moved != formula or kind == b"shared" else text
        self._losses.has_moved_formulas |= moved != formula
        if not written:
            return content
        rest = content[match.end() :]
        if formula is not None and self._is_out_of_date(formula):
            rest = self._grammar.value.sub(b"", rest)
        tag = write_tag(self._tag[1:], attributes)
        return content[: match.start()] + tag + b">" + written + self._closing + rest

    def _move_data_table(
        self, content: bytes, match: re.Match[bytes], attributes: dict[bytes, bytes]
    ) -> bytes:
        """Move a what-if table as a whole; one that loses rows keeps its last values alone."""
        rows = self._shifter.rows
        area = read_rows(attributes.get(b"ref", b""))
        moved = {
            name: shift_area(attributes[name], rows)
            for name in (b"ref", b"r1", b"r2")
            if name in attributes
        }
        if area is None or rows.covers_removed(*area) or None in moved.values():
            self._losses.formulas += 1
            return content[: match.start()] + content[match.end() :]
        attributes.update({name: place for name, place in moved.items() if place is not None})
        tag = write_tag(self._tag[1:], attributes)
        return content[: match.start()] + tag + b"/>" + content[match.end() :]

    def _count_headless(self, attributes: dict[bytes, bytes]) -> None:
        """Count the cells that lose their formula with the first cell of an array or a table."""
        area = attributes.get(b"ref", b"")
        rows, columns = read_rows(area), read_columns(area)
        if self._at_home and rows is not None and columns is not None:
            left = self._shifter.rows.span(*rows)
            count = left[1] - left[0] + 1 if left is not None else 0
            self._losses.formulas += count * (columns[1] - columns[0] + 1)

    def _is_out_of_date(self, formula: Formula) -> bool:
        """Whether the stored value is no longer true: LibreOffice would show it all the same."""
        try:
            return self._shifter.covers_removed(formula, at_home=self._at_home)
        except LostReference:
            return True

    def _find_master(self, index: bytes, text: bytes, row: int, column: int) -> _Master | None:
        if text:
            formula = self._parse(text)
            try:
                is_concerned = self._at_home or formula is None or self._mentions(formula)
            except LostReference:
                is_concerned = True
            self._masters[index] = _Master(formula, row, column, is_concerned)
        return self._masters.get(index)

    def _mentions(self, formula: Formula) -> bool:
        return self._shifter.mentions(formula, at_home=self._at_home)

    @staticmethod
    def _fill(master: _Master | None, row: int, column: int) -> Formula | None:
        if master is None or master.formula is None:
            return None
        try:
            return offset_formula(master.formula, row - master.row, column - master.column)
        except LostReference:
            return None

    @staticmethod
    def _parse(text: bytes) -> Formula | None:
        try:
            return parse_formula(resolve_references(text))
        except LostReference:
            return None

    def _shift(self, formula: Formula | None) -> Formula | None:
        if formula is None:
            return None
        try:
            return self._shifter.shift(formula, at_home=self._at_home)
        except LostReference:
            return None
