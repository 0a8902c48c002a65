"""Repaired addresses put into records of delimited text: in place of a cell, or after all cells."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.lists.engine.augment import find_body_ends
from winnow.lists.engine.row_codes import BLANK_LINE, HEADER, RowColumns
from winnow.lists.text.arrow_cells import BYTES, NOTHING, put_cells, read_buffers, slice_cells
from winnow.lists.text.records import Bytes


@dataclass(frozen=True, slots=True)
class RecordBytes:
    """Whole records; arrays have an entry each. ``data`` may be longer than they are.

    ``addresses`` are the cells of the added column of addresses; None without one.
    """

    data: Bytes
    sizes: NDArray[np.uint32]
    widths: NDArray[np.uint16]
    addresses: pa.Array | None = None


@dataclass(frozen=True, slots=True)
class AddressColumnText:
    """The added column of addresses: its delimiter, its header, and cells of a record with it.

    ``has_former``: it holds what the email cells were, and repaired addresses replace these.
    Otherwise it holds each row's address, repaired where it was.
    """

    delimiter: bytes
    header: bytes
    width: int
    has_former: bool


def put_addresses(
    data: Bytes,
    rows: RowColumns,
    numbers: NDArray[np.int64],
    repaired: list[bytes],
    column: AddressColumnText,
) -> RecordBytes:
    """Write repaired addresses into a block's records; blank lines are unchanged.

    Args:
        data: The records.
        rows: Their columns, with ``cells``. Records with too few cells are padded.
        numbers: Which of the rows were repaired, rising.
        repaired: Their new cells as a record has them.
        column: The added one.
    """
    if rows.cells is None:
        return RecordBytes(data, rows.sizes, rows.widths)
    ends = np.cumsum(rows.sizes, dtype=np.int64)
    starts = ends - rows.sizes
    cell_starts = starts + rows.cells[:, 0]
    cell_ends = cell_starts + rows.cells[:, 1]
    body_ends = find_body_ends(data, starts, ends) if len(ends) else ends
    former = slice_cells(data, cell_starts, cell_ends)
    cells = put_cells(former, numbers, repaired)
    bodies = [slice_cells(data, starts, body_ends)]
    if column.has_former and len(numbers):
        behind = slice_cells(data, cell_ends, body_ends)
        bodies = [slice_cells(data, starts, cell_starts), cells, behind]
    is_blank = rows.codes == BLANK_LINE
    missing = np.where(is_blank, 0, column.width - rows.widths.astype(np.int64))
    pads = [column.delimiter * count for count in range(int(missing.max(initial=0)) + 1)]
    between = pa.array(pads, BYTES).take(pa.array(missing))
    added = pc.if_else(pa.array(is_blank), NOTHING, former if column.has_former else cells)
    added = pc.if_else(pa.array(rows.codes == HEADER), pa.scalar(column.header, BYTES), added)
    line_ends = slice_cells(data, body_ends, ends)
    text, begins, stops = read_buffers(
        pc.binary_join_element_wise(*bodies, between, added, line_ends, NOTHING)
    )
    return RecordBytes(
        text[begins[0] : stops[-1]] if len(begins) else text[:0],
        (stops - begins).astype(np.uint32),
        np.where(is_blank, rows.widths, column.width).astype(np.uint16),
        added,
    )
