"""Formulas of cells, moved with the rows; one that cannot be moved becomes its last value."""

import re

from winnow.core.errors import BrokenFile
from winnow.core.file_faults import FileFault
from winnow.lists.formats.xlsx.cells import FORMULA, VALUE
from winnow.lists.formats.xlsx.markup import Element
from winnow.lists.formats.xlsx.references.formula import (
    Formula,
    LostReference,
    offset_formula,
    parse_formula,
    read_area,
    write_formula,
)
from winnow.lists.formats.xlsx.references.mover import ReferenceMover
from winnow.lists.formats.xlsx.xml import NAME, read_attributes, resolve_references

MIN_PIECES = 200_000  # references and what is between them: a second's work
PIECES_PER_BYTE = 8  # of the packed sheet; usual formulas have one or two
_VALUE = re.compile(rb"<(" + NAME + rb"v)(?=[\s>])[^<>]*+(?<!/)>[^<]*+</\1\s*+>")
_OWN_ATTRIBUTES = ("ca", "aca", "bx")  # of a formula, whether it is shared or not


class FormulaCells:
    """Moves the formulas of one sheet, cell by cell in order, and counts in the mover's losses.

    Args:
        mover: Moves references.
        at_home: Whether this is the sheet whose rows are removed.
        packed_bytes: The size of the sheet in the zip, which bounds the length of all its formulas.
        is_calculated: Whether values of zero are results; else they may be what the program that
            wrote the workbook left for others to work out.
    """

    def __init__(
        self, mover: ReferenceMover, *, at_home: bool, packed_bytes: int, is_calculated: bool
    ) -> None:
        self._mover = mover
        self._losses = mover.losses
        self._at_home = at_home
        self._masters: dict[str, tuple[Formula, int, int]] = {}  # by index: with its first cell
        self._is_calculated = is_calculated
        self._pieces_left = MIN_PIECES + PIECES_PER_BYTE * packed_bytes

    def move(self, content: bytes, row: int, column: int, *, keep: bool) -> bytes:
        """Return a cell's content with its formula moved.

        Args:
            content: The XML between the cell's tags.
            row: The cell's old row.
            column: Its column from 0.
            keep: False for a cell whose row is removed: only what other cells use of it is kept.

        Raises:
            ValueError: A formula that is not text.
        """
        match = FORMULA.search(content)
        if match is None:
            return content
        attributes = read_attributes(match[2])
        kind = attributes.get("t", "normal")
        text = resolve_references(match[3] or b"")
        formula: Formula = ()
        if kind == "shared":
            formula = self._share(attributes.get("si", ""), text, row, column)
            attributes = {name: attributes[name] for name in _OWN_ATTRIBUTES if name in attributes}
        elif keep and kind != "dataTable":
            formula = self._parse(text)
        if not keep:
            self._losses.formulas += self._at_home and kind == "array"  # others hold its values
            return content
        if kind == "dataTable":
            self._losses.untouched.append("what-if tables")
            return content
        if kind == "normal" and not text:
            return content
        if kind == "array" and self._at_home:
            area, rows = read_area(attributes.get("ref", "")), self._mover.rows
            if area is None or rows.covers_removed(area.first_row, area.last_row):
                formula = ()
            attributes["ref"] = rows.rest_areas(attributes.get("ref", ""))
        before, after = content[: match.start()], content[match.end() :]
        moved, is_lost = self._mover.shift(formula, at_home=self._at_home)
        if is_lost or not formula:
            self._losses.formulas += 1
            value = VALUE.search(content)
            unknown = b"", b"" if self._is_calculated else b"0"
            if not formula or (value is not None and value[1] not in unknown):
                return before + after
        if not any(moved):
            return content
        if self._mover.covers_removed(formula, at_home=self._at_home):
            after = _VALUE.sub(b"", after)  # LibreOffice would show it all the same
        written = Element(match[1].decode(), attributes, [write_formula(moved)])
        return before + written.write() + after

    def _share(self, index: str, text: str, row: int, column: int) -> Formula:
        """Return a shared formula as it is in a cell; its first cell has its text."""
        if text:
            self._masters[index] = self._parse(text), row, column
        formula, first_row, first_column = self._masters.get(index, ((), row, column))
        self._count(formula)
        try:
            return offset_formula(formula, row - first_row, column - first_column)
        except LostReference:
            return ()

    def _parse(self, text: str) -> Formula:
        formula = parse_formula(text)
        self._count(formula)
        return formula

    def _count(self, formula: Formula) -> None:
        self._pieces_left -= len(formula)
        if self._pieces_left < 0:
            raise BrokenFile(
                "The workbook's formulas are too long for its size.",
                fault=FileFault.TOO_LARGE,
                hint="Replace them by their values, or export the sheet as CSV and use that.",
            )
