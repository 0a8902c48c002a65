"""Rows of totals, no rows of the list: an empty email cell and a formula over the list."""

from collections.abc import Iterable

from winnow.lists.formats.xlsx.opened import Tables
from winnow.lists.formats.xlsx.references.formula import Reference, parse_formula, read_sheet_prefix
from winnow.lists.formats.xlsx.xml import resolve_references

_OWN_ROW = ("@", "#this row")  # a column of a table in the formula's own row


class TotalsFinder:
    """Finds rows of totals of one sheet.

    Args:
        sheet: The sheet's name.
        tables: Its tables.
    """

    def __init__(self, sheet: str, tables: Tables) -> None:
        self._sheet = sheet.casefold()
        self._tables_end = tables.last_row

    def is_total(self, formulas: Iterable[bytes], number: int, last_counted: int) -> bool:
        """Whether a row without an address holds a formula over the list.

        Such a formula looks at several rows that end right above its own, blank lines and other
        totals apart, or begin right below it; or at a column of a table from below.

        Args:
            formulas: Those of the row, as written.
            number: The row's.
            last_counted: The number of the last row of the list before it; 0 for none.
        """
        return any(self._is_over_list(formula, number, last_counted) for formula in formulas)

    def _is_over_list(self, content: bytes, number: int, last_counted: int) -> bool:
        if b":" not in content and b"[" not in content:
            return False
        try:
            formula = parse_formula(resolve_references(content))
        except ValueError:
            return False
        return any(
            self._spans_list(piece, number, last_counted)
            if isinstance(piece, Reference)
            else self._names_column(piece, number)
            for piece in formula
        )

    def _spans_list(self, reference: Reference, number: int, last_counted: int) -> bool:
        is_here = not reference.sheet or (
            read_sheet_prefix(reference.sheet).casefold() == self._sheet
        )
        if not is_here or len(reference.corners) < 2 or not reference.corners[0].row:
            return False
        first, last = sorted(corner.row for corner in reference.corners)
        columns = {corner.column for corner in reference.corners}
        if first == last and len(columns) > 1:
            return False  # cells side by side
        return first <= last_counted <= last < number or number + 1 == first < last

    def _names_column(self, piece: str, number: int) -> bool:
        if "[" not in piece or not 0 < self._tables_end < number:
            return False
        return not any(mark in piece.lower() for mark in _OWN_ROW)
