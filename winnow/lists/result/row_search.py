"""Text search over the rows of a finished project, in the bytes of its text file."""

from collections.abc import Iterator

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.lists.execution.ordered import map_in_order
from winnow.lists.result.empty_runs import expand_runs
from winnow.lists.result.row_columns import Mask, RowIndex
from winnow.lists.result.row_index import RowText
from winnow.lists.text.gathered_cells import lower_bytes
from winnow.lists.text.records import CR, LF
from winnow.lists.text.splitter import split_records

_ROWS_PER_CHUNK = 1 << 16
_SAMPLE_BYTES = 1 << 16


def search_rows(index: RowIndex, part: str, wanted: Mask) -> Mask:
    """Return which of the wanted rows have a cell of their own that contains a text.

    ASCII case aside; the added ones are not searched.
    """
    found = np.zeros(index.row_count, np.bool_)
    try:
        needle = part.encode(index.text.encoding).lower()
    except UnicodeEncodeError:
        return found
    tails = np.zeros(len(index.verdicts), np.int64)
    if index.text.has_verdicts:
        tails[:] = [index.text.added.measure_tail(verdict) for verdict in index.verdicts]
    changed = {index.text.delimiter, '"', "\n", "\r"}  # doubled or escaped within a cell
    if index.text.escape:
        changed.add(index.text.escape)
    is_delicate = not changed.isdisjoint(part)
    longest = max(_split_at(needle, changed if index.text.escape else {'"'}), key=len)

    def work(start: int) -> tuple[int, Mask]:
        count = min(_ROWS_PER_CHUNK, index.row_count - start)
        rows = wanted[start : start + count]
        if not rows.any():
            return start, rows
        bounds = index.bounds(start, count)
        data = read_bytes(index, int(bounds[0]), int(bounds[-1]))
        lowered = lower_bytes(data)
        if not _holds(lowered, longest):
            return start, np.zeros(count, np.bool_)
        bounds = bounds - bounds[0]
        ends = find_body_ends(data, bounds)
        ends -= tails[index.verdict_places(start, count)]
        if longest:
            rows = rows & _search_bytes(lowered, bounds[:-1], ends, longest)
        if is_delicate:
            rows = _search_cells(index, data, bounds[:-1], ends, rows, part)
        return start, rows

    chunks: Iterator[int] = iter(range(0, index.row_count, _ROWS_PER_CHUNK))
    for start, rows in map_in_order(work, chunks):
        found[start : start + len(rows)] = rows
    return found


def read_bytes(index: RowIndex, start: int, end: int) -> NDArray[np.uint8]:
    """Return a stretch of the text file."""
    return np.fromfile(index.text_path, np.uint8, end - start, offset=start)


def find_body_ends(data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each row ends before its line end."""
    ends = bounds[1:].copy()
    ends -= data[ends - 1] == LF
    ends -= (data[ends - 1] == CR) & (ends > bounds[:-1])
    return ends


def _holds(lowered: NDArray[np.uint8], needle: bytes) -> bool:
    """Tell whether a text stands anywhere in a stretch: most hold a rare one nowhere."""
    ends = np.array([0, len(lowered)], np.int64)
    whole = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), 1, [None, pa.py_buffer(ends), pa.py_buffer(lowered)]
    )
    return bool(pl.Series("rows", pl.from_arrow(whole)).bin.contains(needle)[0])


def _search_bytes(
    lowered: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64], needle: bytes
) -> Mask:
    """Return in which of the stretches, which rise, a text stands."""
    found = np.zeros(len(starts), np.bool_)
    hits = _find_all(lowered, needle)
    rows = np.searchsorted(starts, hits, side="right") - 1
    found[rows[hits + len(needle) <= ends[rows]]] = True
    return found


def _find_all(lowered: NDArray[np.uint8], needle: bytes) -> NDArray[np.int64]:
    """Return every place where a text begins: its rarest byte is looked for, then the others."""
    counts = np.bincount(lowered[:_SAMPLE_BYTES], minlength=256)
    rarest = min(range(len(needle)), key=lambda place: int(counts[needle[place]]))
    last = len(lowered) - len(needle)
    hits: NDArray[np.int64] = np.flatnonzero(lowered == needle[rarest]) - rarest
    hits = hits[(hits >= 0) & (hits <= last)]
    for place, byte in enumerate(needle):
        if place != rarest:
            hits = hits[lowered[hits + place] == byte]
    return hits


def _search_cells(
    index: RowIndex,
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    rows: Mask,
    part: str,
) -> Mask:
    """Search cell by cell: the text has marks that also stand between cells or are doubled."""
    found = np.zeros(len(rows), np.bool_)
    lowered = _lower_ascii(part)
    raw = data.tobytes()
    for row in np.flatnonzero(rows).tolist():
        body = raw[starts[row] : ends[row]]
        if b'"' in body or (index.text.escape and index.text.escape.encode() in body):
            cells = read_cells(body, index.text)
            found[row] = any(lowered in _lower_ascii(cell) for cell in cells)
    return found


def read_cells(body: bytes, form: RowText) -> tuple[str, ...]:
    """Return the cells of one row, blank lines before it aside."""
    if form.has_runs:
        body = expand_runs(body, form.delimiter.encode())
    text = body.decode(form.encoding, "replace")
    cells: tuple[str, ...] = ()
    for record in split_records(text, form.delimiter, is_whole=True, escape=form.escape):
        if not record.is_blank:
            cells = record.cells
    return cells


def read_own_cells(body: bytes, form: RowText) -> tuple[str, ...]:
    """Return the list's own cells of one row."""
    cells = read_cells(body, form)
    return form.added.cut(cells) if form.has_verdicts else cells


def _split_at(needle: bytes, marks: set[str]) -> list[bytes]:
    """Return what stands between marks of ASCII, which may stand otherwise in a row."""
    for mark in marks:
        needle = needle.replace(mark.encode(), b'"')
    return needle.split(b'"')


def _lower_ascii(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
