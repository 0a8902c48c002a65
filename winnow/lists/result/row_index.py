"""Row index of a finished result: flat files, read by runs of rows.

These files are next to the result, in output order and little-endian:

    rows.json      the text file the index points into, its dialect, the distinct verdicts
    rows.sizes     u32 a row: bytes of the blank lines before it, the row and its line end
    rows.starts    u64 for every 4096th row: where it starts in the text file
    rows.verdicts  u16 a row: place in the list of verdicts
    rows.domains   u32 a row: line in rows.names; 0 is "no usable domain"
    rows.gaps      the rows' numbers in the list's file (``RowNumbers``); none in old results
    rows.names     the domains, one a line, lower-case A-labels; the first line is empty
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.verdicts.verdict import Verdict
from winnow.lists.result.row_text import RowText

ROWS_PER_START = 4096
META, NAMES, GAPS = "rows.json", "rows.names", "rows.gaps"
SIZES, STARTS, VERDICTS, DOMAINS = "rows.sizes", "rows.starts", "rows.verdicts", "rows.domains"
ROWS_PER_RUN = 1 << 16
_CELLS_PER_RUN = ROWS_PER_RUN * 64  # some 40 bytes each in a download of another form
_NAMES_CHUNK_BYTES = 1 << 22

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RowIndex:
    """One finished project's index. Rows count from 0 here."""

    folder: Path
    text: RowText
    row_count: int
    verdicts: tuple[Verdict, ...]

    @classmethod
    def open(cls, folder: Path) -> "RowIndex":
        """Read the meta file.

        Raises:
            FileNotFoundError: There is no finished index in the folder.
        """
        meta = json.loads((folder / META).read_bytes())
        verdicts = tuple(Verdict.from_json(values) for values in meta["verdicts"])
        text = RowText.from_json(meta["text"])
        return cls(folder, text, meta["rows"], verdicts)

    @property
    def text_path(self) -> Path:
        """The file that holds the rows' bytes."""
        return self.folder / self.text.file_name

    def verdict_indices(self, start: int, count: int) -> NDArray[np.uint16]:
        """Return the rows' indices in ``verdicts``."""
        return np.fromfile(self.folder / VERDICTS, "<u2", count, offset=2 * start)

    def domain_codes(self, start: int, count: int) -> NDArray[np.uint32]:
        """Return the rows' lines in the file of names."""
        return np.fromfile(self.folder / DOMAINS, "<u4", count, offset=4 * start)

    def bounds(self, start: int, count: int) -> NDArray[np.int64]:
        """Return where each row starts in the text file, and where the last one ends."""
        block = start // ROWS_PER_START
        first = block * ROWS_PER_START
        base = np.fromfile(self.folder / STARTS, "<u8", 1, offset=8 * block)
        sizes = np.fromfile(self.folder / SIZES, "<u4", start - first + count, offset=4 * first)
        ends = np.cumsum(sizes, dtype=np.int64) + int(base[0])
        return np.concatenate(([int(base[0])], ends))[start - first :]

    def read_rows(self, start: int, count: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return the bytes of rows, and where in them each starts and the last one ends."""
        bounds = self.bounds(start, count)
        first = int(bounds[0])
        size = int(bounds[-1]) - first
        return np.fromfile(self.text_path, np.uint8, size, offset=first), bounds - first

    def iterate_runs(self, width: int = 1) -> Iterator[tuple[int, int]]:
        """Yield start and count of stretches of rows; of very wide ones, taken apart, less."""
        step = max(1, min(ROWS_PER_RUN, _CELLS_PER_RUN // max(1, width)))
        for start in range(0, self.row_count, step):
            yield start, min(step, self.row_count - start)

    def name_domains(self, codes: Iterable[int]) -> list[str]:
        """Return the domains of codes, in their order; ``""`` for 0."""
        wanted = np.array(list(codes), np.int64)
        found, first = {0: ""}, 1
        for names in self.read_names():
            here = np.unique(wanted[(wanted >= first) & (wanted < first + len(names))])
            picked = names.gather(pl.Series(here - first, dtype=pl.UInt32))
            found.update(zip(here.tolist(), picked, strict=True))
            first += len(names)
        return [found[code] for code in wanted.tolist()]

    def find_domains(self, wanted: Iterable[str], ending: str | None = None) -> list[int]:
        """Return the codes of whole domains, lower-case A-labels; those of no row are left out.

        With ``ending`` also those of all that end in it.
        """
        texts, found, first = pl.Series(list(wanted), dtype=pl.String).implode(), [], 1
        for names in self.read_names():
            is_wanted = names.is_in(texts)
            if ending is not None:
                is_wanted |= names.str.ends_with(ending)
            found += (is_wanted.arg_true() + first).to_list()
            first += len(names)
        return found

    def read_names(self) -> Iterator[pl.Series]:
        """Yield the domains by code, from 1 on, a stretch at a time."""
        with (self.folder / NAMES).open("rb") as file:
            file.readline()
            while chunk := file.read(_NAMES_CHUNK_BYTES):
                chunk += file.readline()
                data = np.frombuffer(chunk, np.uint8)
                ends = np.flatnonzero(data == ord("\n"))
                offsets = np.concatenate(([0], ends + 1))
                names = pa.LargeStringArray.from_buffers(
                    len(ends), pa.py_buffer(offsets), pa.py_buffer(chunk)
                )
                yield pl.Series("name", pl.from_arrow(names)).str.strip_chars_end("\n")


@dataclass(frozen=True, slots=True)
class RowNumbers:
    """Row numbers in the list's file, as a spreadsheet shows them, by runs of following rows.

    Every row of the file counts: titles, the header, blank ones, removed duplicates; a row whose
    cells hold line breaks is one. ``rows`` are the result's rows, from 0, that runs begin with;
    ``numbers`` their numbers in the file, from 1. ``is_known`` is false for an old result, where
    the numbers are those in the result.
    """

    rows: NDArray[np.int64]
    numbers: NDArray[np.int64]
    is_known: bool = True

    @classmethod
    def open(cls, folder: Path) -> "RowNumbers":
        """Read a result's numbers from ``rows.gaps``; of an old result those in the result.

        It has pairs of u32: rows of the file that are left out, and how many follow of those that
        stayed.
        """
        try:
            pairs = np.fromfile(folder / GAPS, "<u4").reshape(-1, 2).astype(np.int64)
        except FileNotFoundError:
            return cls(np.array([0]), np.array([1]), is_known=False)
        ends = np.cumsum(pairs[:, 1])
        numbers = np.cumsum(pairs.sum(axis=1)) - pairs[:, 1] + 1
        is_run = pairs[:, 1] > 0
        return cls((ends - pairs[:, 1])[is_run], numbers[is_run])

    def number_rows(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of rows of the result, which count from 0."""
        runs = np.searchsorted(self.rows, rows, side="right") - 1
        found: NDArray[np.int64] = self.numbers[runs] + rows - self.rows[runs]
        return found


def find_gaps(row_count: int, kept: NDArray[np.integer]) -> NDArray[np.uint32]:
    """Return the pairs of a stretch of a file.

    Args:
        row_count: How many rows of the file it holds, fewer than 2**32.
        kept: Which of them, from 0 and rising, are rows of the result.
    """
    before = np.diff(kept, prepend=-1) - 1
    is_first = before > 0
    is_first[:1] = True
    first = np.flatnonzero(is_first)
    pairs = np.column_stack((before[first], np.diff(first, append=len(kept))))
    left_out = row_count - 1 - int(kept[-1]) if len(kept) else row_count
    if left_out:
        pairs = np.vstack((pairs, (left_out, 0)))
    return pairs.astype("<u4")
