"""Lines of a text list that a notice names: rows of uneven width."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.tasks.task import Notice
from winnow.lists.execution.blocks import find_lines
from winnow.words import mark


class OddLines:
    """Counts lines of one kind, and notes where the first of them begin in the file."""

    SHOWN = 100  # lines that a notice lists

    def __init__(self, code: str) -> None:
        self._code = code
        self.count = 0
        self._positions: list[int] = []

    def add(self, positions: NDArray[np.int64], count: int | None = None) -> None:
        """Take in some; of ``count`` only the first SHOWN positions are needed."""
        self.count += len(positions) if count is None else count
        self._positions += positions[: self.SHOWN - len(self._positions)].tolist()

    def tell(self, text: str, path: Path) -> tuple[Notice, ...]:
        """Return the notice, if there are any; ``path`` is the file that was read."""
        if not self.count:
            return ()
        lines = tuple(find_lines(path, self._positions))
        return (Notice(self._code, text, lines, self.count),)


def word_ragged(width: int, widest: int) -> str:
    """Return the notice of rows with more or fewer cells than columns."""
    if widest > width:
        return mark(
            "Rows with more or fewer cells than the {width:d} columns: all rows were padded with "
            "empty cells to {most:d} columns.",
            width=width,
            most=widest,
        )
    return mark(
        "Rows with more or fewer cells than the {width:d} columns: they were padded with empty "
        "cells.",
        width=width,
    )
