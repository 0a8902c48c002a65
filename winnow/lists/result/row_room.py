"""The most room that rows take in a result, with the row index that pages read.

This is proved from what the engine writes: every kept row as it came, cells of known words behind
it, cells up to the widest row; ten bytes a row in the index, eight where rows of the file are left
out; each domain once.
"""

import numpy as np
from numpy.typing import NDArray

from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.lists.result.added_columns import ADDED, LONGEST_TAIL_BYTES
from winnow.lists.result.row_index import ROWS_PER_START
from winnow.lists.result.row_numbers import PAIR_BYTES
from winnow.lists.text.escapes import blot_escaped

LONGEST_LINE_BYTES = 2 << 20  # a longer one is taken in pieces
NAME_MOST_BYTES = 254  # a domain's 253 octets (RFC 5321, 4.5.3.1.2) and its line end
SIZE_BYTES = 4  # of a row, in rows.sizes
INDEX_ROW_BYTES = SIZE_BYTES + 2 + 4  # rows.sizes, rows.verdicts, rows.domains
META_BYTES = 4096  # rows.json and sums.json without verdicts, the header's two names
VERDICT_BYTES = 256  # in rows.json, with what an own list overruled
VERDICTS_MOST = 1024  # every known domain, six local parts each, gives 123 without the network
FAULTS_MOST = 16  # verdicts of rows without an at-sign
_NO_ADDRESS = Verdict(Category.BLACK, DomainType.INVALID, ())
SHORT_CELLS = ADDED.measure_tail(_NO_ADDRESS)  # of a row without an at-sign
LONG_CELLS = LONGEST_TAIL_BYTES

_STRETCH_BYTES = 1 << 12  # no stretch of rows.gaps but the last is of fewer

_LF, _CR, _QUOTE, _AT = 0x0A, 0x0D, 0x22, 0x40


class RowCounts:
    """What can be counted of rows without knowing whether their quotes stand well."""

    def __init__(self, delimiter: int, *, has_escapes: bool = False) -> None:
        self.size_bytes = 0
        self._has_escapes = has_escapes
        self.rows = 0  # lines that are not empty: at least as many as there are rows
        self.blank_lines = 0
        self.at_signs = 0
        self._name_bytes = 0
        self._lines = _Widths()
        self._records = _Widths()
        self._delimiter = delimiter
        self._held = b""
        self._has_quotes = False
        self._is_odd = False
        self._open_cells = 0  # of a record whose end is to come

    def feed(self, block: bytes) -> None:
        """Take the next bytes."""
        self.size_bytes += len(block)
        block = self._held + block
        shape = self._blot(block)
        end = max(shape.rfind(b"\n"), shape.rfind(b"\r", 0, max(0, len(block) - 1))) + 1
        if not end and len(block) > LONGEST_LINE_BYTES:
            self._held = b""
            self._count(shape + b"\n")
            self._name_bytes += NAME_MOST_BYTES  # one that the cut went through
            return
        self._held = block[end:]
        if end:
            self._count(shape[:end])

    def finish(self) -> None:
        """Count what no line break ends."""
        if self._held:
            self._count(self._blot(self._held) + b"\n")
            self._held = b""

    def bound_added_bytes(self, column_count: int) -> int:
        """Return the most that is put behind rows, one byte a character."""
        long = min(self.at_signs, self.rows)
        cells = long * LONG_CELLS + (self.rows - long) * SHORT_CELLS
        return cells + self._bound_padding(column_count)

    def bound_index_bytes(self) -> int:
        """Return the most that the row index takes beside a copy of the rows."""
        verdicts = min(self.rows, self.at_signs + FAULTS_MOST, VERDICTS_MOST) * VERDICT_BYTES
        rest = self.rows * (INDEX_ROW_BYTES - SIZE_BYTES)
        places = self.bound_place_bytes() + self._bound_gap_bytes()
        return rest + places + self._name_bytes + verdicts + META_BYTES

    def _bound_gap_bytes(self) -> int:
        """Return the most that the rows' numbers take: before each run something is left out."""
        runs = min(self.rows, self.rows // 2 + self.blank_lines)
        return PAIR_BYTES * (runs + 2 * (self.size_bytes // _STRETCH_BYTES + 2))

    def bound_place_bytes(self) -> int:
        """Return the most that it takes to say where rows stand in a file."""
        return self.rows * SIZE_BYTES + 8 * (self.rows // ROWS_PER_START + 1)

    def _blot(self, block: bytes) -> bytes:
        """Return a block, from a line's start on, without what is escaped but at-signs."""
        if not self._has_escapes:
            return block
        data = np.frombuffer(block, np.uint8)
        return np.where(data == _AT, data, blot_escaped(data)).tobytes()

    def _bound_padding(self, column_count: int) -> int:
        """Every row is padded to the widest one."""
        likely = max(self._lines.widest, column_count)
        if not self._has_quotes:
            return self._lines.bound_padding(likely)
        if not self._is_odd and self._records.widest <= 2 * likely:
            return self._records.bound_padding(max(self._records.widest, column_count))
        return self.rows * (likely - 1)  # stray quotes: cells and rows cannot be told apart

    def _count(self, lines: bytes) -> None:
        """Count in bytes that end where a line ends."""
        data = np.frombuffer(lines, np.uint8)
        is_mark = (data == _LF) | (data == _CR) | (data == self._delimiter)
        is_mark |= (data == _QUOTE) | (data == _AT)
        marks = np.flatnonzero(is_mark)
        kinds = data[marks]
        is_break = (kinds == _LF) | (kinds == _CR)
        is_crlf = (kinds[:-1] == _CR) & (kinds[1:] == _LF) & (np.diff(marks) == 1)
        is_break[:-1] &= ~is_crlf  # of CRLF only the LF
        is_delimiter = kinds == self._delimiter
        breaks = np.flatnonzero(is_break)
        ends = marks[breaks]
        sizes = np.diff(ends, prepend=-1) - 1
        sizes[breaks > 0] -= is_crlf[breaks[breaks > 0] - 1]
        is_filled = sizes > 0
        filled = int(np.count_nonzero(is_filled))
        self.rows += filled
        self.blank_lines += len(breaks) - filled
        widths = np.diff(np.cumsum(is_delimiter)[breaks], prepend=0) + 1
        self._lines.add(widths[is_filled])
        self._count_names(lines, data, marks, kinds)
        is_quote = kinds == _QUOTE
        has_quotes = bool(is_quote.any())
        self._has_quotes |= has_quotes
        if not has_quotes and not self._is_odd and not self._open_cells:
            self._records.add(widths[is_filled])
            return
        is_inside = (np.cumsum(is_quote) + self._is_odd) % 2 == 1
        self._count_records(is_break & ~is_inside, is_delimiter & ~is_inside)
        self._is_odd = bool(is_inside[-1])

    def _count_records(self, is_end: NDArray[np.bool_], is_delimiter: NDArray[np.bool_]) -> None:
        """Count the widths of records, whose cells may hold breaks and delimiters in quotes."""
        delimiters = np.cumsum(is_delimiter)
        at_ends = delimiters[is_end]
        if not len(at_ends):
            self._open_cells += int(delimiters[-1])
            return
        widths = np.diff(at_ends, prepend=0) + 1
        widths[0] += self._open_cells
        self._open_cells = int(delimiters[-1] - at_ends[-1])
        self._records.add(widths)

    def _count_names(
        self,
        lines: bytes,
        data: NDArray[np.uint8],
        marks: NDArray[np.int64],
        kinds: NDArray[np.uint8],
    ) -> None:
        """Add the bytes behind at-signs; a name beyond ASCII may grow to the most a name has."""
        places = np.flatnonzero(kinds == _AT)
        ats, ends = marks[places], marks[places + 1]
        self.at_signs += len(ats)
        self._name_bytes += int(np.minimum(ends - ats, NAME_MOST_BYTES).sum())
        if len(ats) and not lines.isascii():
            foreign = np.flatnonzero(data >= 0x80)
            grown = np.searchsorted(foreign, ats) != np.searchsorted(foreign, ends)
            self._name_bytes += int(np.count_nonzero(grown)) * NAME_MOST_BYTES


class _Widths:
    """How many cells rows have."""

    def __init__(self) -> None:
        self.widest = 0
        self._rows = 0
        self._cells = 0

    def add(self, widths: NDArray[np.int64]) -> None:
        if len(widths):
            self.widest = max(self.widest, int(widths.max()))
            self._rows += len(widths)
            self._cells += int(widths.sum())

    def bound_padding(self, width: int) -> int:
        return max(0, self._rows * width - self._cells)
