"""Files for a mail platform's import: its columns under its names, split where too large."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.lists.exports import DownloadChoice, Export, FilePart
from winnow.core.lists.platforms import PlatformFile, PlatformPreview
from winnow.lists.result.cell_grid import WHITE_SPACE, CellGrid, word_records
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.text.arrow_cells import gather_bytes

_DELIMITER = ","
_GROWTH_MOST = 4  # of a row: another encoding, quotes around each cell
_VERDICT_MOST_BYTES = 32  # the longest category, its prefix, a comma


class PlatformExport:
    """One export for a platform: CSV in UTF-8; its rows are written as they are read."""

    def __init__(self, rows: ResultRows, export: Export, file: PlatformFile) -> None:
        self._rows = rows
        # Other columns and forms that were chosen are not this file's.
        self._export = replace(export, choice=DownloadChoice(export.choice.policy))
        self._layout = rows.lay_out(file)
        self._traits = file.platform.traits

    def stream(self) -> Iterator[bytes]:
        """Yield the header and the rows."""
        yield self._word_header()
        yield from map(gather_bytes, self._word_rows())

    def preview(self, most: int) -> PlatformPreview:
        """Return what the file will be, with so many of its first rows."""
        first = self._arrange_rows(replace(self._export, part=FilePart(0, most)))
        arranged = (row for grid in first for row in grid.list_rows())
        row_count = self._rows.measure(self._export)
        of_any = self._rows.measure(replace(self._export, platform=None))
        return PlatformPreview(self._layout, tuple(arranged), row_count, of_any - row_count)

    def find_parts(self) -> Sequence[FilePart]:
        """Return the files that the platform's limits ask for: one, or none without rows.

        The rows are read through only if need be.
        """
        most_bytes, most_rows = self._traits.most_bytes, self._traits.most_rows
        row_count = self._rows.measure(self._export)
        size_most = _GROWTH_MOST * self._rows.stored_bytes
        size_most += _VERDICT_MOST_BYTES * row_count
        header_bytes = len(self._word_header())
        if header_bytes + size_most <= most_bytes:
            return _divide(np.zeros(row_count, np.int64), 0, most_rows)
        sizes = [pc.binary_length(records).to_numpy() for records in self._word_rows()]
        sizes_bytes = np.concatenate((np.zeros(0, np.int64), *sizes))
        return _divide(sizes_bytes, most_bytes - header_bytes, most_rows)

    def _word_header(self) -> bytes:
        names = pa.array([name.encode() for name in self._layout.header], pa.large_binary())
        return gather_bytes(word_records(CellGrid(names, len(names)), _DELIMITER))

    def _word_rows(self) -> Iterator[pa.Array]:
        """Yield the records of rows, stretch by stretch."""
        return (word_records(grid, _DELIMITER) for grid in self._arrange_rows(self._export))

    def _arrange_rows(self, export: Export) -> Iterator[CellGrid]:
        """Yield the rows of an export as the file has them, without its header."""
        grids = islice(self._rows.stream_cells(export), 1, None)
        return (self._arrange(grid) for grid in grids if grid.row_count)

    def _arrange(self, grid: CellGrid) -> CellGrid:
        columns = []
        for place, one in enumerate(self._layout.columns):
            is_verdict = one.source is None  # which is after the list's own cells
            source = len(self._rows.columns) if one.source is None else one.source
            cells = grid.take_column(source)
            if place == 0:
                text = pc.utf8_trim(cells.cast(pa.large_string()), WHITE_SPACE)
                cells = text.cast(pa.large_binary())
            elif is_verdict and self._layout.verdict_prefix:
                parts = (self._layout.verdict_prefix.encode(), b"")
                prefix, between = (pa.scalar(part, pa.large_binary()) for part in parts)
                cells = pc.binary_join_element_wise(prefix, cells, between)
            columns.append(cells)
        width = len(columns)
        by_row = np.arange(grid.row_count * width).reshape(width, -1).T.ravel()
        return CellGrid(pa.concat_arrays(columns).take(pa.array(by_row)), width)


def _divide(sizes: NDArray[np.int64], most_bytes: int, most_rows: int | None) -> Sequence[FilePart]:
    """Return the parts that rows of so many bytes fall into, each within both limits.

    A single row above the limit of bytes has a part of its own.
    """
    ends = np.cumsum(sizes)
    parts: list[FilePart] = []
    first = before = 0
    while first < len(sizes):
        last = int(np.searchsorted(ends, before + most_bytes, side="right"))
        last = min(max(last, first + 1), first + (most_rows or len(sizes)))
        parts.append(FilePart(first, last - first))
        first, before = last, int(ends[last - 1])
    return parts
