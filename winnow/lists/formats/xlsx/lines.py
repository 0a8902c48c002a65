"""Writer of a sheet's list as plain CSV, from which a run reads it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile
from winnow.lists.execution.run_files import create_file
from winnow.lists.formats.xlsx.cells import CellBlock, Mask, Positions
from winnow.lists.new_workbook import column_letters
from winnow.lists.text.arrow_cells import gather_bytes, quote, read_buffers

MOST_CELLS = 500_000_000  # of Excel's most rows and 476 columns
_BYTES = pa.large_binary()
_NOTHING, _LINE_END = (pa.scalar(text, _BYTES) for text in (b"", b"\n"))
_MARKS = b',"\r\n'


class SheetLines:
    """Takes the rows of a sheet in order; each has at least as many cells as the list has columns.

    Args:
        path: A new file.
        columns: The list's.
        has_header: Whether their names are the first line.
        most_cells: How many cells the list may have, its empty ones too.
    """

    def __init__(
        self,
        path: Path,
        columns: Sequence[str],
        *,
        has_header: bool,
        most_cells: int = MOST_CELLS,
    ) -> None:
        self._file = create_file(path)
        self._least = len(columns)
        self._most_cells = most_cells
        self._row_count = 0
        if has_header:
            names = pa.array([name.encode("utf-8", "replace") for name in columns], _BYTES)
            line = b",".join(quote(names, _MARKS).to_pylist())
            self._file.write((line or b'""') + b"\n")  # else it were a blank line, and no header

    def add(self, block: CellBlock, is_row: Mask, is_shown: Mask, widest: int) -> None:
        """Write rows with those of their cells that are shown.

        ``widest`` is how many cells the list's widest row has so far.

        Raises:
            BrokenFile: The rows take too much room, since one of them reaches far to the right.
        """
        self._row_count += int(np.count_nonzero(is_row))
        if self._row_count * max(widest, self._least) > self._most_cells:
            raise BrokenFile(
                "The list has a cell in column {column}, so that {rows} rows are too wide.",
                column=column_letters(widest - 1).decode(),
                rows=self._row_count,
                hint="Delete what is far right of the list, and upload the workbook again.",
            )
        cells = np.flatnonzero(is_shown & is_row[block.rows])
        rows, columns = block.rows[cells], block.columns[cells]
        before = np.zeros(len(cells), np.int64)
        before[1:] = np.where(rows[1:] == rows[:-1], columns[:-1], 0)
        texts = quote(block.texts.take(pa.array(cells)), _MARKS)
        gaps = _word_commas(columns - before)
        data, starts, ends = read_buffers(pc.binary_join_element_wise(gaps, texts, _NOTHING))
        sizes = np.bincount(rows, ends - starts, block.row_count).astype(np.int64)
        lasts = np.zeros(block.row_count, np.int64)
        lasts[rows] = columns  # the last one of a row is written last
        lines = _slice(data, sizes)
        tails = _word_commas(np.maximum(self._least - 1 - lasts, 0))
        records = pc.binary_join_element_wise(lines, tails, _LINE_END, _NOTHING)
        self._file.write(gather_bytes(records.filter(pa.array(is_row))))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _word_commas(counts: Positions) -> pa.Array:
    distinct, chosen = np.unique(counts, return_inverse=True)
    return pa.array([b"," * count for count in distinct.tolist()], _BYTES).take(pa.array(chosen))


def _slice(data: NDArray[np.uint8], sizes: Positions) -> pa.Array:
    bounds = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=bounds[1:])
    return pa.LargeBinaryArray.from_buffers(
        _BYTES, len(sizes), [None, pa.py_buffer(bounds), pa.py_buffer(data)]
    )
