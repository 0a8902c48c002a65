"""The first pass over a data sheet: which rows count, and what stands in their email cells."""

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from winnow.lists.engine.both_addresses import AddressChoice, AddressCodes, find_second
from winnow.lists.engine.duplicates import Ranks
from winnow.lists.engine.row_codes import FIRST_FAULT
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.formats.xlsx.block_text import find_filled_cells, gather_texts, read_indices
from winnow.lists.formats.xlsx.cells import (
    MAX_ROWS,
    Cell,
    CellGrammar,
    MalformedRow,
    column_letters,
    tell_broken_row,
)
from winnow.lists.formats.xlsx.emails import BLANK_VALUE, HEADER_VALUE, EmailValues
from winnow.lists.formats.xlsx.extent import SheetExtent
from winnow.lists.formats.xlsx.fast_parser import Kind, Places, PlainBlock
from winnow.lists.formats.xlsx.ranks import SheetRanks
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.sheet_structure import Tables
from winnow.lists.formats.xlsx.strings import SharedStrings
from winnow.lists.formats.xlsx.text import CellTexts
from winnow.lists.formats.xlsx.totals import TotalsFinder
from winnow.lists.result.added_columns import VerdictColumns


@dataclass(frozen=True, slots=True)
class SheetScan:
    """What the first pass found; arrays have an entry for every row of the sheet, in order.

    ``places`` are those of the email values; ``codes``, ``flags`` and ``keys`` are those of
    ``address_column``. Rows that pass through (blank ones, titles above the header, totals) have
    the code BLANK_LINE. Columns count from 0, -1 for none.
    """

    numbers: NDArray[np.int32]
    codes: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    last_column: int  # the last with a value, from the header on
    last_held_column: int  # the last with anything: blanks, a formula that shows nothing
    widest_column: int  # the last with a cell, empty ones too
    header_style: int
    tail: bytes
    totals_rows: tuple[int, ...] = ()  # formulas over the list, beside those of tables
    places: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    has_email_formulas: bool = False
    ranks: Ranks | None = None  # by which duplicates stay, where their places alone do not say
    both: tuple[NDArray[np.int32], ...] = ()  # those of the first column, and of the second

    def choose(self, values: EmailValues, choice: AddressChoice) -> "SheetScan":
        """Return the same with the better address of each row, where both are judged."""
        chosen = choice.choose(*(AddressCodes(*values.gather(places)) for places in self.both))
        places = np.where(find_second(chosen.flags), self.both[1], self.both[0])
        return replace(
            self, codes=chosen.codes, flags=chosen.flags, keys=chosen.keys, places=places
        )

    @property
    def is_row(self) -> NDArray[np.bool_]:
        """Which of the sheet's rows are those of the list."""
        return self.codes >= FIRST_FAULT


class SheetScanner:
    """Scans one sheet.

    Args:
        stream: The sheet from its start.
        texts: Turns its cells into text.
        strings: The shared strings.
        email_column: From 0.
        second_column: Has the address of rows without one in the first, from 0; None: there is
            none.
        judges_both: The values of both columns are taken.
        header_row: Number of the header row; 0 for none.
        first_row: Number of the list's first row, its header among them. Rows above pass through.
        tables: What tables the sheet has; their totals pass through.
        added: The columns of a result of ours, the last with a value: a row without an address is
            one of the list where it has a verdict. None: the sheet is no result.
        values: Takes the email cells.
        ranks: Takes the rows' ranks; None: nobody wants any.
    """

    def __init__(
        self,
        stream: SheetStream,
        texts: CellTexts,
        strings: SharedStrings,
        *,
        email_column: int,
        header_row: int,
        first_row: int,
        tables: Tables,
        values: EmailValues,
        sheet: str,
        added: VerdictColumns | None = None,
        ranks: RowRanks | None = None,
        second_column: int | None = None,
        judges_both: bool = False,
    ) -> None:
        self._second_column = second_column
        self._both = (array("i"), array("i")) if judges_both and second_column is not None else ()
        self._ranks = SheetRanks(ranks or RowRanks(), texts)
        self._stream = stream
        self._texts = texts
        self._strings = strings
        self._email_column = email_column
        self._header_row = header_row
        self._first_row = first_row
        self._passing_rows = tables.totals_rows
        self._added = added
        self._totals = TotalsFinder(sheet, stream.prefix, tables) if added is None else None
        self._totals_rows: list[int] = []
        self._last_counted = 0
        self._bare_numbers, self._bare_ends = array("i"), array("i")  # rows without an address
        self._values = values
        self._sheet = sheet
        self._grammar = CellGrammar(stream.prefix)
        self._places_of_strings = np.full(len(strings), -1, np.int32)
        self._extent = SheetExtent(self._grammar, strings)
        self._header_style = 0
        self._has_email_formulas = False
        self._formula_open = b"<" + stream.prefix + b"f"
        self._opening = b"<" + stream.prefix + b'c r="'
        self._email_opening = self._opening + column_letters(email_column)

    def scan(self, tick: Callable[[int], None]) -> SheetScan:
        """Read the sheet through; ``tick`` gets the number of rows seen, block by block.

        Raises:
            BrokenFile: Rows that cannot be read; the sheet is named.
        """
        numbers, places = array("i"), array("i")
        previous = 0
        for region in self._stream.regions():
            region, block = self._stream.read_block(region, previous)
            if block is not None and self._takes(block, previous):
                numbers.frombytes(block.numbers.astype(np.int32).tobytes())
                places.frombytes(self._read_block(block, previous).tobytes())
                previous = int(block.numbers[-1])
                tick(len(numbers))
                continue
            for row in self._stream.split(region):
                try:
                    previous, place = self._read_row(row, previous)
                except (MalformedRow, ValueError, LookupError) as error:
                    raise tell_broken_row(self._sheet, previous, error) from error
                numbers.append(previous)
                places.append(place)
            tick(len(numbers))
        found_numbers, found_places = np.array(numbers, np.int32), np.array(places, np.int32)
        if self._added is not None:
            is_bare = np.isin(found_numbers, self._list_rows_without_verdict(self._added))
            found_places[is_bare] = BLANK_VALUE
        both = self._finish_both(found_places)
        codes, flags, keys = self._values.gather(found_places)
        return SheetScan(
            numbers=found_numbers,
            codes=codes,
            flags=flags,
            keys=keys,
            last_column=self._extent.last_column,
            last_held_column=self._extent.last_held_column,
            widest_column=self._extent.widest_column,
            header_style=self._header_style,
            tail=self._stream.tail,
            totals_rows=tuple(self._totals_rows),
            places=found_places,
            has_email_formulas=self._has_email_formulas,
            ranks=self._ranks.finish(),
            both=both,
        )

    def _finish_both(self, places: NDArray[np.int32]) -> tuple[NDArray[np.int32], ...]:
        """Return the places of both addresses; a row of the list without one has an empty one."""
        if not self._both:
            return ()
        no_address = self._values.add("")
        is_row = places > HEADER_VALUE
        columns = (np.array(column, np.int32) for column in self._both)
        return tuple(
            np.where(is_row, np.where(column == BLANK_VALUE, no_address, column), places)
            for column in columns
        )

    def _list_rows_without_verdict(self, added: VerdictColumns) -> NDArray[np.int32]:
        """Return the numbers of a result's rows without an address that were not judged."""
        ends = np.array(self._bare_ends, np.int32)
        numbers: NDArray[np.int32] = np.array(self._bare_numbers, np.int32)
        return numbers[ends < added.find_first(self._extent.last_column)]

    def _takes(self, block: PlainBlock, previous: int) -> bool:
        """Whether a block holds nothing but rows below the header that may count."""
        first, last = int(block.numbers[0]), int(block.numbers[-1])
        return (
            max(previous, self._header_row, self._first_row - 1) < first
            and last <= MAX_ROWS
            and not any(first <= row <= last for row in self._passing_rows)
        )

    def _read_block(self, block: PlainBlock, previous: int) -> NDArray[np.int32]:
        """Return the places of the email values of a block's rows."""
        try:
            is_filled = self._find_filled_cells(block)
        except ValueError as error:
            raise tell_broken_row(self._sheet, previous, error) from error
        columns = block.columns[is_filled]
        self._extent.widen(int(columns.max(initial=-1)))
        is_row = np.zeros(len(block.numbers), np.bool_)
        is_row[block.cell_rows[is_filled]] = True
        places = np.full(len(block.numbers), BLANK_VALUE, np.int32)
        emails = self._find_emails(block, is_filled)
        if block.has_formulas and not self._has_email_formulas:
            self._has_email_formulas = self._holds_formula(block, emails)
        if len(emails) < np.count_nonzero(is_row):
            places[is_row] = self._values.add("")
            is_bare = is_row.copy()
            is_bare[block.cell_rows[emails]] = False
            is_row &= ~self._find_totals(block, is_row, is_bare)
            places[~is_row] = BLANK_VALUE
            ends = np.full(len(is_row), -1, np.int32)
            ends[block.cell_rows[is_filled]] = columns
            self._note_bare(block.numbers[is_bare].astype(np.int32), ends[is_bare])
        counted = block.numbers[is_row]
        self._last_counted = int(counted[-1]) if len(counted) else self._last_counted
        is_shared = block.kinds[emails] == Kind.SHARED
        try:
            shared, others = emails[is_shared], emails[~is_shared]
            places[block.cell_rows[shared]] = self._find_places(read_indices(block, shared))
            texts = gather_texts(block, others, self._texts)
            first = self._values.add_many(texts)
            places[block.cell_rows[others]] = first + np.arange(len(others))
            if self._both:
                self._take_both(block, is_filled, places, emails)
            self._extent.take_block(block)
            self._ranks.take_block(block, is_filled, is_row)
        except (ValueError, LookupError) as error:
            raise tell_broken_row(self._sheet, previous, error) from error
        return places

    def _take_both(
        self,
        block: PlainBlock,
        is_filled: NDArray[np.bool_],
        places: NDArray[np.int32],
        emails: Places,
    ) -> None:
        """Note the places of both columns' values; those of ``emails`` are known."""
        is_first = block.columns[emails] == self._email_column
        known = np.flatnonzero(is_filled & (block.columns == self._second_column))
        seconds = known[~np.isin(known, emails)]  # beside a filled first cell
        first_places = np.full(len(places), BLANK_VALUE, np.int32)
        second_places = first_places.copy()
        for found, column in ((emails[is_first], first_places), (emails[~is_first], second_places)):
            column[block.cell_rows[found]] = places[block.cell_rows[found]]
        is_shared = block.kinds[seconds] == Kind.SHARED
        shared, others = seconds[is_shared], seconds[~is_shared]
        second_places[block.cell_rows[shared]] = self._find_places(read_indices(block, shared))
        start = self._values.add_many(gather_texts(block, others, self._texts))
        second_places[block.cell_rows[others]] = start + np.arange(len(others))
        for kept, column in zip(self._both, (first_places, second_places), strict=True):
            kept.frombytes(column.tobytes())

    def _holds_formula(self, block: PlainBlock, cells: NDArray[np.int64]) -> bool:
        ends = np.append(block.digit_starts[1:], len(block.data))
        bounds = zip(block.digit_ends[cells].tolist(), ends[cells].tolist(), strict=True)
        return any(self._formula_open in block.data[start:end] for start, end in bounds)

    def _find_emails(self, block: PlainBlock, is_filled: NDArray[np.bool_]) -> Places:
        """Return the cells with the address of each row that has one."""
        emails = np.flatnonzero(is_filled & (block.columns == self._email_column))
        if self._second_column is None:
            return emails
        others = np.flatnonzero(is_filled & (block.columns == self._second_column))
        is_needed = ~np.isin(block.cell_rows[others], block.cell_rows[emails])
        return np.sort(np.concatenate((emails, others[is_needed])))

    def _note_bare(self, numbers: NDArray[np.int32], ends: NDArray[np.int32]) -> None:
        if self._totals is None:
            self._bare_numbers.frombytes(numbers.tobytes())
            self._bare_ends.frombytes(ends.tobytes())

    def _find_filled_cells(self, block: PlainBlock) -> NDArray[np.bool_]:
        is_filled = find_filled_cells(block)
        if self._strings.has_blanks:
            shared = np.flatnonzero(is_filled & (block.kinds == Kind.SHARED))
            is_blank = self._strings.find_blank(read_indices(block, shared))
            is_filled[shared[is_blank]] = False
        return is_filled

    def _shows_something(self, cell: Cell) -> bool:
        if not self._grammar.has_value(cell):
            return False
        if cell.kind != b"s" or not self._strings.has_blanks:
            return True
        value = self._grammar.value.search(cell.content)
        if value is None or not value[1].strip():
            return False
        return not self._strings.is_blank(int(value[1]))

    def _find_places(self, indices: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the places of shared strings, the new ones added."""
        if len(indices) and not 0 <= int(indices.min()) <= int(indices.max()) < len(self._strings):
            raise MalformedRow
        new = np.unique(indices[self._places_of_strings[indices] < 0])
        if len(new):
            first = self._values.add_many(self._strings.gather(new))
            self._places_of_strings[new] = first + np.arange(len(new))
        found: NDArray[np.int32] = self._places_of_strings[indices]
        return found

    def _read_row(self, row: bytes, previous: int) -> tuple[int, int]:
        """Return the row's number and the place of its email value."""
        if row.startswith(b' r="') and not self._ranks.is_wanted and not self._both:
            digits = row[4 : row.find(b'"', 4)]
            number = int(digits)
            if not previous < number <= MAX_ROWS:
                raise MalformedRow
            if (
                number > self._header_row
                and number >= self._first_row
                and number not in self._passing_rows
            ):
                last = row.rfind(self._opening) + len(self._opening)
                letters = row[last : row.find(b'"', last)].removesuffix(digits)
                if letters in self._extent.narrow_columns:
                    email = row.find(self._email_opening + digits + b'"')
                    match = self._grammar.plain_cell.match(row, email) if email > 0 else None
                    is_blank = match is None or not match[4] or not match[4].strip()
                    if match is not None and match[3] == b"s" and not is_blank:
                        is_blank = self._strings.is_blank(int(match[4]))
                    if match is not None and not is_blank:
                        self._last_counted = number
                        return number, self._find_place(match[3] or b"", match[2], match[4])
        return self._read_any_row(row, previous)

    def _find_place(self, kind: bytes, style: bytes | None, value: bytes) -> int:
        if kind != b"s":
            return self._values.add(self._texts.read_value(kind, int(style or 0), value))
        index = int(value)
        if index < 0:
            raise MalformedRow
        place = int(self._places_of_strings[index])
        if place < 0:
            place = self._places_of_strings[index] = self._values.add(self._strings[index])
        return place

    def _read_any_row(self, row: bytes, previous: int) -> tuple[int, int]:
        number, _, cells = self._grammar.parse_row(row, previous)
        filled = [cell for cell in cells if self._shows_something(cell)]
        place = self._place_row(row, number, cells, filled)
        if self._both:
            self._take_both_cells(filled, is_row=place > HEADER_VALUE)
        self._ranks.take_row([] if place in (BLANK_VALUE, HEADER_VALUE) else filled)
        return number, place

    def _place_row(self, row: bytes, number: int, cells: list[Cell], filled: list[Cell]) -> int:
        """Return the place of a row's email value."""
        if number < self._first_row or number in self._passing_rows:
            return BLANK_VALUE
        if filled:
            self._extent.widen(filled[-1].column)
        self._extent.take_cells(cells)
        if not filled:
            return BLANK_VALUE
        if number == self._header_row:
            self._header_style = filled[-1].style
            return HEADER_VALUE
        email = next((cell for cell in filled if cell.column == self._email_column), None)
        if email is None and self._second_column is not None:
            email = next((cell for cell in filled if cell.column == self._second_column), None)
        if email is None and self._is_total(row, number):
            return BLANK_VALUE
        self._last_counted = number
        if email is not None:
            self._has_email_formulas |= self._formula_open in email.content
            return self._values.add(self._texts.read(email))
        end = filled[-1].column
        self._note_bare(np.array([number], np.int32), np.array([end], np.int32))
        return self._values.add("")

    def _take_both_cells(self, filled: list[Cell], *, is_row: bool) -> None:
        for kept, column in zip(self._both, (self._email_column, self._second_column), strict=True):
            cell = next((cell for cell in filled if is_row and cell.column == column), None)
            kept.append(BLANK_VALUE if cell is None else self._values.add(self._texts.read(cell)))

    def _is_total(self, row: bytes, number: int) -> bool:
        if self._totals is None or not self._totals.is_total(row, number, self._last_counted):
            return False
        self._totals_rows.append(number)
        return True

    def _find_totals(
        self, block: PlainBlock, is_row: NDArray[np.bool_], is_bare: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Return which of a block's rows without an address are totals."""
        is_total = np.zeros(len(is_row), np.bool_)
        if not block.has_formulas:
            return is_total
        done = 0
        for place in np.flatnonzero(is_bare).tolist():
            counted = np.flatnonzero(is_row[done:place] & ~is_total[done:place])
            if len(counted):
                self._last_counted = int(block.numbers[done + counted[-1]])
            row = block.data[block.row_starts[place] : block.row_ends[place]]
            is_total[place] = self._is_total(row, int(block.numbers[place]))
            done = place
        return is_total
