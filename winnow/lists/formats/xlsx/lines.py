"""Rows of a sheet as lines of CSV in a temporary file, written while the sheet is scanned."""

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.lists.execution.run_files import create_file
from winnow.lists.formats.xlsx.cells import CellBlock, Mask, Positions
from winnow.lists.result.row_text import expand_runs, word_run
from winnow.lists.text.arrow_cells import quote, read_buffers

_BYTES = pa.large_binary()
_NOTHING, _COMMA, _LINE_END = (pa.scalar(text, _BYTES) for text in (b"", b",", b"\n"))
_MARKS = b',"\r\n'


class SheetLines:
    """Takes the rows of a sheet in order, and gives some of them back as CSV records.

    Runs of empty cells are written as in ``row_index``.

    Args:
        path: The temporary file, removed with the context.
        email_column: Whose cells may be replaced when the rows are read back, from 0.
    """

    def __init__(self, path: Path, email_column: int) -> None:
        self._path = path
        self._email_column = email_column
        self._file = create_file(path)
        self._blocks: list[tuple[NDArray[np.uint32], NDArray[np.uint16]]] = []  # sizes, last cells

    def add(self, block: CellBlock, is_wanted: Mask) -> None:
        """Take rows with those of their cells that are wanted and have text."""
        cells = np.flatnonzero(is_wanted)
        rows, columns = block.rows[cells], block.columns[cells]
        before = np.zeros(len(cells), np.int64)
        before[1:] = np.where(rows[1:] == rows[:-1], columns[:-1], 0)
        gaps = _word_runs(columns - before)
        texts = quote(block.texts.take(pa.array(cells)), _MARKS)
        data, starts, ends = read_buffers(pc.binary_join_element_wise(gaps, texts, _NOTHING))
        self._file.write(data[: ends[-1]].data if len(cells) else b"")
        sizes = np.bincount(rows, ends - starts, block.row_count).astype(np.uint32)
        lasts = np.zeros(block.row_count, np.uint16)
        lasts[rows] = columns  # the last one of a row is written last
        self._blocks.append((sizes, lasts))

    def read(
        self,
        is_out: Mask,
        width: int,
        replaced: Mapping[int, str] | None = None,
        appended: pa.Array | None = None,
    ) -> Iterator[tuple[bytes, NDArray[np.uint32]]]:
        """Yield records, some at a time, and their sizes; afterwards no row can be taken.

        Args:
            is_out: For every row taken, in order, whether it is wanted.
            width: How many cells each record has, its runs expanded.
            replaced: Other texts for the email cells of rows, by their places in this order.
            appended: A cell more for each wanted row, as CSV has it.
        """
        self._file.close()
        first = done = 0
        with self._path.open("rb") as file:
            for sizes, lasts in self._blocks:
                lines = _slice(file.read(int(sizes.sum(dtype=np.int64))), sizes)
                kept = np.flatnonzero(is_out[first : first + len(sizes)])
                lines = lines.take(pa.array(kept))
                if replaced:
                    lines = self._replace(lines, (kept + first).tolist(), replaced)
                pieces = [lines, _word_runs(width - 1 - lasts[kept].astype(np.int64))]
                if width == 1:
                    is_empty = pc.equal(pc.binary_length(lines), 0)
                    pieces[0] = pc.if_else(is_empty, pa.scalar(b'""', _BYTES), lines)
                if appended is not None:
                    pieces += (_COMMA, appended.slice(done, len(kept)))
                if len(kept):
                    records = pc.binary_join_element_wise(*pieces, _LINE_END, _NOTHING)
                    data, starts, ends = read_buffers(records)
                    yield data[: ends[-1]].tobytes(), (ends - starts).astype(np.uint32)
                first += len(sizes)
                done += len(kept)

    def _replace(self, lines: pa.Array, places: list[int], replaced: Mapping[int, str]) -> pa.Array:
        """Return lines with another text in the email cells of some, where they have one."""
        found = {at: replaced[place] for at, place in enumerate(places) if place in replaced}
        is_found = np.zeros(len(lines), np.bool_)
        is_found[list(found)] = True
        words: list[bytes] = []
        for at, email in found.items():
            whole = expand_runs(lines[at].as_py(), b",").decode()
            (cells,) = csv.reader(io.StringIO(whole, newline=""), strict=True)
            if self._email_column < len(cells) and cells[self._email_column]:
                cells[self._email_column] = email
            words.append(_write_line(cells))
        return pc.replace_with_mask(lines, pa.array(is_found), pa.array(words, _BYTES))

    def __enter__(self) -> "SheetLines":
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the file."""
        self._file.close()
        self._path.unlink(missing_ok=True)


def quote_cells(texts: pa.Array) -> pa.Array:
    """Return texts as cells of CSV."""
    return quote(texts, _MARKS)


def _word_runs(counts: Positions) -> pa.Array:
    """Return runs of so many commas; see ``row_index``."""
    distinct, chosen = np.unique(counts, return_inverse=True)
    words = [word_run(count, b",") for count in distinct.tolist()]
    return pa.array(words, _BYTES).take(pa.array(chosen))


def _slice(data: bytes, sizes: NDArray[np.uint32]) -> pa.Array:
    bounds = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=bounds[1:])
    return pa.LargeBinaryArray.from_buffers(
        _BYTES, len(sizes), [None, pa.py_buffer(bounds), pa.py_buffer(data)]
    )


def _write_line(cells: list[str]) -> bytes:
    """Return cells as a line without its end, and without the empty cells at its end."""
    words = quote_cells(pa.array([cell.encode("utf-8", "replace") for cell in cells], _BYTES))
    line, last = b"", 0
    for column, word in enumerate(words.to_pylist()):
        if word:
            line += word_run(column - last, b",") + word
            last = column
    return line
