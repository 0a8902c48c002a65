"""Rows of a finished project on their way out: bytes as they stand, or with other added cells."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from backend.core.verdict import Verdict
from backend.files.rows.own_overlay import Overlay
from backend.files.rows.own_rows import iterate_runs
from backend.files.rows.row_columns import Mask, RowIndex
from backend.files.rows.row_search import find_body_ends, measure_tail, read_bytes


class RowStream:
    """Reads stretches of rows with the verdicts that hold now."""

    def __init__(self, index: RowIndex, overlay: Overlay | None) -> None:
        self._index = index
        self._overlay = overlay
        self.verdicts = index.verdicts if overlay is None else overlay.verdicts

    @property
    def alters_result(self) -> bool:
        """Whether some rows' added cells are others than in the stored file."""
        return self._overlay is not None and self._overlay.alters_result

    def places(self, start: int, count: int) -> NDArray[np.uint16]:
        """Return the rows' places in ``verdicts``."""
        if self._overlay is None:
            return self._index.verdict_places(start, count)
        return self._overlay.places(self._index, start, count)

    def pieces(self, mask: Mask) -> Iterator[bytes]:
        """Yield the rows that the mask wants, with their added cells."""
        tails = _word_tails(self.verdicts, self._index.text.delimiter)
        for start, count in iterate_runs(self._index.row_count):
            rows = mask[start : start + count]
            if rows.any():
                yield self._read(start, rows, tails)

    def size_bytes(self, mask: Mask) -> int:
        """Return how many bytes ``pieces`` will yield; only where the stored rows have verdicts."""
        old_sizes, new_sizes = self._tail_sizes()
        size = 0
        for start, count in iterate_runs(self._index.row_count):
            rows = mask[start : start + count]
            sizes = self._index.sizes(start, count).astype(np.int64)
            if self.alters_result:
                sizes -= old_sizes[self._index.verdict_places(start, count)]
                sizes += new_sizes[self.places(start, count)]
            size += int(sizes[rows].sum())
        return size

    def read_rest(self) -> bytes:
        """Return what stands behind the last row: blank lines."""
        if not self._index.text.has_verdicts or not self._index.row_count:
            return b""
        with self._index.text_path.open("rb") as file:
            file.seek(int(self._index.bounds(self._index.row_count - 1, 1)[-1]))
            return file.read()

    def _read(self, start: int, rows: Mask, tails: pa.Array) -> bytes:
        count = len(rows)
        bounds = self._index.bounds(start, count)
        data = read_bytes(self._index, int(bounds[0]), int(bounds[-1]))
        bounds = bounds - bounds[0]
        keeps_tails = self._index.text.has_verdicts and not self.alters_result
        if keeps_tails and rows.all():
            return data.tobytes()
        wanted = np.flatnonzero(rows)
        if keeps_tails:
            lines = _take(data, bounds, wanted)
        else:
            ends = find_body_ends(data, bounds)
            cuts = ends
            if self._index.text.has_verdicts:
                cuts = ends - self._tail_sizes()[0][self._index.verdict_places(start, count)]
            # Each row is three pieces: its own cells, its added cells, its line end.
            thirds = np.empty(3 * count + 1, np.int64)
            thirds[0:-1:3], thirds[1::3], thirds[2::3] = bounds[:-1], cuts, ends
            thirds[-1] = bounds[-1]
            lines = pc.binary_join_element_wise(
                _take(data, thirds, 3 * wanted),
                tails.take(pa.array(self.places(start, count)[wanted])),
                _take(data, thirds, 3 * wanted + 2),
                pa.scalar(b"", pa.large_binary()),
            )
        offsets = np.frombuffer(lines.buffers()[1], np.int64, len(lines) + 1)
        return bytes(lines.buffers()[2].slice(int(offsets[0]), int(offsets[-1])).to_pybytes())

    def _tail_sizes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        old = [measure_tail(verdict) for verdict in self._index.verdicts]
        new = [measure_tail(verdict) for verdict in self.verdicts]
        return np.array(old, np.int64), np.array(new, np.int64)


def _take(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], wanted: NDArray[np.int64]
) -> pa.Array:
    pieces = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(),
        len(offsets) - 1,
        [None, pa.py_buffer(np.ascontiguousarray(offsets)), pa.py_buffer(data)],
    )
    return pieces.take(pa.array(wanted))


def _word_tails(verdicts: tuple[Verdict, ...], delimiter: str) -> pa.Array:
    return pa.array(
        [
            f"{delimiter}{verdict.category}{delimiter}{verdict.domain_type}".encode()
            for verdict in verdicts
        ],
        pa.large_binary(),
    )
