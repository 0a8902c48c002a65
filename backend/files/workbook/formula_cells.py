"""Formulas of cells, moved with the rows; what cannot be moved keeps its last value alone."""

from dataclasses import dataclass

from backend.files.workbook.areas import shift_area
from backend.files.workbook.cells import CellGrammar, read_attributes
from backend.files.workbook.formula import (
    Formula,
    FormulaShifter,
    LostReference,
    offset_formula,
    parse_formula,
    write_formula,
)
from backend.files.workbook.xml import escape, resolve_references


@dataclass(frozen=True, slots=True)
class _Master:
    """A shared formula's first cell; None for a formula that cannot be moved at all."""

    formula: Formula | None
    row: int
    column: int
    is_concerned: bool


class FormulaCells:
    """Moves the formulas of one sheet, cell by cell in order.

    ``lost`` counts the cells whose formula went; ``moved`` those whose text changed.

    Args:
        grammar: Expressions for the sheet.
        shifter: Moves references.
        at_home: Whether this is the sheet whose rows are removed.
    """

    def __init__(self, grammar: CellGrammar, shifter: FormulaShifter, *, at_home: bool) -> None:
        self._grammar = grammar
        self._shifter = shifter
        self._at_home = at_home
        self._masters: dict[bytes, _Master] = {}
        self._tag = b"<" + grammar.prefix + b"f"
        self._closing = b"</" + grammar.prefix + b"f>"
        self.lost = 0
        self.moved = 0

    def move(self, content: bytes, row: int, column: int, *, keep: bool) -> bytes:
        """Return a cell's content with its formula moved.

        Args:
            content: The XML between the cell's tags.
            row: The cell's old row.
            column: Its column from 0.
            keep: False for a cell whose row goes: only a shared formula in it is remembered.

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
            tag = self._tag + b">"
        elif not keep:
            return content
        else:
            formula = self._parse(text)
            tag = self._tag + match[1] + b">"
            if kind == b"dataTable" and self._at_home:
                formula = None
            if kind == b"array" and self._at_home:
                area = attributes.get(b"ref", b"")
                moved_area = shift_area(area, self._shifter.rows)
                if moved_area is None:
                    formula = None
                else:
                    tag = tag.replace(area, moved_area, 1)
        moved = self._shift(formula)
        if moved is None:
            self.lost += 1
            value = self._grammar.value.search(content)
            if formula is None or (value is not None and value[1]):
                return content[: match.start()] + content[match.end() :]
            moved = self._shifter.shift(formula, at_home=self._at_home, marks_lost=True)
        written = escape(write_formula(moved)) if moved != formula or kind == b"shared" else text
        self.moved += moved != formula
        if not written:
            return content
        rest = content[match.end() :]
        if formula is not None and self._is_out_of_date(formula):
            rest = self._grammar.value.sub(b"", rest)
        return content[: match.start()] + tag + written + self._closing + rest

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
