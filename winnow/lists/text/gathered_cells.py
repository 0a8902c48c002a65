"""Cells of one column in one lower-case buffer, for array operations."""

from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from winnow.lists.text.arrow_cells import read_buffers, slice_cells
from winnow.lists.text.records import QUOTE, Bytes, Positions

_ROWS_IN_STEP = 64


@dataclass(frozen=True, slots=True)
class GatheredCells:
    """The bytes of all cells, their ASCII letters in lower case.

    Cell ``n`` extends from ``offsets[n]`` to ``offsets[n + 1]``, without its quotes.
    """

    lowered: Bytes
    offsets: Positions

    def find_rows(self, indices: Positions) -> Positions:
        """Return which cell each place is in; places rise.

        Most often places and cells keep step, so that one row in 64 need be looked for.
        """
        if len(indices) < _ROWS_IN_STEP:
            return np.searchsorted(self.offsets, indices, side="right") - 1
        first = np.searchsorted(self.offsets, indices[::_ROWS_IN_STEP], side="right") - 1
        first -= np.arange(0, len(indices), _ROWS_IN_STEP)
        rows = np.repeat(first, _ROWS_IN_STEP)[: len(indices)] + np.arange(len(indices))
        np.minimum(rows, len(self.offsets) - 2, out=rows)
        is_wrong = self.offsets.take(rows) > indices
        is_wrong |= self.offsets.take(rows + 1) <= indices
        wrong = np.flatnonzero(is_wrong)
        rows[wrong] = np.searchsorted(self.offsets, indices[wrong], side="right") - 1
        return rows

    def are_utf8(self, rows: Positions) -> bool:
        """Return whether these cells are UTF-8, every single one."""
        cells = pa.LargeBinaryArray.from_buffers(
            pa.large_binary(),
            len(self.offsets) - 1,
            [None, pa.py_buffer(self.offsets), pa.py_buffer(self.lowered)],
        )
        try:
            pc.take(cells, pa.array(rows), boundscheck=False).cast(pa.large_string())
        except pa.ArrowInvalid:
            return False
        return True

    def cut(self, starts: Positions, ends: Positions, last: int) -> pl.Series:
        """Return texts by turns: from each start to its end, and from there to the next start.

        ``last`` is where the last one ends.
        """
        bounds = np.empty(2 * len(starts) + 1, np.int64)
        bounds[0:-1:2] = starts
        bounds[1::2] = ends
        bounds[-1] = last
        pieces = pa.LargeStringArray.from_buffers(
            2 * len(starts), pa.py_buffer(bounds), pa.py_buffer(self.lowered)
        )
        return pl.Series("text", pieces.cast(pa.string_view()))  # Polars would hold the interpreter


def adopt_texts(texts: pa.Array) -> GatheredCells:
    """Return the values of an Arrow array (large strings or binaries), which bear no quotes.

    Of null ones the underlying bytes are taken; there are none after ``fill_null``.
    """
    data, starts, ends = read_buffers(texts)
    if not len(texts):
        return GatheredCells(data[:0], np.zeros(1, np.int64))
    first, last = starts[0], ends[-1]
    text = data[first:last]
    lowered = text - np.uint8(65)
    np.less(lowered, np.uint8(26), out=lowered.view(np.bool_))  # in place: memory is the cost
    lowered *= np.uint8(32)
    lowered |= text
    return GatheredCells(lowered, np.append(starts, last) - first)


def gather_cells(data: Bytes, starts: Positions, ends: Positions) -> GatheredCells:
    """Copy cells out of a block; ``starts`` and ``ends`` rise and bound them with their quotes."""
    quoted = data.take(starts, mode="clip") == QUOTE if len(data) else None
    if quoted is not None and quoted.any():
        quoted &= (ends - starts >= 2) & (data[ends - 1] == QUOTE)
        starts, ends = starts + quoted, ends - quoted
    return adopt_texts(slice_cells(data, starts, ends))
