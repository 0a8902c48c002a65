"""Writer of a result's row index (``result/row_text.py``) while its rows are written."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.verdicts.verdict import Verdict
from winnow.lists.execution.run_files import create_durably, create_file, sync
from winnow.lists.result.row_index import (
    DOMAINS,
    GAPS,
    META,
    NAMES,
    ROWS_PER_START,
    SIZES,
    STARTS,
    VERDICTS,
    find_gaps,
)
from winnow.lists.result.row_text import RowText

NO_ROWS: NDArray[np.integer] = np.empty(0, np.int64)


class RowIndexWriter:
    """Writes the index by blocks of rows; nothing is readable before ``finish``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._row_count = self._position = 0
        names = SIZES, STARTS, VERDICTS, DOMAINS, GAPS
        self._files = {name: create_file(folder / name) for name in names}

    def append_numbers(self, row_count: int, kept: NDArray[np.integer] = NO_ROWS) -> None:
        """Add a stretch of the list's own file; arguments are as for ``find_gaps``."""
        self._files[GAPS].write(find_gaps(row_count, kept).tobytes())

    def append(
        self,
        sizes: NDArray[np.uint32],
        verdict_codes: NDArray[np.uint16],
        domain_codes: NDArray[np.uint32],
        head_bytes: int = 0,
    ) -> None:
        """Add rows that follow one another in the text file without a gap.

        ``head_bytes`` are before the first row of all.
        """
        position = self._position if self._row_count else head_bytes
        ends = np.cumsum(sizes, dtype=np.uint64) + np.uint64(position)
        first = -self._row_count % ROWS_PER_START
        starts = (ends - sizes)[first::ROWS_PER_START]
        for name, column, kind in (
            (SIZES, sizes, "<u4"),
            (STARTS, starts, "<u8"),
            (VERDICTS, verdict_codes, "<u2"),
            (DOMAINS, domain_codes, "<u4"),
        ):
            self._files[name].write(np.ascontiguousarray(column, kind).data)
        self._row_count += len(sizes)
        if len(sizes):
            self._position = int(ends[-1])

    def finish(
        self,
        verdicts: Sequence[Verdict],
        names: Iterable[pl.Series],
        text: RowText,
    ) -> None:
        """Write the tables and the meta file, sync everything and close.

        ``names`` are the domains by code from 1 on, in stretches.
        """
        with create_durably(self._folder / NAMES) as file:
            file.write(b"\n")
            for some in names:
                file.write((some + "\n").str.join("").item().encode())
        for one in self._files.values():
            sync(one)
        self.close()
        meta = {
            "format": 1,
            "rows": self._row_count,
            "text": asdict(text),
            "verdicts": [verdict.to_json() for verdict in verdicts],
        }
        with create_durably(self._folder / META) as file:
            file.write(json.dumps(meta).encode())

    def close(self) -> None:
        """Close the files; an unfinished index stays unreadable."""
        for file in self._files.values():
            file.close()
