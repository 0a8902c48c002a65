"""Cells of a list as Arrow arrays, with and without quotes, and its rows as text records."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from winnow.lists.text.cell_text import decode_cell
from winnow.lists.text.records import QUOTE, Bytes, Positions, Records
from winnow.lists.text.splitter import split_records

BYTES = pa.large_binary()
_QUOTE, NOTHING = pa.scalar(b'"', BYTES), pa.scalar(b"", BYTES)


def quote(cells: pa.Array, marks: bytes = b'"', also: str | None = None) -> pa.Array:
    """Put cells with any of some marks in quotes (RFC 4180), and those that ``also`` matches."""
    text = gather_bytes(cells)
    tests = [pc.match_substring(cells, bytes([mark])) for mark in marks if mark in text]
    if also is not None:
        tests.append(pc.match_substring_regex(cells, also))
    if not tests:  # as in most columns
        return cells
    doubled = cells
    if b'"' in text:
        doubled = pc.replace_substring(cells, pattern=b'"', replacement=b'""')
    quoted = pc.binary_join_element_wise(_QUOTE, doubled, _QUOTE, NOTHING)
    return pc.if_else(reduce(pc.or_, tests), quoted, cells)


def read_buffers(cells: pa.Array) -> tuple[Bytes, Positions, Positions]:
    """Return the buffer of texts, and where each begins and ends; nothing is copied."""
    _, offsets, values = cells.buffers()
    bounds = np.frombuffer(offsets, np.int64, len(cells) + 1, 8 * cells.offset)
    data = np.frombuffer(values if values is not None and values.size else b"\n", np.uint8)
    return data, bounds[:-1], bounds[1:]


def spread_texts(texts: pa.Array, indices: pa.Array) -> pa.Array:
    """Return the text of each index; Arrow's ``take`` reserves the texts' mean size for each."""
    return pl.Series(texts).gather(pl.Series(indices)).to_arrow()


def slice_cells(data: Bytes, starts: Positions, ends: Positions) -> pa.Array:
    """Return stretches of the data, which rise and do not overlap."""
    bounds = np.empty(2 * len(starts) + 1, np.int64)
    bounds[0:-1:2], bounds[1::2] = starts, ends
    bounds[-1] = ends[-1] if len(ends) else 0
    pieces = pa.LargeBinaryArray.from_buffers(
        BYTES, 2 * len(starts), [None, pa.py_buffer(bounds), pa.py_buffer(data)]
    )
    return pc.take(pieces, pa.array(np.arange(0, 2 * len(starts), 2)), boundscheck=False)


def unquote_cells(data: Bytes, starts: Positions, ends: Positions) -> pa.Array:
    """Return cells without their quotes; bounds are as for ``slice_cells``."""
    is_quoted = (ends > starts) & (data.take(starts, mode="clip") == QUOTE)
    is_closed = is_quoted & (ends - starts > 1) & (data.take(ends - 1, mode="clip") == QUOTE)
    cells = slice_cells(data, starts + is_closed, ends - is_closed)
    if not is_quoted.any():
        return cells
    holds_quote = pc.match_substring(cells, b'"').to_numpy(zero_copy_only=False)
    odd = np.flatnonzero(is_quoted & (~is_closed | holds_quote))
    raw = (data[starts[cell] : ends[cell]].tobytes() for cell in odd.tolist())
    texts = (decode_cell(cell, "utf-8").encode("utf-8", "surrogateescape") for cell in raw)
    return put_cells(cells, odd, list(texts))


def put_cells(cells: pa.Array, rows: Positions, words: Sequence[bytes]) -> pa.Array:
    """Return cells with others in some rows, which rise."""
    mask = np.zeros(len(cells), np.bool_)
    mask[rows] = True
    return pc.replace_with_mask(cells, mask, pa.array(words, BYTES)) if len(rows) else cells


def gather_bytes(texts: pa.Array) -> bytes:
    """Return texts one after the other."""
    data, starts, ends = read_buffers(texts)
    return data[starts[0] : ends[-1]].tobytes() if len(texts) else b""


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Some rows in their order.

    Attributes:
        data: Text in UTF-8.
        records: Where records are in it.
        rows: Which of these are rows: neither the header nor a line that is none.
        width: The cells of the header; a record may have fewer or more.
        delimiter: A byte.
    """

    data: Bytes
    records: Records
    rows: Positions
    width: int
    delimiter: int

    def take_column(self, rows: Positions, place: int) -> pa.Array:
        """Return a cell of each of some rows, without quotes."""
        starts, ends = (bounds[rows] for bounds in self.records.find(place))
        return unquote_cells(self.data, starts, ends)

    def read_cells(self, record: int) -> tuple[str, ...]:
        """Return the texts of a record's cells."""
        raw = self.data[self.records.starts[record] : self.records.body_ends[record]]
        text = raw.tobytes().decode("utf-8", "replace")
        records = split_records(text, chr(self.delimiter), is_whole=True)
        return next((one.cells for one in records), ())
