"""First pass over a data sheet: which rows count, and what their cells hold."""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.addresses.mailbox import HasPlusTags
from winnow.core.tasks.keep_rule import Keep
from winnow.core.verdicts.facts import LocalWords
from winnow.lists.engine.address_column import AddressColumn
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.duplicates import Ranks
from winnow.lists.engine.repairer import RepairedCells, Repairer
from winnow.lists.engine.row_codes import BLANK_LINE, FIRST_DOMAIN, HEADER, AddressCodes
from winnow.lists.engine.row_ranks import RankBlock, RowRanks, rank_by_count, rank_by_date_texts
from winnow.lists.formats.xlsx.cells import CellBlock, Mask, Positions
from winnow.lists.formats.xlsx.opened import OpenSheet, Tables
from winnow.lists.formats.xlsx.references.formula import Reference, parse_formula, read_sheet_prefix
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.xml import resolve_references
from winnow.lists.text.cell_text import decode_text

_OWN_ROW = ("@", "#this row")  # a column of a table in the formula's own row


@dataclass(frozen=True, slots=True)
class ScannedRows:
    """Some rows of the sheet in their order; arrays have an entry for each.

    Rows that are none of the list (blank ones, titles above the header, totals) have the code
    BLANK_LINE. ``is_shown`` says which cells are part of the list's text. ``valueless`` counts
    formulas without a value. ``texts`` and ``repaired`` are the addresses of the list's rows, in
    the order of these.
    """

    block: CellBlock
    is_row: Mask
    addresses: AddressCodes
    ranks: Ranks | None
    is_shown: Mask
    valueless: NDArray[np.int32]
    texts: pa.Array
    repaired: RepairedCells
    boxes: NDArray[np.uint64] | None


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
    """Scans the sheet of an opened workbook, block by block.

    Args:
        opened: The workbook.
        stream: Its sheet from the start.
        ranks: Learns how the rows' dates are read.
        local_words: Flags of whole local parts.
        repairer: Repairs what is plainly mistyped; None: nothing is.

    The attributes are complete once all blocks are read: ``domains`` of the addresses,
    ``numbers`` of all rows, ``totals_rows`` with formulas over the list, except
    those of tables.
    """

    def __init__(
        self,
        opened: OpenSheet,
        stream: SheetStream,
        ranks: RowRanks,
        local_words: LocalWords | None = None,
        repairer: Repairer | None = None,
        has_plus_tags: HasPlusTags | None = None,
    ) -> None:
        self.domains = DomainTexts(FIRST_DOMAIN)
        self.columns = SheetColumns()
        self.totals_rows: list[int] = []
        self.has_email_formulas = False
        self.row_count = 0
        self._numbers = array("i")
        self._opened = opened
        self._stream = stream
        self._ranks = ranks
        self._column = AddressColumn(
            decode_text,
            local_words or {},
            is_utf8=True,
            repairer=repairer,
            has_plus_tags=has_plus_tags,
        )
        self._totals = TotalsFinder(opened.sheet.name, opened.tables)
        self._last_counted = 0

    @property
    def numbers(self) -> NDArray[np.int32]:
        """The numbers of all rows of the sheet so far."""
        return np.array(self._numbers, np.int32)

    def __iter__(self) -> Iterator[ScannedRows]:
        """Read the sheet through.

        Raises:
            BrokenFile: Rows that cannot be read; the sheet is named.
        """
        for block in self._opened.read(self._stream):
            self._numbers.extend(block.numbers.tolist())
            scanned = self._scan(block)
            self.row_count += int(np.count_nonzero(scanned.is_row))
            yield scanned

    def _scan(self, block: CellBlock) -> ScannedRows:
        plan = self._opened.plan
        in_list = self._opened.are_in_list(block.numbers)
        reached = self.columns.widen(block, in_list, self._opened.header_row)
        is_row = in_list.copy()
        is_row[np.bincount(block.rows[block.is_filled], minlength=block.row_count) == 0] = False
        is_header = is_row & (block.numbers == self._opened.header_row)
        is_row &= ~is_header
        emails = block.find_cells(plan.email_column)
        if plan.second_email_column is not None:
            others = block.find_cells(plan.second_email_column)
            emails = np.where(emails < 0, others, emails)
        self._leave_totals_out(block, is_row, emails < 0)
        found = emails[is_row]
        self.has_email_formulas = self.has_email_formulas or any(
            block.has_formula(cell) for cell in found[found >= 0].tolist() if block.rests[cell]
        )
        addresses = block.take(found).fill_null(b"")
        read = self._column.read_texts(addresses).number_domains(self.domains)
        codes = np.full(block.row_count, BLANK_LINE, np.uint32)
        flags = np.zeros(block.row_count, np.uint8)
        keys = np.zeros(block.row_count, np.uint64)
        codes[is_header] = HEADER
        codes[is_row], flags[is_row], keys[is_row] = read.codes, read.flags, read.keys
        boxes = None
        if read.boxes is not None:
            boxes = np.zeros(block.row_count, np.uint64)
            boxes[is_row] = read.boxes
        of_rows = is_row[block.rows]
        valueless = [cell for cell in np.flatnonzero(of_rows & ~block.has_text).tolist()
                     if block.rests[cell] and block.lacks_value(cell)]  # fmt: skip
        return ScannedRows(
            block,
            is_row,
            AddressCodes(codes, flags, keys),
            self._ranks.take(self._rank(block, is_row)),
            of_rows & block.has_text & (block.columns <= reached[block.rows]),
            np.bincount(block.rows[valueless], minlength=block.row_count).astype(np.int32),
            addresses,
            read.repaired,
            boxes,
        )

    def _rank(self, block: CellBlock, is_row: Mask) -> RankBlock | None:
        """Rank rows; those that are none of the list like empty ones."""
        rule = self._ranks.rule
        if not rule.has_ranks:
            return None
        if rule.keep is Keep.COMPLETE:
            filled = block.rows[block.is_filled]
            counts = np.bincount(filled, minlength=block.row_count)
            return rank_by_count(np.where(is_row, counts, 0))
        is_known = is_row & (rule.date_column is not None)
        dates = np.where(is_known, block.find_cells(rule.date_column or 0), -1)
        return rank_by_date_texts(block.take(dates))

    def _leave_totals_out(self, block: CellBlock, is_row: Mask, has_no_address: Mask) -> None:
        """Take rows of totals out of those that count as rows of the list."""
        numbers = block.numbers
        with_formulas = np.zeros(block.row_count, np.bool_)
        with_formulas[block.rows[[cell for cell, rest in enumerate(block.rests) if rest]]] = True
        is_open = is_row & has_no_address & with_formulas
        counted = np.where(is_row & ~is_open, numbers, self._last_counted)
        before = np.maximum.accumulate(counted)
        for row in np.flatnonzero(is_open).tolist():
            number, last = int(numbers[row]), max(self._last_counted, int(before[row]))
            if self._totals.is_total(block.list_formulas(row), number, last):
                self.totals_rows.append(number)
                is_row[row] = False
            else:
                self._last_counted = number
        if is_row.any():
            self._last_counted = int(numbers[is_row][-1])


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
