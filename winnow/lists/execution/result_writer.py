"""Writer of the result, its row index and the counts, block by block."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.lists.engine.augment import AugmentedBlock
from winnow.lists.engine.row_counts import RowCounter
from winnow.lists.engine.verdict_table import VerdictTable
from winnow.lists.execution.durable_file import DurableFile
from winnow.lists.execution.row_index_writer import RowIndexWriter, RowNumbersWriter
from winnow.lists.result.row_index import RowText


class _RowFile:
    """A file of augmented blocks with the size in bytes of each row."""

    def __init__(self, folder: Path, form: RowText, above: bytes) -> None:
        self.file = DurableFile(folder / form.file_name)
        self.file.write(np.frombuffer(above, np.uint8))
        self._loose_bytes = len(above)  # written since the last row
        self._has_rows = False
        self.form = form  # its ``head_bytes`` are right once the first row is written

    def write(self, block: AugmentedBlock) -> NDArray[np.uint32]:
        """Write a block; return its rows' bytes, each with the other lines before it."""
        self.file.write(np.frombuffer(block.data, np.uint8))
        sizes = block.row_sizes
        if not len(sizes):
            self._loose_bytes += block.loose_bytes
            return sizes
        if not self._has_rows:
            self._has_rows = True
            head_bytes = self._loose_bytes + int(sizes[0]) - block.first_row_bytes
            self.form = replace(self.form, head_bytes=head_bytes)
            sizes[0] = block.first_row_bytes
        else:
            sizes[0] += self._loose_bytes
        self._loose_bytes = block.loose_bytes
        return sizes


class ResultWriter:
    """Writes augmented blocks in order: the result, its row index and the counts."""

    def __init__(
        self,
        folder: Path,
        table: VerdictTable,
        form: RowText,
        above: bytes,
        *,
        rows_above: int = 0,
    ) -> None:
        """Begin a result.

        Args:
            folder: Where its files are written.
            table: What the rows' codes mean.
            form: The file that the row index points into: the result, or what it is made of.
            above: What is above the list there: its BOM, titles.
            rows_above: How many rows of the file are above the list.
        """
        self._folder = folder
        self._table = table
        self._text = _RowFile(folder, form, above)
        self._index: RowIndexWriter | None = None
        self._numbers = RowNumbersWriter(folder)
        self._numbers.append(rows_above)
        self.row_counter = RowCounter(table.verdicts, len(table.names))

    def __enter__(self) -> "ResultWriter":
        return self

    def __exit__(self, *_: object) -> None:
        """Close the files."""
        self._text.file.close()
        self._numbers.close()
        if self._index is not None:
            self._index.close()

    def write(
        self,
        text: AugmentedBlock,
        verdict_places: NDArray[np.uint16],
        names: NDArray[np.uint32],
        invalid_count: int,
        record_count: int,
    ) -> None:
        """Write one block.

        The arrays have one entry a row. ``record_count`` counts what the block held of the file,
        blank lines and duplicates among them.
        """
        self._numbers.append(record_count, text.rows)
        sizes = self._text.write(text)
        if len(sizes):
            if self._index is None:
                self._index = RowIndexWriter(self._folder, self._text.form.head_bytes)
            self._index.append(sizes, verdict_places, names)
            self.row_counter.add(verdict_places, names, invalid_count)

    def finish(self) -> None:
        """Sync the result and complete the index."""
        self._text.file.sync()
        self._numbers.finish()
        if self._index is not None:
            names = self._table.names.in_series()
            self._index.finish(self._table.verdicts, names, self._text.form)
