"""Row numbers of a result's rows in the original list, as a spreadsheet shows them.

Every row of the file counts: titles, the header, blank ones, removed duplicates. A row
whose cells hold line breaks is one. ``rows.gaps`` says it in pairs of u32: rows of the file that
are left out, and how many follow of those that stayed. No number in it grows with the list, and a
list that keeps all its rows takes a few pairs.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

GAPS = "rows.gaps"
PAIR_BYTES = 8


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


@dataclass(frozen=True, slots=True)
class RowNumbers:
    """Runs of rows that follow one another in the file.

    ``rows`` are the results' rows, from 0, that runs begin with; ``numbers`` their numbers in the
    file, from 1.
    """

    rows: NDArray[np.int64]
    numbers: NDArray[np.int64]
    row_count: int

    @classmethod
    def open(cls, folder: Path, row_count: int) -> "RowNumbers | None":
        """Read a result's numbers; None for one made before they were kept."""
        try:
            pairs = np.fromfile(folder / GAPS, "<u4").reshape(-1, 2).astype(np.int64)
        except FileNotFoundError:
            return None
        ends = np.cumsum(pairs[:, 1])
        numbers = np.cumsum(pairs.sum(axis=1)) - pairs[:, 1] + 1
        is_run = pairs[:, 1] > 0
        return cls((ends - pairs[:, 1])[is_run], numbers[is_run], row_count)

    def tell(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of rows of the result, which count from 0."""
        runs = np.searchsorted(self.rows, rows, side="right") - 1
        told: NDArray[np.int64] = self.numbers[runs] + rows - self.rows[runs]
        return told

    def find(self, number: int) -> int | None:
        """Return the row, from 0, that has a number; None where the result has no such row."""
        run = int(np.searchsorted(self.numbers, number, side="right")) - 1
        if run < 0:
            return None
        end = int(self.rows[run + 1]) if run + 1 < len(self.rows) else self.row_count
        row = int(self.rows[run]) + number - int(self.numbers[run])
        return row if row < end else None

    @property
    def last(self) -> int:
        """The number of the result's last row."""
        return int(self.numbers[-1] + self.row_count - 1 - self.rows[-1]) if self.row_count else 0


def tell_number(numbers: RowNumbers | None, row: int) -> int:
    """Return the number of one row, from 0, for people; of an old result that in the result."""
    return row + 1 if numbers is None else int(numbers.tell(np.array([row]))[0])
