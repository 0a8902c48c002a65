"""Files for a mail platform's import: their preview, and their parts where too large."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.lists.exports import Export, FilePart
from winnow.core.lists.platforms import PlatformFile, PlatformPreview
from winnow.lists.result.cell_grid import word_records, write_records
from winnow.lists.result.result_rows import ResultRows

_DELIMITER = ","
_GROWTH_MOST = 4  # of a row: another encoding, quotes around each cell
_VERDICT_MOST_BYTES = 32  # the longest category, its prefix, a comma


def preview_platform(
    rows: ResultRows, export: Export, file: PlatformFile, most: int
) -> PlatformPreview:
    """Return what an export for a platform will be, with so many of its first rows."""
    _, *grids = rows.stream_cells(replace(export, part=FilePart(0, most)))
    shown = tuple(row for grid in grids for row in grid.list_rows())
    of_any = rows.measure(replace(export, platform=None))
    return PlatformPreview(rows.lay_out(file), shown, of_any - rows.measure(export))


def find_parts(rows: ResultRows, export: Export, file: PlatformFile) -> Sequence[FilePart]:
    """Return the files that the platform's limits ask for: one, or none without rows.

    The rows are read through only if need be.
    """
    traits, row_count = file.platform.traits, rows.measure(export)
    size_most = _GROWTH_MOST * rows.stored_bytes + _VERDICT_MOST_BYTES * row_count
    grids = rows.stream_cells(export)
    most_bytes = traits.most_bytes - len(write_records(next(grids), _DELIMITER))
    if size_most <= most_bytes:
        return _divide(np.zeros(row_count, np.int64), 0, traits.most_rows)
    records = (word_records(grid, _DELIMITER) for grid in grids if grid.row_count)
    sizes = (pc.binary_length(some).to_numpy() for some in records)
    sizes_bytes = np.concatenate((np.zeros(0, np.int64), *sizes))
    return _divide(sizes_bytes, most_bytes, traits.most_rows)


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
