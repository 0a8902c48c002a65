"""First pass over a data sheet: which rows count, and what their cells hold."""

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.errors import EmptyFile
from winnow.lists.formats.xlsx.cells import CellBlock, Mask, Positions
from winnow.lists.formats.xlsx.lines import SheetLines
from winnow.lists.formats.xlsx.opened import OpenSheet
from winnow.lists.formats.xlsx.references.formula import Reference, parse_formula, read_sheet_prefix
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.xml import resolve_references

_OWN_ROW = ("@", "#this row")  # a column of a table in the formula's own row


@dataclass(slots=True)
class SheetColumns:
    """Columns that the rows of a list reach, from 0, -1 for none.

    ``last`` is the last with a value, from the header on; ``last_held`` the last with anything:
    blanks, a formula that shows nothing.
    """

    last: int = -1
    last_held: int = -1
    header_style: int = 0

    def widen(self, block: CellBlock, in_list: Mask, header_row: int) -> Positions:
        """Take the cells of rows; return for each row the last column with a value up to it."""
        is_listed = in_list[block.rows]
        header = np.flatnonzero(is_listed & block.is_filled)
        header = header[block.numbers[block.rows[header]] == header_row]
        if len(header):
            self.header_style = int(block.styles[header[-1]])
        ends = np.where(in_list, block.find_last_columns(block.is_filled), -1)
        reached: Positions = np.maximum(np.maximum.accumulate(ends), self.last)
        self.last = int(reached[-1]) if len(reached) else self.last
        texts = is_listed & block.has_text
        held = int(block.columns.max(initial=self.last, where=texts))
        self.last_held = max(self.last_held, held)
        for cell in np.flatnonzero(is_listed & (block.columns > self.last_held)).tolist():
            if block.has_formula(cell):
                self.last_held = max(self.last_held, int(block.columns[cell]))
        return reached


class SheetScanner:
    """Scans the sheet of an opened workbook once, and writes its list as plain CSV.

    Args:
        opened: The workbook.
        stream: Its sheet from the start.
        lines: Take the list's rows.
        keeps_addresses: Whether ``addresses`` are wanted.

    The attributes are complete once the sheet is scanned: the ``columns`` that the list reaches;
    ``numbers`` of its rows, how many ``valueless`` formulas each has, the ``addresses`` in them;
    ``totals_rows`` with formulas over the list, except those of tables.
    """

    def __init__(
        self,
        opened: OpenSheet,
        stream: SheetStream,
        lines: SheetLines,
        *,
        keeps_addresses: bool = False,
    ) -> None:
        self.columns = SheetColumns()
        self.totals_rows: list[int] = []
        self.has_email_formulas = False
        self.addresses: list[pa.Array] = []
        self._numbers, self._valueless = array("i"), array("i")
        self._opened = opened
        self._stream = stream
        self._lines = lines
        self._keeps_addresses = keeps_addresses

    @property
    def numbers(self) -> NDArray[np.int32]:
        """The numbers of the list's rows."""
        return np.array(self._numbers, np.int32)

    @property
    def valueless(self) -> NDArray[np.int32]:
        """How many formulas without a value each of the list's rows has."""
        return np.array(self._valueless, np.int32)

    def scan(self, tell: Callable[[int, int | None, int], None]) -> None:
        """Read the sheet through; ``tell`` gets the progress.

        Raises:
            BrokenFile: Rows that cannot be read, or are too wide; the sheet is named.
            EmptyFile: The list has no rows.
        """
        for block in self._opened.read(self._stream):
            self._scan(block)
            tell(len(self._numbers), None, self._stream.bytes_done)
        if not len(self._numbers):
            raise EmptyFile(
                "The sheet has no rows.",
                hint="Check that it is the right sheet.",
                sheet=self._opened.sheet.name,
            )

    def _scan(self, block: CellBlock) -> None:
        plan = self._opened.plan
        in_list = self._opened.are_in_list(block.numbers)
        reached = self.columns.widen(block, in_list, self._opened.header_row)
        is_row = in_list & (block.numbers != self._opened.header_row)
        is_row[np.bincount(block.rows[block.is_filled], minlength=block.row_count) == 0] = False
        emails = block.find_cells(plan.email_column)
        if plan.second_email_column is not None:
            others = block.find_cells(plan.second_email_column)
            emails = np.where(emails < 0, others, emails)
        self._leave_totals_out(block, is_row, emails < 0)
        found = emails[is_row]
        self.has_email_formulas = self.has_email_formulas or any(
            block.has_formula(cell) for cell in found[found >= 0].tolist() if block.rests[cell]
        )
        if self._keeps_addresses:
            self.addresses.append(block.take(found).fill_null(b""))
        of_rows = is_row[block.rows]
        valueless = [cell for cell in np.flatnonzero(of_rows & ~block.has_text).tolist()
                     if block.rests[cell] and block.lacks_value(cell)]  # fmt: skip
        counts = np.bincount(block.rows[valueless], minlength=block.row_count)
        self._valueless.extend(counts[is_row].tolist())
        self._numbers.extend(block.numbers[is_row].tolist())
        is_shown = block.has_text & (block.columns <= reached[block.rows])
        self._lines.add(block, is_row, is_shown, self.columns.last + 1)

    def _leave_totals_out(self, block: CellBlock, is_row: Mask, has_no_address: Mask) -> None:
        """Take rows of totals out of those that count as rows of the list."""
        with_formulas = np.zeros(block.row_count, np.bool_)
        with_formulas[block.rows[[cell for cell, rest in enumerate(block.rests) if rest]]] = True
        for row in np.flatnonzero(is_row & has_no_address & with_formulas).tolist():
            number = int(block.numbers[row])
            if is_total(block.list_formulas(row), number, self._opened.sheet.name):
                self.totals_rows.append(number)
                is_row[row] = False


def is_total(formulas: Iterable[bytes], number: int, sheet: str) -> bool:
    """Whether a row without an address holds a formula over the list.

    Such a formula looks at a column of rows that are all above or all below its own, or at a
    column of a table.

    Args:
        formulas: Those of the row, as written.
        number: The row's.
        sheet: The sheet's name.
    """
    return any(_is_over_list(formula, number, sheet) for formula in formulas)


def _is_over_list(content: bytes, number: int, sheet: str) -> bool:
    if b":" not in content and b"[" not in content:
        return False
    try:
        formula = parse_formula(resolve_references(content))
    except ValueError:
        return False
    return any(
        _spans_rows(piece, number, sheet)
        if isinstance(piece, Reference)
        else "[" in piece and not any(mark in piece.lower() for mark in _OWN_ROW)
        for piece in formula
    )


def _spans_rows(reference: Reference, number: int, sheet: str) -> bool:
    first, last = reference.corners[0], reference.corners[-1]
    if reference.sheet and read_sheet_prefix(reference.sheet).casefold() != sheet.casefold():
        return False
    if len(reference.corners) < 2 or first.column != last.column or not first.row:
        return False  # one cell, cells side by side, or whole columns
    return max(first.row, last.row) < number or number < min(first.row, last.row)
