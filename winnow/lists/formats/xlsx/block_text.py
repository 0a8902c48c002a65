"""The cells of a plain block as text, and its rows as lines of CSV, by array operations."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.lists.formats.xlsx.fast_parser import Kind, Places, PlainBlock, find_odd_cells
from winnow.lists.formats.xlsx.strings import SharedStrings
from winnow.lists.formats.xlsx.text import PLAIN_NUMBER, CellTexts
from winnow.lists.formats.xlsx.xml import unescape
from winnow.lists.result.empty_runs import word_run

_NUMBER, _SHARED, _BOOLEAN = Kind.NUMBER.value, Kind.SHARED.value, Kind.BOOLEAN.value


def gather_texts(block: PlainBlock, cells: Places, texts: CellTexts) -> pa.Array:
    """Return the texts of some cells of a block, rising, as UTF-8.

    Raises:
        ValueError: A damaged cell.
    """
    kinds = block.kinds[cells]
    raw = _slice_values(block, cells)
    is_index = kinds == Kind.SHARED
    is_shared = is_index & find_filled_cells(block)[cells]
    is_odd = find_odd_cells(block)[cells] | (kinds == Kind.BOOLEAN)
    is_odd |= (kinds == Kind.NUMBER) & _is_worked_number(block, cells, raw, texts)
    is_odd |= is_index  # one of blanks alone
    is_odd &= ~is_shared
    if not is_shared.any() and not is_odd.any():
        return raw
    parts = [raw]
    chosen = np.arange(len(cells))
    strings = texts.strings
    if is_shared.any():
        places = np.flatnonzero(is_shared)
        indices = read_indices(block, cells[places])
        if not isinstance(strings, SharedStrings):
            raise TypeError("a block needs the whole table of shared strings")
        parts.append(strings.gather(indices))
        chosen[places] = len(cells) + np.arange(len(places))
    if is_odd.any():
        places = np.flatnonzero(is_odd)
        shown = [
            _read_odd(kind, style, value, texts)
            for kind, style, value in zip(
                kinds[places].tolist(),
                block.styles[cells[places]].tolist(),
                raw.take(pa.array(places)).to_pylist(),
                strict=True,
            )
        ]
        chosen[places] = sum(map(len, parts)) + np.arange(len(places))
        parts.append(pa.array(shown, pa.large_binary()))
    return pa.concat_arrays(parts).take(pa.array(chosen))


def read_indices(block: PlainBlock, cells: Places) -> Places:
    """Return which shared strings some cells point at.

    Raises:
        ValueError: One does not hold a number.
    """
    written = _slice_values(block, cells).cast(pa.large_string())
    numbers = pc.ascii_trim_whitespace(written).cast(pa.int64())
    indices: Places = numbers.to_numpy(zero_copy_only=False)
    return indices


def find_filled_cells(block: PlainBlock) -> NDArray[np.bool_]:
    """Return which cells show something; blanks alone count as nothing."""
    is_filled = block.ends > block.starts
    first = np.frombuffer(block.data, np.uint8)[np.minimum(block.starts, len(block.data) - 1)]
    for cell in np.flatnonzero(is_filled & (first <= ord(" "))).tolist():
        is_filled[cell] = bool(block.data[block.starts[cell] : block.ends[cell]].strip())
    return is_filled


def count_valueless(block: PlainBlock, is_out: NDArray[np.bool_], width: int) -> int:
    """Return how many formulas of some rows show nothing, as the workbook stores no value."""
    if not block.has_formulas:
        return 0
    is_open = is_out[block.cell_rows] & (block.columns < width) & ~find_filled_cells(block)
    is_open &= ~np.isin(block.kinds, (Kind.TEXT, Kind.ERROR))
    ends = np.append(block.digit_starts[1:], len(block.data))
    return sum(
        b"<f" in block.data[start:end]
        for start, end in zip(
            block.digit_ends[is_open].tolist(), ends[is_open].tolist(), strict=True
        )
    )


def write_lines(
    block: PlainBlock, is_out: NDArray[np.bool_], texts: CellTexts, width: int
) -> tuple[bytes, NDArray[np.uint32]]:
    """Return some rows of a block as CSV records with runs, and the size of each.

    Args:
        block: The rows.
        is_out: For each of them, whether it is wanted.
        texts: Turns cells into text.
        width: Cells of a record once its runs are expanded; cells beyond are left out.

    Raises:
        ValueError: A damaged cell.
    """
    count = int(np.count_nonzero(is_out))
    if not count:
        return b"", np.empty(0, np.uint32)
    cells = np.flatnonzero(is_out[block.cell_rows] & (block.columns < width))
    rows = (np.cumsum(is_out) - 1)[block.cell_rows[cells]]
    columns = block.columns[cells]
    shown = _quote(gather_texts(block, cells, texts), only_cell=width == 1)
    shown.cast(pa.large_string())  # a cell that is not text is a fault of the workbook
    # Each row is pieces, a run of delimiters and a cell; its last piece is what follows the cells.
    row_ends = np.searchsorted(rows, np.arange(count), side="right") + np.arange(count)
    is_cell = np.ones(len(cells) + count, np.bool_)
    is_cell[row_ends] = False
    runs = np.empty(len(is_cell), np.int64)
    runs[is_cell] = columns - np.where(np.diff(rows, prepend=-1) > 0, 0, np.roll(columns, 1))
    last = np.zeros(count, np.int64)
    last[rows] = columns  # of each row the last cell comes last
    runs[row_ends] = width - 1 - last
    distinct, places = np.unique(runs, return_inverse=True)
    separators = pa.array([word_run(run, b",") for run in distinct.tolist()], pa.large_binary())
    contents = np.full(len(is_cell), len(cells))
    contents[is_cell] = np.arange(len(cells))
    if width == 1:
        contents[np.setdiff1d(row_ends, row_ends[rows])] = len(cells) + 1
    ends = pa.array([b"", b'""'], pa.large_binary())
    pieces = pc.binary_join_element_wise(
        separators.take(pa.array(places)),
        pa.concat_arrays([shown, ends]).take(pa.array(contents)),
        pa.scalar(b"", pa.large_binary()),
    )
    bounds = np.concatenate(([0], row_ends + 1)).astype(np.int32)
    lines = pc.binary_join(
        pa.ListArray.from_arrays(pa.array(bounds), pieces.cast(pa.binary())),
        pa.scalar(b"", pa.binary()),
    )
    ended = pc.binary_join_element_wise(lines, pa.scalar(b"\n"), pa.scalar(b""))
    offsets = np.frombuffer(ended.buffers()[1], np.int32, len(ended) + 1, 4 * ended.offset)
    data = ended.buffers()[2].to_pybytes()[int(offsets[0]) : int(offsets[-1])]
    return data, np.diff(offsets).astype(np.uint32)


def _slice_values(block: PlainBlock, cells: Places) -> pa.Array:
    bounds = np.empty(2 * len(cells) + 1, np.int64)
    bounds[0:-1:2] = block.starts[cells]
    bounds[1::2] = block.ends[cells]
    bounds[-1] = len(block.data)
    pieces = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), 2 * len(cells), [None, pa.py_buffer(bounds), pa.py_buffer(block.data)]
    )
    return pieces.take(pa.array(np.arange(0, 2 * len(cells), 2)))


def _is_worked_number(
    block: PlainBlock, cells: Places, raw: pa.Array, texts: CellTexts
) -> NDArray[np.bool_]:
    """Return which values are shown otherwise than written, taken as numbers."""
    dates = texts.formats.list_dates()
    is_date = dates[np.minimum(block.styles[cells], len(dates) - 1)]
    pattern = f"^(?:{PLAIN_NUMBER.pattern.decode().removesuffix(chr(92) + 'Z')})?$"
    is_plain = pc.match_substring_regex(raw.cast(pa.large_string()), pattern)
    worked: NDArray[np.bool_] = is_date | ~is_plain.to_numpy(zero_copy_only=False)
    return worked & (block.ends[cells] > block.starts[cells])


def _read_odd(kind: int, style: int, value: bytes, texts: CellTexts) -> bytes:
    if kind == _SHARED:
        return b""
    if kind == _NUMBER:
        return texts.read_value(b"n", style, value).encode("ascii")
    if kind == _BOOLEAN:
        return texts.read_value(b"b", style, value).encode("ascii")
    return unescape(value).encode("utf-8", "surrogatepass")


def _quote(cells: pa.Array, *, only_cell: bool) -> pa.Array:
    """Quote as ``csv`` does where it must."""
    needed = pc.match_substring_regex(cells, "^$" if only_cell else '[",\n\r]')
    if only_cell:
        needed = pc.or_(needed, pc.match_substring_regex(cells, '[",\n\r]'))
    if not pc.any(needed).as_py():
        return cells
    mark, nothing = pa.scalar(b'"', pa.large_binary()), pa.scalar(b"", pa.large_binary())
    doubled = pc.replace_substring(cells, pattern=b'"', replacement=b'""')
    quoted = pc.binary_join_element_wise(mark, doubled, mark, nothing)
    return pc.if_else(needed, quoted, cells)
