"""Notices of a run about a text list: rows of uneven width, lines that are no rows."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.figures import count_things
from winnow.core.tasks.task import InputPlan, Notice
from winnow.lists.engine.row_codes import BLANK_LINE, FIRST_FAULT
from winnow.lists.execution.blocks import find_lines
from winnow.lists.execution.row_store import RowColumns
from winnow.words import mark


class RaggedRows:
    """Counts rows, and notes those that have more or fewer cells than there are columns."""

    SHOWN = 100  # lines that a notice lists

    def __init__(self, plan: InputPlan) -> None:
        self._width = len(plan.columns)
        self.widest = self._width
        self.row_count = 0
        self._count = 0
        self._positions: list[int] = []

    def add(self, rows: RowColumns, odd_positions: NDArray[np.int64], odd_count: int) -> None:
        """Take in one block; ``odd_positions`` are where the first odd rows start in the file."""
        self.row_count += int(np.count_nonzero(rows.codes >= FIRST_FAULT))
        if odd_count:
            widths = rows.widths[rows.codes != BLANK_LINE]
            self.widest = max(self.widest, int(widths.max()))
            self._count += odd_count
            self._positions += odd_positions[: self.SHOWN - len(self._positions)].tolist()

    def notices(self, path: Path) -> tuple[Notice, ...]:
        """Return the notice, if there is anything to say; ``path`` is the file that was read."""
        if not self._count:
            return ()
        lines = tuple(find_lines(path, self._positions))
        return tell_ragged(self._width, self.widest, self._count, lines)


class PassedLines:
    """Counts the lines that are no rows of the list and pass through, and notes the first."""

    def __init__(self) -> None:
        self._count = 0
        self._positions: list[int] = []

    def add(self, positions: NDArray[np.int64]) -> None:
        """Take in one block; ``positions`` are where such lines start in the file."""
        self._count += len(positions)
        self._positions += positions[: RaggedRows.SHOWN - len(self._positions)].tolist()

    def notices(self, path: Path) -> tuple[Notice, ...]:
        """Return the notice, if there is anything to say; ``path`` is the file that was read."""
        if not self._count:
            return ()
        return tell_loose(self._count, tuple(find_lines(path, self._positions)))


class RemovedRaggedRows:
    """Counts the duplicates that were removed though their width is odd, and notes the first."""

    def __init__(self, plan: InputPlan) -> None:
        self._width = len(plan.columns)
        self._count = 0
        self._positions: list[int] = []

    def add(self, offset: int, rows: RowColumns, is_kept: NDArray[np.bool_]) -> None:
        """Take in a block of the second pass, which starts at ``offset`` in the file."""
        is_odd = (rows.widths != self._width) & (rows.codes >= FIRST_FAULT) & ~is_kept
        found = np.flatnonzero(is_odd)
        self._count += len(found)
        wanted = found[: RaggedRows.SHOWN - len(self._positions)]
        if len(wanted):
            ends = np.cumsum(rows.sizes, dtype=np.int64)
            self._positions += (ends[wanted] - rows.sizes[wanted] + offset).tolist()

    def notices(self, path: Path) -> tuple[Notice, ...]:
        """Return the notice, if there is anything to say; ``path`` is the file that was read."""
        if not self._count:
            return ()
        lines = tuple(find_lines(path, self._positions))
        return tell_removed_ragged(self._width, self._count, lines)


def tell_ragged(
    width: int, widest: int, count: int, lines: tuple[int, ...] = ()
) -> tuple[Notice, ...]:
    """Return the notice of rows with more or fewer cells than columns, if there are any."""
    if not count:
        return ()
    text = mark(
        f"Rows with more or fewer cells than the {width} columns: they were padded with empty "
        "cells."
    )
    if widest > width:
        text = mark(
            f"Rows with more or fewer cells than the {width} columns: all rows were padded with "
            f"empty cells to {widest} columns."
        )
    return (Notice("ragged_rows", text, lines, count),)


def tell_loose(count: int, lines: tuple[int, ...] = ()) -> tuple[Notice, ...]:
    """Return the notice of lines that are no rows, if there are any."""
    if not count:
        return ()
    text = mark(
        "Comments, repeated headers and totals are not rows of the list: they are returned "
        "unchanged and not counted."
    )
    return (Notice("loose_lines", text, lines, count),)


def tell_removed_ragged(width: int, count: int, lines: tuple[int, ...] = ()) -> tuple[Notice, ...]:
    """Return the notice of removed duplicates of an odd width, if there are any."""
    if not count:
        return ()
    text = mark(
        f"{count_things(count, 'row')} of another number of cells than the "
        f"{width} columns were removed as duplicates. Look at these lines: "
        "the address may stand in another cell there."
    )
    return (Notice("ragged_duplicates", text, lines, count),)
