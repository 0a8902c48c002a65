"""Writes the result, its row index and the counts, block by block."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.lists.engine.augment import AugmentedBlock
from winnow.lists.engine.row_counts import Tally
from winnow.lists.engine.verdict_table import VerdictTable
from winnow.lists.execution.durable_file import DurableFile
from winnow.lists.result.row_index import (
    ORIGINAL_SIZES,
    ORIGINAL_STARTS,
    RowIndexWriter,
    RowPlacesWriter,
    RowText,
)


class _RowFile:
    """A file of augmented blocks that knows how many bytes each row has.

    ``head_bytes`` is what stands before the first row, once that is written.
    """

    def __init__(self, target: Path, above: bytes) -> None:
        self.file = DurableFile(target)
        self.file.write(np.frombuffer(above, np.uint8))
        self._loose_bytes = len(above)  # written since the last row
        self._has_rows = False
        self.head_bytes = 0

    def write(self, block: AugmentedBlock) -> NDArray[np.uint32]:
        """Write a block; return its rows' bytes, each with the other lines before it."""
        self.file.write(np.frombuffer(block.data, np.uint8))
        sizes = block.row_sizes
        if not len(sizes):
            self._loose_bytes += block.loose_bytes
            return sizes
        if not self._has_rows:
            self._has_rows = True
            self.head_bytes = self._loose_bytes + int(sizes[0]) - block.first_row_bytes
            sizes[0] = block.first_row_bytes
        else:
            sizes[0] += self._loose_bytes
        self._loose_bytes = block.loose_bytes
        return sizes


class ResultWriter:
    """Writes augmented blocks in order: the result, its row index and the counts."""

    def __init__(self, target: Path, above: bytes, folder: Path, table: VerdictTable) -> None:
        """Begin the result with what stands above the list: its BOM, titles."""
        self._text = _RowFile(target, above)
        self._folder = folder
        self._table = table
        self._index: RowIndexWriter | None = None
        self.tally = Tally(table.verdicts, len(table.names))

    @property
    def head_bytes(self) -> int:
        """What stands before the first row, once that is written."""
        return self._text.head_bytes

    def write(
        self,
        block: AugmentedBlock,
        verdict_places: NDArray[np.uint16],
        names: NDArray[np.uint32],
        invalid_count: int,
    ) -> None:
        """Write one block; the arrays have one entry a row."""
        sizes = self._text.write(block)
        if not len(sizes):
            return
        if self._index is None:
            self._index = RowIndexWriter(self._folder, self.head_bytes)
        self._index.append(sizes, verdict_places, names)
        self.tally.add(verdict_places, names, invalid_count)

    def finish(self, text: RowText, original: RowText | None = None) -> None:
        """Sync the result and complete the index; ``original`` as for ``RowIndexWriter``."""
        self._text.file.sync()
        if self._index is not None:
            names = self._table.iterate_names()
            self._index.finish(self._table.verdicts, names, text, original)

    def close(self) -> None:
        """Close the files."""
        self._text.file.close()
        if self._index is not None:
            self._index.close()


class OriginalWriter:
    """Writes the same blocks in the bytes the list came in, and where its rows stand there."""

    def __init__(self, target: Path, above: bytes, folder: Path) -> None:
        self._text = _RowFile(target, above)
        self._folder = folder
        self._places: RowPlacesWriter | None = None

    @property
    def head_bytes(self) -> int:
        """What stands before the first row, once that is written."""
        return self._text.head_bytes

    def write(self, block: AugmentedBlock) -> None:
        """Write one block."""
        sizes = self._text.write(block)
        if not len(sizes):
            return
        if self._places is None:
            sizes_path, starts_path = self._folder / ORIGINAL_SIZES, self._folder / ORIGINAL_STARTS
            self._places = RowPlacesWriter(sizes_path, starts_path, self.head_bytes)
        self._places.append(sizes)

    def finish(self) -> None:
        """Sync everything."""
        self._text.file.sync()
        if self._places is not None:
            self._places.finish()

    def close(self) -> None:
        """Close the files."""
        self._text.file.close()
        if self._places is not None:
            self._places.close()
