"""Notice of the rows of a text list that have more or fewer cells than it has columns."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.tasks.task import Notice
from winnow.lists.execution.blocks import find_lines
from winnow.words import mark

SHOWN = 100  # lines that the notice lists


class RaggedRows:
    """Counts rows of another width, and notes where the first of them begin in the file."""

    def __init__(self) -> None:
        self._count = 0
        self._positions: list[int] = []

    def add(self, positions: NDArray[np.int64], count: int) -> None:
        """Take in some; only the first SHOWN of their positions are needed."""
        self._count += count
        self._positions += positions[: SHOWN - len(self._positions)].tolist()

    def word(self, path: Path, width: int, widest: int) -> tuple[Notice, ...]:
        """Return the notice, if there are any; ``path`` is the file that was read."""
        if not self._count:
            return ()
        text = mark(
            "Rows with more or fewer cells than the {width:d} columns: all rows were padded with "
            "empty cells to {most:d} columns.",
            width=width,
            most=widest,
        )
        return (Notice("ragged_rows", text, tuple(find_lines(path, self._positions)), self._count),)
