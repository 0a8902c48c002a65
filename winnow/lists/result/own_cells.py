"""The list's own cells in a stretch of rows: where they stand, their hashes, their texts."""

from collections.abc import Collection, Iterator, Mapping, Sequence
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
from winnow.lists.result.row_search import find_body_ends, read_own_cells
from winnow.lists.text.cell_text import decode_cell
from winnow.lists.text.escapes import blot_escaped
from winnow.lists.text.records import CR, LF, QUOTE, Bytes, Positions, find_delimiters

LONGEST_VALUE_BYTES = 128  # with its quotes; beyond it is free text, which nobody counts
EMPTY_KEY, LONG_KEY = 0, 1
ROWS_PER_STRETCH = 1 << 17
_CELLS_AT_ONCE, _BYTES_AT_ONCE = 1 << 22, 1 << 24

_ROWS_AT_ONCE = 1 << 13
_WORD = 8
_PADDING = b"\0" * _WORD
_UTF8 = frozenset({"utf-8", "ascii"})
_KEPT_BITS = np.array([(1 << (8 * size)) - 1 for size in range(_WORD + 1)], np.uint64)
_MIX, _LENGTH_MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_SHIFT, _LAST_SHIFT = np.uint64(29), np.uint64(32)
_MARK_LEAD = 0xFF  # of empty_runs' marks
_FIRST_BEYOND_ASCII = 128


@dataclass(frozen=True, slots=True)
class Cells:
    """One column's cells of a stretch, each from its start to its end in the padded ``data``.

    ``form`` is how they are written; None: as plain text in UTF-8.
    """

    data: Bytes
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
        keys &= _KEPT_BITS.take(sizes, mode="clip")
        keys ^= sizes.view(np.uint64) * _LENGTH_MIX
        keys *= _MIX
        for place in range(_WORD, min(int(sizes.max(initial=0)), LONGEST_VALUE_BYTES), _WORD):
            longer = np.flatnonzero(sizes > place)
            some = slice(None) if len(longer) == len(sizes) else longer
            # The last word may overlap the one before it: no byte behind the cell is seen.
            mixed = keys[some]
            mixed ^= mixed >> _SHIFT
            mixed += words[np.minimum(self.starts[some] + place, self.ends[some] - _WORD)]
            mixed *= _MIX
            keys[some] = mixed
        keys ^= keys >> _LAST_SHIFT
        keys[sizes == 0] = EMPTY_KEY
        keys[sizes > LONGEST_VALUE_BYTES] = LONG_KEY
        return keys

    @property
    def is_utf8(self) -> bool:
        """Whether the cells are written in UTF-8."""
        return self.form is None or self.form.encoding in _UTF8

    @property
    def has_escapes(self) -> bool:
        """Whether backslashes escape in them."""
        return self.form is not None and bool(self.form.escape)

    def read(self, row: int) -> str:
        """Return one cell's text; bytes that are no text become U+FFFD."""
        text = self.decode(self.data[self.starts[row] : self.ends[row]].tobytes())
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    def decode(self, raw: bytes) -> str:
        """Return a cell's text; bytes that are no text become lone surrogates."""
        if self.form is None:
            return raw.decode("utf-8", "surrogateescape")
        return decode_cell(raw, self.form.encoding, self.form.escape)

    def list_texts(self) -> pl.Series:
        """Return the texts of all cells; a quote that is doubled within one stays so."""
        data, starts, ends = self.data, self.starts, self.ends
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
        try:
            if not self.is_utf8 and bool((data >= _FIRST_BEYOND_ASCII).any()):
                raise pa.ArrowInvalid
            texts = pl.Series("text", pl.from_arrow(cells.cast(pa.large_string())))
        except pa.ArrowInvalid:
            codec = "utf-8" if self.form is None else self.form.encoding
            read = [cell.decode(codec, "replace") for cell in cells.to_pylist()]
            texts = pl.Series("text", read, pl.String)
        if not self.has_escapes:
            return texts
        return texts.str.replace(r"^\\N$", "").str.replace_all("\\", "", literal=True)


def iterate_stretches(index: RowIndex, own_width: int) -> Iterator[tuple[int, int]]:
    """Yield start and count of stretches of rows whose cells are read at once."""
    row_count = index.row_count
    if not row_count:
        return
    row_bytes = 1 + index.text_path.stat().st_size // row_count
    most = min(_CELLS_AT_ONCE // max(1, own_width), _BYTES_AT_ONCE // row_bytes)
    step = max(1, min(ROWS_PER_STRETCH, most))
    for start in range(0, row_count, step):
        yield start, min(step, row_count - start)


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
    return find_cells(index.text, *read_rows(index, start, count), own_width, columns)


def find_cells(
    form: RowText, padded: Bytes, bounds: Positions, own_width: int, columns: Collection[int]
) -> Mapping[int, Cells]:
    """Return the cells of some of the own columns of rows, as ``read_rows`` has them."""
    data = padded[:-_WORD]
    width = own_width + (form.added.width if form.has_verdicts else 0)
    if not form.has_runs or not bool((data == _MARK_LEAD).any()):
        found = _bound_in_pieces(form, data, bounds, width, columns)
        if found is not None:
            return {column: Cells(padded, *ends, form) for column, ends in found.items()}
    return _take_apart(form, data, bounds, own_width, columns)


def take_rows(padded: Bytes, bounds: Positions, rows: Positions) -> tuple[Bytes, Positions]:
    """Return some of the rows, which rise, as ``read_rows`` would have them."""
    whole = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(bounds) - 1, [None, pa.py_buffer(bounds), pa.py_buffer(padded)]
    )
    data = np.frombuffer(gather_bytes(whole.take(pa.array(rows))) + _PADDING, np.uint8)
    return data, np.concatenate(([0], np.cumsum(bounds[rows + 1] - bounds[rows])))


def read_rows(index: RowIndex, start: int, count: int) -> tuple[Bytes, Positions]:
    """Return rows as they stand, with eight bytes more, and where each begins and the last ends."""
    bounds = index.bounds(start, count)
    first, last = int(bounds[0]), int(bounds[-1])
    padded = np.zeros(last - first + _WORD, np.uint8)
    with index.text_path.open("rb") as file:
        file.seek(first)
        size = file.readinto(padded[:-_WORD].data)
    return padded[: size + _WORD], bounds - first


def _bound_in_pieces(
    form: RowText, data: Bytes, bounds: Positions, width: int, columns: Collection[int]
) -> Mapping[int, tuple[Positions, Positions]] | None:
    """Return what ``_bound_cells`` does, a few rows at a time: these stay in the cache."""
    count = len(bounds) - 1
    found = {column: (np.empty(count, np.int64), np.empty(count, np.int64)) for column in columns}
    for first in range(0, count, _ROWS_AT_ONCE):
        some = bounds[first : first + _ROWS_AT_ONCE + 1]
        offset = int(some[0])
        piece = _bound_cells(form, data[offset : some[-1]], some - offset, width, columns)
        if piece is None:
            return None
        rows = slice(first, first + len(some) - 1)
        for column, (starts, ends) in piece.items():
            np.add(starts, offset, out=found[column][0][rows])
            np.add(ends, offset, out=found[column][1][rows])
    return found


def _bound_cells(
    form: RowText,
    data: Bytes,
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
    marks = find_delimiters(shape, ord(form.delimiter))
    between = width - 1
    if len(marks) == between * len(ends):
        table = marks.reshape(len(ends), between)
    else:
        first = np.searchsorted(marks, ends) - between
        if int(first.min(initial=0)) < 0:
            return None
        table = marks[first[:, np.newaxis] + np.arange(between)]
    if between and (bool((table[:, 0] < starts).any()) or bool((table[:, -1] >= ends).any())):
        return None
    if 0 in columns and _has_lines_between(shape, starts, table[:, 0] if between else ends):
        return None
    return {
        column: (
            starts if column == 0 else table[:, column - 1] + 1,
            ends if column == between else table[:, column],
        )
        for column in columns
    }


def _has_lines_between(shape: Bytes, starts: Positions, ends: Positions) -> bool:
    """Tell whether lines end within any of the stretches."""
    breaks = shape == LF
    if np.count_nonzero(breaks) == len(starts):
        return False
    places = np.flatnonzero(breaks | (shape == CR))
    return bool((np.searchsorted(places, starts) != np.searchsorted(places, ends)).any())


def _take_apart(
    form: RowText,
    data: Bytes,
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
    data = np.frombuffer(gather_bytes(texts) + _PADDING, np.uint8)
    return Cells(data, offsets[:-1], offsets[1:], None)
