"""Writes the result, its row index and the counts, block by block."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from backend.files.engine.augment import AugmentedBlock
from backend.files.engine.durable_file import DurableFile
from backend.files.engine.tally import Tally
from backend.files.engine.verdict_table import VerdictTable
from backend.files.rows.row_index import RowIndexWriter, RowText


class ResultWriter:
    """Writes augmented blocks in order: the result, its row index and the counts."""

    def __init__(self, target: Path, above: bytes, folder: Path, table: VerdictTable) -> None:
        """Begin the result with what stands above the list: its BOM, titles."""
        self._file = DurableFile(target)
        self._file.write(np.frombuffer(above, np.uint8))
        self._folder = folder
        self._table = table
        self._index: RowIndexWriter | None = None
        self._loose_bytes = len(above)  # written since the last row
        self.head_bytes = 0
        self.tally = Tally(table.verdicts, len(table.names))

    def write(
        self,
        block: AugmentedBlock,
        verdict_places: NDArray[np.uint16],
        names: NDArray[np.uint32],
        invalid_count: int,
    ) -> None:
        """Write one block; the arrays have one entry a row."""
        self._file.write(np.frombuffer(block.data, np.uint8))
        if not len(block.rows):
            self._loose_bytes += block.loose_bytes
            return
        sizes = block.row_sizes
        if self._index is None:
            self.head_bytes = self._loose_bytes + int(sizes[0]) - block.first_row_bytes
            sizes[0] = block.first_row_bytes
            self._index = RowIndexWriter(self._folder, self.head_bytes)
        else:
            sizes[0] += self._loose_bytes
        self._loose_bytes = block.loose_bytes
        self._index.append(sizes, verdict_places, names)
        self.tally.add(verdict_places, names, invalid_count)

    def finish(self, text: RowText) -> None:
        """Sync the result and complete the index."""
        self._file.sync()
        if self._index is not None:
            self._index.finish(self._table.verdicts, self._table.iterate_names(), text)

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        if self._index is not None:
            self._index.close()
