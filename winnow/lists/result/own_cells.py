"""The list's own cells in a stretch of rows: where they stand, their hashes, their texts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile
from winnow.lists.result.cell_grid import gather_bytes, read_grid
from winnow.lists.result.empty_runs import expand_runs
from winnow.lists.result.row_columns import RowIndex
from winnow.lists.result.row_index import RowText
from winnow.lists.result.row_search import find_body_ends, read_bytes, read_own_cells
from winnow.lists.text.cell_text import decode_cell
from winnow.lists.text.escapes import blot_escaped
from winnow.lists.text.records import CR, LF, QUOTE, Positions, find_quotes

LONGEST_VALUE_BYTES = 128  # with its quotes; beyond it is free text, which nobody counts
EMPTY_KEY, LONG_KEY = 0, 1

_WORD = 8
_PADDING = b"\0" * _WORD
_UTF8 = frozenset({"utf-8", "ascii"})
_KEPT_BITS = np.array([(1 << (8 * size)) - 1 for size in range(_WORD + 1)], np.uint64)
_MIX, _LENGTH_MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_SHIFT, _LAST_SHIFT = np.uint64(29), np.uint64(32)
_MARK_LEAD = 0xFF  # of empty_runs' marks


@dataclass(frozen=True, slots=True)
class Cells:
    """One column's cells of a stretch, each from its start to its end in the padded ``data``.

    ``form`` is how they are written; None: as plain text in UTF-8.
    """

    data: bytes
    starts: Positions
    ends: Positions
    form: RowText | None

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.starts)

    def hash(self) -> NDArray[np.uint64]:
        """Return 64 bits a cell, of its length and its bytes as they stand.

        EMPTY_KEY is an empty cell, LONG_KEY one of over LONGEST_VALUE_BYTES.
        """
        words = np.ndarray((len(self.data) - _WORD + 1,), np.uint64, self.data, strides=(1,))
        sizes = self.ends - self.starts
        keys = words[self.starts]
        keys &= _KEPT_BITS[np.minimum(sizes, _WORD)]
        keys ^= sizes.astype(np.uint64) * _LENGTH_MIX
        keys *= _MIX
        longest = min(int(sizes.max(initial=0)), LONGEST_VALUE_BYTES)
        for place in range(_WORD, longest, _WORD):
            kept = _KEPT_BITS[np.clip(sizes - place, 0, _WORD)]
            keys ^= keys >> _SHIFT
            keys += words[np.minimum(self.starts + place, len(words) - 1)] & kept
            keys *= _MIX
        keys ^= keys >> _LAST_SHIFT
        keys[sizes == 0] = EMPTY_KEY
        keys[sizes > LONGEST_VALUE_BYTES] = LONG_KEY
        return keys

    def read(self, row: int) -> str:
        """Return one cell's text."""
        raw = self.data[self.starts[row] : self.ends[row]]
        if self.form is None:
            return raw.decode("utf-8", "replace")
        text = decode_cell(raw, self.form.encoding, self.form.escape)
        return text.encode("utf-8", "replace").decode()

    def list_texts(self) -> pl.Series:
        """Return the texts of all cells; a quote that is doubled within one stays so."""
        data = np.frombuffer(self.data, np.uint8)
        starts, ends = self.starts, self.ends
        if self.form is not None:
            quoted = (ends - starts >= 2) & (data[starts] == QUOTE)
            quoted &= data[np.maximum(ends - 1, 0)] == QUOTE
            starts, ends = starts + quoted, ends - quoted
        bounds = np.empty(2 * len(self) + 1, np.int64)
        bounds[0:-1:2], bounds[1::2], bounds[-1] = starts, ends, len(data)
        pieces = pa.LargeBinaryArray.from_buffers(
            pa.large_binary(), 2 * len(self), [None, pa.py_buffer(bounds), pa.py_buffer(data)]
        )
        cells = pc.take(pieces, pa.array(np.arange(0, 2 * len(self), 2)), boundscheck=False)
        is_utf8 = self.form is None or self.form.encoding in _UTF8
        try:
            if not is_utf8 and not self.data.isascii():
                raise pa.ArrowInvalid
            texts = pl.Series("text", pl.from_arrow(cells.cast(pa.large_string())))
        except pa.ArrowInvalid:
            codec = "utf-8" if self.form is None else self.form.encoding
            read = [cell.decode(codec, "replace") for cell in cells.to_pylist()]
            texts = pl.Series("text", read, pl.String)
        if self.form is None or not self.form.escape:
            return texts
        return texts.str.replace(r"^\\N$", "").str.replace_all("\\", "", literal=True)


def read_cells_of(
    index: RowIndex, own_width: int, columns: Collection[int], start: int, count: int
) -> Mapping[int, Cells]:
    """Return the cells of some of the list's own columns.

    Args:
        index: Of the project.
        own_width: How many own cells each row has.
        columns: Which of them, from 0.
        start: The first row, from 0.
        count: How many rows.
    """
    bounds = index.bounds(start, count)
    data = read_bytes(index, int(bounds[0]), int(bounds[-1]))
    bounds -= bounds[0]
    added = index.text.added_count if index.text.has_verdicts else 0
    has_marks = index.text.has_runs and bool((data == _MARK_LEAD).any())
    if not has_marks:
        found = _bound_cells(index.text, data, bounds, own_width + added, columns)
        if found is not None:
            padded = b"".join((data.data, _PADDING))
            return {column: Cells(padded, *ends, index.text) for column, ends in found.items()}
    return _take_apart(index.text, data, bounds, own_width, columns)


def _bound_cells(
    form: RowText,
    data: NDArray[np.uint8],
    bounds: Positions,
    width: int,
    columns: Collection[int],
) -> Mapping[int, tuple[Positions, Positions]] | None:
    """Return where the cells of columns start and end; None where that takes more care.

    A row's cells are the last ones before its end: blank lines and lines that are no rows may
    stand before it.
    """
    shape = blot_escaped(data) if form.escape else data
    starts, ends = bounds[:-1], find_body_ends(data, bounds)
    marks = np.flatnonzero(shape == ord(form.delimiter))
    if (shape == QUOTE).any():
        quotes, _ = find_quotes(shape, ord(form.delimiter))
        marks = marks[np.searchsorted(quotes, marks) % 2 == 0]
    between = width - 1
    if len(marks) == between * len(ends):
        first = np.arange(0, len(marks), between) if between else np.zeros(len(ends), np.int64)
    else:
        first = np.searchsorted(marks, ends) - between
        if int(first.min(initial=0)) < 0:
            return None
    if between and (
        bool((marks[first] < starts).any()) or bool((marks[first + between - 1] >= ends).any())
    ):
        return None
    if 0 in columns and _has_lines_between(shape, starts, marks[first] if between else ends):
        return None
    return {
        column: (
            starts if column == 0 else marks[first + (column - 1)] + 1,
            ends if column == between else marks[first + column],
        )
        for column in columns
    }


def _has_lines_between(shape: NDArray[np.uint8], starts: Positions, ends: Positions) -> bool:
    """Tell whether lines end within any of the stretches."""
    breaks = shape == LF
    if np.count_nonzero(breaks) == len(starts):
        return False
    places = np.flatnonzero(breaks | (shape == CR))
    return bool((np.searchsorted(places, starts) != np.searchsorted(places, ends)).any())


def _take_apart(
    form: RowText,
    data: NDArray[np.uint8],
    bounds: Positions,
    own_width: int,
    columns: Collection[int],
) -> Mapping[int, Cells]:
    """Take the rows apart with care."""
    raw = data.tobytes()
    count = len(bounds) - 1
    try:
        grid = read_grid(expand_runs(raw, form.delimiter.encode()) if form.has_runs else raw, form)
    except BrokenFile:
        grid = None
    if grid is not None and grid.row_count == count and grid.width >= own_width:
        return {
            column: _gather(grid.cells.take(pa.array(places)))
            for column in columns
            for places in [np.arange(column, len(grid.cells), grid.width)]
        }
    rows = [
        read_own_cells(raw[first:last], form)
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    ]
    return {
        column: _gather(pa.array([_encode(row, column) for row in rows], pa.large_binary()))
        for column in columns
    }


def _encode(row: Sequence[str], column: int) -> bytes:
    return row[column].encode("utf-8", "replace") if column < len(row) else b""


def _gather(texts: pa.Array) -> Cells:
    offsets = np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1, 8 * texts.offset)
    return Cells(gather_bytes(texts) + _PADDING, offsets[:-1], offsets[1:], None)
