"""Second pass over a block: kept records with the added cells after each, and repaired ones."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.lists.engine.row_codes import BLANK_LINE, FIRST_FAULT, HEADER, RowColumns
from winnow.lists.text.arrow_cells import BYTES, NOTHING, put_cells, read_buffers, slice_cells
from winnow.lists.text.records import CR, LF, Bytes

_SPARE_BYTES = 1 << 14

_LINE_ENDS = (b"", b"\n", b"\r\n", b"\r")
_LINE_END_SIZES = np.array([len(end) for end in _LINE_ENDS])


def make_room(record_bytes: int) -> Bytes:
    """Return memory for a block's records, with the space that its tails usually need."""
    return np.empty(record_bytes + record_bytes // 2 + _SPARE_BYTES, np.uint8)


@dataclass(frozen=True, slots=True)
class Suffixes:
    """What is put after a record's cells, delimiter first.

    ``cells`` is by place in the verdicts, the header's last; ``width`` is what every record is
    padded to before.
    """

    cells: tuple[bytes, ...]
    delimiter: bytes
    width: int


@dataclass(frozen=True, slots=True)
class AugmentedBlock:
    """Bytes for the result, with the rows among its lines; others are the header and blank lines.

    ``rows`` are the rows' positions in the block. ``row_sizes`` are their bytes, each with the
    other lines before it in the block; those before the first row are ``first_start`` bytes.
    """

    data: pa.Buffer | bytes
    rows: NDArray[np.int64]
    row_sizes: NDArray[np.uint32]
    first_start: int


@dataclass(frozen=True, slots=True)
class RecordBytes:
    """Whole records; arrays have an entry each. ``data`` may be longer than they are.

    ``addresses`` are the cells of the added column of addresses; None without one.
    """

    data: Bytes
    sizes: NDArray[np.uint32]
    widths: NDArray[np.uint16]
    addresses: pa.Array | None = None


def put_addresses(
    data: Bytes,
    rows: RowColumns,
    numbers: NDArray[np.int64],
    repaired: list[bytes],
    header: bytes,
    suffixes: Suffixes,
    *,
    has_former: bool,
) -> RecordBytes:
    """Write repaired addresses into a block's records, and the column of addresses after them.

    Args:
        data: The records; blank lines among them are unchanged.
        rows: Their columns, with ``cells``. Records with too few cells are padded.
        numbers: Which of the rows were repaired, rising.
        repaired: Their new cells as a record has them.
        header: The added column's.
        suffixes: Of the records with that column.
        has_former: It holds what the email cells were, and repaired addresses replace these.
            Otherwise it holds each row's address, repaired where it was.
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
    if has_former and len(numbers):
        behind = slice_cells(data, cell_ends, body_ends)
        bodies = [slice_cells(data, starts, cell_starts), cells, behind]
    is_blank = rows.codes == BLANK_LINE
    missing = np.where(is_blank, 0, suffixes.width - rows.widths.astype(np.int64))
    pads = [suffixes.delimiter * count for count in range(int(missing.max(initial=0)) + 1)]
    between = pa.array(pads, BYTES).take(pa.array(missing))
    added = pc.if_else(pa.array(is_blank), NOTHING, former if has_former else cells)
    added = pc.if_else(pa.array(rows.codes == HEADER), pa.scalar(header, BYTES), added)
    line_ends = slice_cells(data, body_ends, ends)
    text, begins, stops = read_buffers(
        pc.binary_join_element_wise(*bodies, between, added, line_ends, NOTHING)
    )
    return RecordBytes(
        text[begins[0] : stops[-1]] if len(begins) else text[:0],
        (stops - begins).astype(np.uint32),
        np.where(is_blank, rows.widths, suffixes.width).astype(np.uint16),
        added,
    )


def augment_block(
    records: RecordBytes,
    codes: NDArray[np.uint32],
    is_kept: NDArray[np.bool_],
    verdict_indices: NDArray[np.uint16],
    suffixes: Suffixes,
) -> AugmentedBlock:
    """Put the added cells after every kept record of a block, before its line end.

    Their data may be longer (from ``make_room``, best): what is after them is overwritten with the
    tails, so that one copy puts all pieces of the result together.
    """
    data, widths = records.data, records.widths
    ends = np.cumsum(records.sizes, dtype=np.int64)
    starts = ends - records.sizes
    record_bytes = int(ends[-1]) if len(ends) else 0
    line_ends = _name_line_ends(data, starts, ends)
    lines = np.flatnonzero(is_kept)
    kept_codes = codes[lines]
    tails, tail_indices = _choose_tails(
        kept_codes, widths[lines], verdict_indices[lines], line_ends[lines], suffixes
    )
    text = np.frombuffer(b"".join(tails), np.uint8)
    tail_sizes = np.array([len(tail) for tail in tails], np.int64)
    count = len(lines)
    starts, body_ends = starts[lines], ends[lines] - _LINE_END_SIZES[line_ends[lines]]
    result_bytes = int((body_ends - starts).sum() + tail_sizes[tail_indices].sum())
    bounds = np.empty(2 * count + len(tails) + 2, np.int64)
    bounds[0 : 2 * count : 2] = starts
    bounds[1 : 2 * count : 2] = body_ends
    bounds[2 * count] = record_bytes
    np.cumsum(tail_sizes, out=bounds[2 * count + 1 : -1])
    bounds[2 * count + 1 : -1] += record_bytes
    # Arrow reserves the pieces' mean size for each chosen one, and copies all when that is short.
    bounds[-1] = max(bounds[-2], -(-result_bytes * (len(bounds) - 1) // max(1, 2 * count)))
    if len(data) < bounds[-1]:
        whole = np.empty(bounds[-1], np.uint8)
        whole[:record_bytes] = data[:record_bytes]
        data = whole
    data[record_bytes : record_bytes + len(text)] = text
    pieces = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(bounds) - 1, [None, pa.py_buffer(bounds), pa.py_buffer(data)]
    )
    chosen = np.empty(2 * count, np.int64)
    chosen[0::2] = np.arange(0, 2 * count, 2)
    chosen[1::2] = tail_indices + 2 * count
    glued = pc.take(pieces, pa.array(chosen), boundscheck=False)
    offsets = np.frombuffer(glued.buffers()[1], np.int64, len(glued) + 1)
    is_row = kept_codes >= FIRST_FAULT
    row_ends = offsets[2::2][is_row]
    return AugmentedBlock(
        glued.buffers()[2].slice(0, int(offsets[-1])) if offsets[-1] else b"",
        lines[is_row],
        np.diff(row_ends, prepend=0).astype(np.uint32),
        int(offsets[2 * int(np.argmax(is_row))]) if len(row_ends) else 0,
    )


def find_body_ends(
    data: Bytes, starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return where the cells of records end, before their line ends."""
    found: NDArray[np.int64] = ends - _LINE_END_SIZES[_name_line_ends(data, starts, ends)]
    return found


def _name_line_ends(
    data: Bytes, starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    last = data[ends - 1]
    before = data[np.maximum(ends - 2, starts)]
    names: NDArray[np.int64] = (last == LF).astype(np.int64)
    names[(last == LF) & (before == CR) & (ends - starts > 1)] = 2
    names[last == CR] = 3
    return names


def _choose_tails(
    codes: NDArray[np.uint32],
    widths: NDArray[np.uint16],
    verdict_indices: NDArray[np.uint16],
    line_ends: NDArray[np.int64],
    suffixes: Suffixes,
) -> tuple[list[bytes], NDArray[np.int64]]:
    """Return the distinct tails (padding, added cells, line end) and each line's place there."""
    kinds = len(suffixes.cells) + 1
    which = verdict_indices.astype(np.int64)
    which[codes == HEADER] = kinds - 2
    pads = suffixes.width - widths.astype(np.int64)
    is_blank = codes == BLANK_LINE
    which[is_blank] = kinds - 1
    pads[is_blank] = 0
    mixed = (pads * len(_LINE_ENDS) + line_ends) * kinds + which
    distinct, indices = _number(mixed)
    tails = []
    for value in distinct.tolist():
        rest, kind = divmod(value, kinds)
        pad, line_end = divmod(rest, len(_LINE_ENDS))
        cells = suffixes.cells[kind] if kind < kinds - 1 else b""
        tails.append(suffixes.delimiter * pad + cells + _LINE_ENDS[line_end])
    return tails, indices


def _number(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct values and each one's place among them."""
    top = int(values.max()) + 1 if len(values) else 0
    if top > max(1 << 20, 4 * len(values)):
        return np.unique(values, return_inverse=True)
    is_there = np.zeros(top, np.bool_)
    is_there[values] = True
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[values]
