"""Block reader: cuts a file into blocks of whole records, with regard to quotes."""

from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from winnow.core.file_faults import FileFault
from winnow.lists.text.records import (
    CR,
    LF,
    MAX_RECORD_BYTES,
    QUOTE,
    Bytes,
    Positions,
    RecordFault,
    find_quotes,
    oversized_cell,
    quotes_pair_up,
    unclosed_quote,
)

LINES_PER_BLOCK = 250_000  # each takes some 200 bytes while a block is worked on
_GROWTH_BYTES = 1 << 18  # of a record that has not ended yet
_LAST_SHARE = 128  # of a block: less than that is no block of its own, or a total would be alone


@dataclass(frozen=True, slots=True)
class Block:
    """Whole records. ``quotes`` are the quotes that pair up, or None for all of them.

    ``added_line_end`` is 1 where the file's last line has no line end and one was put there.
    """

    offset: int
    data: Bytes
    quotes: Positions | None
    added_line_end: int = 0


class BlockReader:
    """Cuts a file into blocks at record ends, with memory for one block and one record."""

    def __init__(
        self,
        file: BinaryIO,
        offset: int,
        delimiter: int,
        block_bytes: int,
        *,
        is_careful: bool = False,
    ) -> None:
        """Start at a record's start; ``is_careful``: with stray quotes in mind."""
        self._file = file
        self._size = file.seek(0, 2)
        self._delimiter = delimiter
        self._block_bytes = self._step_bytes = block_bytes
        self._is_careful = is_careful
        self._rest: Bytes = np.empty(0, np.uint8)
        self._offset = file.seek(offset)

    def read(self) -> Block | None:
        """Return the next block, None at the end.

        Raises:
            RecordFault: With its position in the file.
        """
        while self._offset + len(self._rest) < self._size or len(self._rest):
            data = self._read_more()
            is_whole = self._offset + len(data) >= self._size
            try:
                block = self._cut(data, is_whole=is_whole)
            except RecordFault as fault:
                fault.position += self._offset
                raise
            if block is not None:
                taken = len(block.data) - block.added_line_end
                self._offset += taken
                self._rest = data[taken:].copy()
                return block
            self._rest = data
        return None

    def _read_more(self) -> Bytes:
        kept = len(self._rest)
        left = self._size - self._offset - kept
        is_last = left < self._step_bytes + self._step_bytes // _LAST_SHARE
        wanted = left if is_last else self._step_bytes
        data = np.empty(kept + wanted, np.uint8)
        data[:kept] = self._rest
        fill_from(self._file, data[kept:])
        if wanted and not data[kept:].min():
            raise RecordFault(
                self._offset + kept + int(np.argmin(data[kept:])),
                "a NUL byte; this is no plain text.",
                "Save the list again as CSV in UTF-8.",
                FileFault.NOT_A_LIST,
            )
        self._step_bytes = min(self._block_bytes, 2 * self._step_bytes)
        return self._thin_out(data, kept)

    def _thin_out(self, data: Bytes, kept: int) -> Bytes:
        """Return the data, or its beginning where it holds more lines than a block may.

        Lines are counted with the tabs among them; the first ``kept`` bytes were too few already.
        """
        while (line_count := int(np.count_nonzero(data <= CR))) > LINES_PER_BLOCK:
            size_bytes = len(data) * LINES_PER_BLOCK // line_count
            size_bytes = max(size_bytes, kept + max(kept, _GROWTH_BYTES))
            if size_bytes >= len(data):
                break
            data = data[:size_bytes]
            self._step_bytes = max(_GROWTH_BYTES, size_bytes - kept)
            self._file.seek(self._offset + size_bytes)
        return data

    def _cut(self, data: Bytes, *, is_whole: bool) -> Block | None:
        """Return the whole records at the head of the data, None where there is none yet."""
        if is_whole:
            return self._cut_last(data)
        end = _find_last_end(data)
        if self._is_careful and (
            end is None
            or not quotes_pair_up(data[:end], np.flatnonzero(data[:end] == QUOTE), self._delimiter)
        ):
            return self._cut_carefully(data)
        if end is not None:
            return Block(self._offset, data[:end], None)
        if len(data) > MAX_RECORD_BYTES:
            return self._cut_carefully(data)
        return None

    def _cut_last(self, data: Bytes) -> Block:
        added = int(data[-1] not in (LF, CR))
        if added:
            data = np.append(data, np.uint8(LF))
        quotes = None
        if self._is_careful or np.count_nonzero(data == QUOTE) % 2:
            quotes, opening = find_quotes(data, self._delimiter)
            if opening is not None:
                raise unclosed_quote(opening)
        return Block(self._offset, data, quotes, added)

    def _cut_carefully(self, data: Bytes) -> Block | None:
        quotes, opening = find_quotes(data, self._delimiter)
        head = data[:opening]
        ends = np.flatnonzero((head == LF) | (head == CR))
        if opening is None and len(ends) and ends[-1] == len(data) - 1 and data[-1] == CR:
            ends = ends[:-1]  # an LF may follow
        ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
        if not len(ends):
            if len(data) > MAX_RECORD_BYTES:
                raise oversized_cell(opening or 0)
            return None
        end = int(ends[-1]) + 1
        return Block(self._offset, data[:end], quotes[quotes < end])


def _find_last_end(data: Bytes) -> int | None:
    """Return where the last whole record ends if all quotes pair up, None if there is none."""
    is_inside = bool(np.count_nonzero(data == QUOTE) % 2)
    stop = len(data)
    step = 1 << 12
    upper = len(data) - int(data[-1] == CR)  # an LF may follow a CR at the very end
    while stop > 0:
        start = max(0, stop - step)
        piece = data[start:stop]
        marks = np.flatnonzero((piece == LF) | (piece == CR) | (piece == QUOTE))
        for mark in marks[::-1].tolist():
            if piece[mark] == QUOTE:
                is_inside = not is_inside
            elif not is_inside and start + mark < upper:
                return int(start + mark + 1)
        stop, step = start, step * 2
    return None


def fill_from(file: BinaryIO, data: Bytes) -> None:
    """Read until the array is full."""
    view = data.data
    while len(view):
        count = file.readinto(view)  # type: ignore[attr-defined]
        if not count:
            raise OSError("the input file became shorter while it was read")
        view = view[count:]
