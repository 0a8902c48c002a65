"""Repaired addresses put into records of delimited text: in place of a cell, or after all cells."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.lists.engine.augment import find_body_ends
from winnow.lists.engine.row_codes import BLANK_LINE, HEADER
from winnow.lists.text.arrow_cells import put_cells, slice_cells
from winnow.lists.text.records import Bytes

_BYTES = pa.large_binary()
_NOTHING = pa.scalar(b"", _BYTES)


@dataclass(frozen=True, slots=True)
class CellPlaces:
    """Offsets of the email cells in a block's records, counted from the records' starts."""

    starts: NDArray[np.uint32]
    sizes: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class RecordBytes:
    """Whole records; arrays have an entry each. ``data`` may be longer than they are."""

    data: Bytes
    sizes: NDArray[np.uint32]
    widths: NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class CellColumn:
    """A column that is put after all others: its delimiter, its header, its place from 0."""

    delimiter: bytes
    header: bytes
    place: int


def read_cells(
    records: RecordBytes, places: CellPlaces, rows: NDArray[np.int64], repaired: list[bytes]
) -> pa.Array:
    """Return the email cells of records unchanged, but those of ``rows`` repaired."""
    ends = np.cumsum(records.sizes, dtype=np.int64)
    starts = ends - records.sizes + places.starts
    own = slice_cells(records.data, starts, starts + places.sizes)
    return put_cells(own, rows, repaired) if repaired else own


def replace_cells(records: RecordBytes, places: CellPlaces, cells: pa.Array) -> RecordBytes:
    """Replace the email cells."""
    ends = np.cumsum(records.sizes, dtype=np.int64)
    starts = ends - records.sizes
    cell_starts = starts + places.starts
    before = slice_cells(records.data, starts, cell_starts)
    behind = slice_cells(records.data, cell_starts + places.sizes, ends)
    joined = pc.binary_join_element_wise(before, cells, behind, _NOTHING)
    return _read(joined, records.widths)


def append_cells(
    records: RecordBytes, codes: NDArray[np.uint32], cells: pa.Array, column: CellColumn
) -> RecordBytes:
    """Put cells after the others of each record, before its line end; other lines are unchanged.

    RecordBytes with too few cells are padded first.
    """
    ends = np.cumsum(records.sizes, dtype=np.int64)
    starts = ends - records.sizes
    body_ends = find_body_ends(records.data, starts, ends) if len(ends) else ends
    bodies = slice_cells(records.data, starts, body_ends)
    line_ends = slice_cells(records.data, body_ends, ends)
    is_blank = codes == BLANK_LINE
    missing = np.where(is_blank, 0, column.place - records.widths.astype(np.int64) + 1)
    pads = [column.delimiter * count for count in range(int(missing.max(initial=0)) + 1)]
    between = pa.array(pads, _BYTES).take(pa.array(missing))
    cells = pc.if_else(pa.array(is_blank), _NOTHING, cells)
    cells = pc.if_else(pa.array(codes == HEADER), pa.scalar(column.header, _BYTES), cells)
    joined = pc.binary_join_element_wise(bodies, between, cells, line_ends, _NOTHING)
    widths = np.where(is_blank, records.widths, column.place + 1).astype(np.uint16)
    return _read(joined, widths)


def _read(records: pa.Array, widths: NDArray[np.uint16]) -> RecordBytes:
    offsets = np.frombuffer(records.buffers()[1], np.int64, len(records) + 1, 8 * records.offset)
    values = records.buffers()[2]
    data = np.frombuffer(values if values is not None and values.size else b"\n", np.uint8)
    whole = data[offsets[0] : offsets[-1]]
    return RecordBytes(whole, np.diff(offsets).astype(np.uint32), widths)
