"""Rows as a mail platform's import wants them: its columns, under its names."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.lists.exports import FilePart
from winnow.core.lists.platforms import Layout
from winnow.lists.result.cell_grid import CellGrid, gather_bytes, word_records

_DELIMITER = ","
# What str.strip takes away, as in an address that is parsed.
_BLANKS = "".join(sign for sign in map(chr, range(0x3001)) if sign.isspace())


class PlatformRows:
    """Gives cells of a list the form of a file for a platform: CSV in UTF-8 with commas.

    Args:
        layout: Its columns.
        own_width: How many cells of a row are the list's own; the category comes after them.
    """

    def __init__(self, layout: Layout, own_width: int) -> None:
        self._layout = layout
        columns = layout.columns
        self._places = [own_width if one.source is None else one.source for one in columns]
        self._verdict = next((k for k, one in enumerate(columns) if one.source is None), None)

    def word_header(self) -> bytes:
        """Return the header's record."""
        names = pa.array([name.encode() for name in self._layout.header], pa.large_binary())
        return gather_bytes(word_records(CellGrid(names, len(names)), _DELIMITER))

    def word_rows(self, grids: Iterable[CellGrid]) -> Iterator[pa.Array]:
        """Yield the records of rows, stretch by stretch."""
        for grid in grids:
            if grid.row_count:
                yield word_records(self._arrange(grid), _DELIMITER)

    def _arrange(self, grid: CellGrid) -> CellGrid:
        width = len(self._places)
        starts = np.arange(0, len(grid.cells), grid.width)
        cells = grid.cells.take(pa.array(np.add.outer(starts, self._places).ravel()))
        emails = cells.take(pa.array(np.arange(0, len(cells), width)))
        bare = pc.utf8_trim(emails.cast(pa.large_string()), _BLANKS).cast(pa.large_binary())
        cells = _put(cells, bare, 0, width)
        if self._verdict is not None and self._layout.verdict_prefix:
            verdicts = cells.take(pa.array(np.arange(self._verdict, len(cells), width)))
            prefix = pa.scalar(self._layout.verdict_prefix.encode(), pa.large_binary())
            words = pc.binary_join_element_wise(prefix, verdicts, pa.scalar(b"", pa.large_binary()))
            cells = _put(cells, words, self._verdict, width)
        return CellGrid(cells, width)


def _put(cells: pa.Array, column: pa.Array, place: int, width: int) -> pa.Array:
    """Return the cells of rows with one column replaced."""
    wanted = np.arange(len(cells))
    wanted[place::width] = len(cells) + np.arange(len(column))
    return pa.concat_arrays([cells, column]).take(pa.array(wanted))


def measure_records(records: pa.Array) -> NDArray[np.int64]:
    """Return the bytes of each record."""
    sizes: NDArray[np.int64] = pc.binary_length(records).to_numpy(zero_copy_only=False)
    return sizes


def cut_parts(
    sizes: Iterable[NDArray[np.int64]], most_bytes: int, most_rows: int | None
) -> Sequence[FilePart]:
    """Return the parts that rows fall into, each within both limits.

    A single row above the limit of bytes has a part of its own.

    Args:
        sizes: Bytes of each row, stretch by stretch.
        most_bytes: Of one part's rows.
        most_rows: Of one part; None: no limit.
    """
    parts: list[FilePart] = []
    first = done = used = 0  # where the part began, rows looked at, bytes of the part
    for stretch in sizes:
        ends = np.cumsum(stretch)
        place = before = 0  # within the stretch; bytes of it that are spent
        while place < len(stretch):
            room = int(np.searchsorted(ends, before + most_bytes - used, side="right")) - place
            if most_rows is not None:
                room = min(room, most_rows - (done + place - first))
            if room <= 0 and done + place == first:
                room = 1
            room = min(max(room, 0), len(stretch) - place)
            place += room
            spent = int(ends[place - 1]) if place else 0
            used += spent - before
            before = spent
            if place < len(stretch):
                parts.append(FilePart(first, done + place - first))
                first, used = done + place, 0
        done += len(stretch)
    if done > first:
        parts.append(FilePart(first, done - first))
    return parts


def divide(row_count: int, most_rows: int | None) -> Sequence[FilePart]:
    """Return the parts of so many rows with at most so many each; None: one part."""
    most_rows = most_rows or max(row_count, 1)
    starts = range(0, row_count, most_rows)
    return [FilePart(first, min(most_rows, row_count - first)) for first in starts]
