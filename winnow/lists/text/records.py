"""Positions of records and cells in a block of bytes, found without copying a cell.

A separator counts when an even number of quotes is before it. That is exact while every
opening quote is at the start of a cell and every closing one before a separator
(``quotes_pair_up``). Where a quote is elsewhere (``5" disk``), ``find_quotes`` reads as
Python's ``csv`` does: such a quote is a character like any other.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile
from winnow.core.file_faults import FileFault
from winnow.words import translatable

MAX_CELL_BYTES = 1 << 20  # 32 times what a spreadsheet cell holds: beyond it a quote is open
MAX_RECORD_BYTES = 16 << 20
MAX_COLUMNS = 16_384  # an XLSX sheet's

LF, CR, QUOTE, SPACE, CTRL_Z = 10, 13, 34, 32, 26
BLANKS = b" \t\r\n\v\f\x1a"
"""What a line without a record may hold; Ctrl-Z ends a file of DOS."""

_MARKS_IN_QUOTES = 16  # separators in one quoted cell; so few are quicker marked one by one

Bytes = NDArray[np.uint8]
Positions = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Records:
    """The records of one block; arrays have one entry a record, positions in ``data``.

    ``ends`` is after the line end, ``body_ends`` before it. ``widths`` counts cells; ``width`` is
    that of all records, 0 where these differ. ``is_blank`` marks lines with nothing but spaces.
    ``separators`` are the delimiters and line ends outside quotes; ``last`` is for each record the
    place of its line end among them.
    """

    data: Bytes
    starts: Positions
    body_ends: Positions
    ends: Positions
    widths: Positions
    width: int
    is_blank: NDArray[np.bool_]
    separators: Positions
    last: Positions

    def find(self, cell: int) -> tuple[Positions, Positions]:
        """Return where one cell of each record begins and ends, its quotes included.

        A record too short to have it shows an empty cell at its start.
        """
        if cell < self.width:
            table = self.separators.reshape(-1, self.width)
            starts = table[:, cell - 1] + 1 if cell else self.starts
            return starts, self.body_ends if cell == self.width - 1 else table[:, cell]
        is_there = self.widths > cell
        place = np.where(is_there, self.last - self.widths + 1 + cell, self.last)
        starts = self.starts
        if cell:
            starts = np.where(is_there, self.separators[place - 1] + 1, self.starts)
        ends = np.where(self.widths == cell + 1, self.body_ends, self.separators[place])
        return starts, np.where(is_there, ends, self.starts)

    def find_either(self, cell: int, second: int | None) -> tuple[Positions, Positions]:
        """Return the bounds of one cell of each record; of another where only that is filled."""
        starts, ends = self.find(cell)
        if second is None:
            return starts, ends
        others, other_ends = self.find(second)
        takes = find_filled(self.data, others, other_ends) & ~find_filled(self.data, starts, ends)
        return np.where(takes, others, starts), np.where(takes, other_ends, ends)

    def list_cells(self) -> tuple[Positions, Positions]:
        """Return where every cell begins and ends, its quotes included, record by record."""
        ends = self.separators.copy()
        ends[self.last] = self.body_ends
        return np.concatenate(([0], self.separators[:-1] + 1)), ends

    def drop_end_mark(self) -> None:
        """Remove the Ctrl-Z that ends a file from its last cell."""
        end = int(self.body_ends[-1]) - 1
        if end >= int(self.starts[-1]) and self.data[end] == CTRL_Z:
            self.body_ends[-1] = end

    def count_filled(self) -> Positions:
        """Return how many cells of each record are filled: not empty, and not blanks alone."""
        if not len(self.last):
            return np.zeros(0, np.int64)
        is_filled = find_filled(self.data, *self.list_cells())
        return np.add.reduceat(is_filled.astype(np.int64), self.last - self.widths + 1)


def find_filled(data: Bytes, starts: Positions, ends: Positions) -> NDArray[np.bool_]:
    """Return which cells are filled: not empty, and not blanks alone; bounds with their quotes."""
    is_filled = ends > starts
    first, last = (data.take(indices, mode="clip") for indices in (starts, ends - 1))
    is_quoted = is_filled & (first == QUOTE) & (last == QUOTE) & (ends - starts > 1)
    inner_starts, inner_ends = starts + is_quoted, ends - is_quoted
    is_filled &= inner_ends > inner_starts
    first, last = (data.take(indices, mode="clip") for indices in (inner_starts, inner_ends - 1))
    may_be_blank = is_filled & (first <= SPACE) & (last <= SPACE)
    for place in np.flatnonzero(may_be_blank).tolist():
        cell = data[inner_starts[place] : inner_ends[place]].tobytes()
        is_filled[place] = bool(cell.strip())
    return is_filled


class RecordFault(Exception):
    """The data cannot be read on at ``position``; the caller knows the line and raises.

    ``words`` continue "Line 12: ".
    """

    def __init__(self, position: int, words: str, hint: str, fault: FileFault) -> None:
        super().__init__(words)
        self.position = position
        self._words, self._hint, self._fault = translatable(words), hint, fault

    def name_line(self, line: int) -> BrokenFile:
        """Return the error for people; ``line`` is the physical one, from 1."""
        return BrokenFile(
            "Line {line}: {problem}",
            problem=self._words,
            hint=self._hint,
            line=line,
            fault=self._fault,
        )


def unclosed_quote(position: int = 0) -> RecordFault:
    """Return the error of a quote that opens a cell and never closes."""
    return RecordFault(
        position,
        "the quote that opens here never closes.",
        "Close the quote, or double it where it is part of the text.",
        FileFault.OPEN_QUOTE,
    )


def oversized_cell(position: int = 0) -> RecordFault:
    """Return the error of a cell over the limit."""
    return RecordFault(
        position,
        "a cell is longer than 1 MiB.",
        "Shorten the cell, or look for a quote that is missing in this row.",
        FileFault.TOO_LARGE,
    )


def too_many_columns(position: int = 0) -> RecordFault:
    """Return the error of a record with more cells than any list has."""
    return RecordFault(
        position,
        translatable("more than {most} columns.", most=MAX_COLUMNS),
        "Check that the delimiter is the right one.",
        FileFault.TOO_LARGE,
    )


def quotes_pair_up(data: Bytes, quotes: Positions, delimiter: int) -> bool:
    """Return whether quotes open only at the start of a cell and close only before a separator."""
    if len(quotes) % 2:
        return False
    opening, closing = quotes[0::2], quotes[1::2]
    if not len(opening):
        return True
    is_separator = np.zeros(256, np.bool_)
    is_separator[[delimiter, LF, CR]] = True
    before = data[opening - 1]  # index -1 is harmless: position 0 is a start anyway
    opens = is_separator[before] | (opening == 0)
    opens[1:] |= closing[:-1] == opening[1:] - 1
    after = data[np.minimum(closing + 1, len(data) - 1)]
    closes = is_separator[after] | (closing == len(data) - 1)
    closes[:-1] |= closing[:-1] == opening[1:] - 1
    return bool(opens.all() and closes.all())


def find_quotes(data: Bytes, delimiter: int) -> tuple[Positions, int | None]:
    """Return the quotes that open and close cells, by turns, where there are stray ones.

    Returns:
        The paired quotes, and where a quote opens that does not close in this data, or None.

    Raises:
        RecordFault: A quote closes in mid-cell on a later line: it was never closed.
    """
    quotes = np.flatnonzero(data == QUOTE)
    if quotes_pair_up(data, quotes, delimiter):
        return quotes, None
    indices = quotes.tolist()
    raw = data.tobytes()
    separators = bytes({delimiter, LF, CR})
    paired: list[int] = []
    index, count = 0, len(indices)
    while index < count:
        opening = indices[index]
        index += 1
        if opening and raw[opening - 1] not in separators:
            continue
        while index + 1 < count and indices[index + 1] == indices[index] + 1:
            index += 2
        if index >= count:
            return np.array(paired, np.int64), opening
        closing = indices[index]
        index += 1
        if (
            closing + 1 < len(raw)
            and raw[closing + 1] not in separators
            and (raw.find(b"\n", opening, closing) >= 0 or raw.find(b"\r", opening, closing) >= 0)
        ):
            raise unclosed_quote(opening)
        paired += (opening, closing)
    return np.array(paired, np.int64), None


def find_line_breaks(data: Bytes) -> Positions:
    """Return the positions of physical line ends: LF, CRLF (the LF), CR alone."""
    returns = data == CR
    returns[:-1] &= data[1:] != LF
    return np.flatnonzero(returns | (data == LF))


def scan_records(
    data: Bytes, delimiter: int, quotes: Positions | None, usual_width: int
) -> Records | None:
    """Find the records of a block that starts at a record's start and ends with a line end.

    Args:
        data: The block.
        delimiter: The delimiter's byte.
        quotes: The quotes that open and close; None takes all of them.
        usual_width: The number of cells most records have; only speed depends on it.

    Returns:
        The records, or None where all quotes cannot be taken because one is stray.

    Raises:
        RecordFault: A cell or a record is over its limit.
    """
    is_mark = data == delimiter
    found = data == LF  # filled again and again: memory is the cost
    is_mark |= found
    np.equal(data, CR, out=found)
    has_returns = bool(found.any())
    if has_returns:
        found[:-1] &= data[1:] != LF  # of CRLF only the LF is a mark
        is_mark |= found
    if quotes is None:
        is_mark |= np.equal(data, QUOTE, out=found)
    separators = np.flatnonzero(is_mark)
    del is_mark, found
    kinds = data[separators]
    if quotes is not None:
        is_outside = np.searchsorted(quotes, separators) % 2 == 0
        separators, kinds = separators[is_outside], kinds[is_outside]
    elif (is_quote := kinds == QUOTE).any():
        if not quotes_pair_up(data, separators[is_quote], delimiter):
            return None
        is_outside = _find_outside(is_quote)
        separators, kinds = separators[is_outside], kinds[is_outside]
    is_end = kinds != delimiter
    records = _bound_cells(data, separators, is_end, usual_width, has_returns=has_returns)
    _check_limits(records)
    return records


def _find_outside(is_quote: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which marks are neither quotes nor between an opening quote and its closing one."""
    indices = np.flatnonzero(is_quote)
    opening, closing = indices[0::2], indices[1::2]
    gaps = closing - opening
    widest = int(gaps.max())
    if widest > _MARKS_IN_QUOTES:
        return ~(np.logical_xor.accumulate(is_quote) | is_quote)
    is_outside = ~is_quote
    for step in range(1, widest):
        is_outside[opening[gaps > step] + step] = False
    return is_outside


def _bound_cells(
    data: Bytes,
    separators: Positions,
    is_end: NDArray[np.bool_],
    usual_width: int,
    *,
    has_returns: bool,
) -> Records:
    width = usual_width if usual_width and not len(is_end) % usual_width else 0
    table = is_end.reshape(-1, width or 1)
    if width and table[:, -1].all() and int(np.count_nonzero(is_end)) == len(table):
        last = np.arange(width - 1, len(separators), width)
        widths = np.full(len(last), width, np.int64)
    else:
        width, last = 0, np.flatnonzero(is_end)
        widths = np.diff(last, prepend=-1)
    stops = separators[last]
    ends = stops + 1
    starts = np.concatenate(([0], ends[:-1]))
    body_ends = stops
    if has_returns:
        body_ends = stops - ((data[stops] == LF) & (data[stops - 1] == CR) & (stops > starts))
    is_blank = _find_blank(data, starts, body_ends, widths)
    return Records(data, starts, body_ends, ends, widths, width, is_blank, separators, last)


def _find_blank(
    data: Bytes, starts: Positions, body_ends: Positions, widths: Positions
) -> NDArray[np.bool_]:
    is_blank: NDArray[np.bool_] = body_ends == starts
    if int(widths.min(initial=2)) > 1:
        return is_blank
    candidates = np.flatnonzero((widths == 1) & (data[starts] <= SPACE) & ~is_blank)
    for index in candidates.tolist():
        body = data[starts[index] : body_ends[index]].tobytes()
        is_blank[index] = not body.strip(BLANKS)
    return is_blank


def _check_limits(records: Records) -> None:
    if not len(records.starts):
        return
    if int((records.ends - records.starts).max()) > MAX_CELL_BYTES:
        gaps = np.diff(records.separators, prepend=-1)
        widest = int(gaps.argmax())
        if int(gaps[widest]) > MAX_CELL_BYTES + 1:
            raise oversized_cell(int(records.separators[widest - 1]) + 1 if widest else 0)
    if int(records.widths.max()) > MAX_COLUMNS:
        raise too_many_columns(int(records.starts[int(records.widths.argmax())]))
