"""Writes the result, its row index and the counts, block by block."""

import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from backend.files.engine.augment import AugmentedBlock
from backend.files.engine.tally import Tally
from backend.files.engine.verdict_table import VerdictTable
from backend.files.rows.row_index import RowIndexWriter, RowText

_BYTES_BETWEEN_SYNCS = 64 << 20
_WRITES_PENDING = 1


class _SyncedFile:
    """A file written by a thread of its own, and on its way to the disk meanwhile.

    Otherwise the disk idles until the last byte, and everybody waits for it then. An OSError of
    either shows at the next call.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=0)
        self._writer = ThreadPoolExecutor(1)
        self._syncer = ThreadPoolExecutor(1)
        self._writing: deque[Future[None]] = deque()
        self._syncing: Future[None] | None = None
        self._unsynced_bytes = 0

    def write(self, data: memoryview) -> None:
        """Write all of it soon; the data must not change any more."""
        self._writing.append(self._writer.submit(self._write, data))
        if len(self._writing) > _WRITES_PENDING:
            self._writing.popleft().result()

    def sync(self) -> None:
        """Wait until every byte is on the disk.

        Raises:
            OSError: The disk failed, now or since the last call.
        """
        while self._writing:
            self._writing.popleft().result()
        if self._syncing is not None:
            self._syncing.result()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """End the threads and close the file."""
        self._writer.shutdown(cancel_futures=True)
        self._syncer.shutdown(cancel_futures=True)
        self._file.close()

    def _write(self, data: memoryview) -> None:
        self._unsynced_bytes += len(data)
        while len(data):
            data = data[self._file.write(data) or 0 :]
        if self._unsynced_bytes >= _BYTES_BETWEEN_SYNCS and (
            self._syncing is None or self._syncing.done()
        ):
            if self._syncing is not None:
                self._syncing.result()
            self._unsynced_bytes = 0
            self._syncing = self._syncer.submit(os.fsync, self._file.fileno())


class ResultWriter:
    """Writes augmented blocks in order: the result, its row index and the counts."""

    def __init__(self, target: Path, bom: bytes, folder: Path, table: VerdictTable) -> None:
        self._file = _SyncedFile(target)
        self._file.write(memoryview(bom))
        self._folder = folder
        self._table = table
        self._index: RowIndexWriter | None = None
        self._loose_bytes = len(bom)  # written since the last row
        self.head_bytes = 0
        self.tally = Tally(table.verdicts, len(table.names))

    def write(
        self, block: AugmentedBlock, verdict_places: NDArray[np.uint16], codes: NDArray[np.uint32]
    ) -> None:
        """Write one block; the arrays have one entry a row (no blank lines, no header)."""
        self._file.write(memoryview(block.data))
        ends = np.cumsum(block.sizes)
        row_ends = ends[block.is_row]
        total = int(ends[-1]) if len(ends) else 0
        if not len(row_ends):
            self._loose_bytes += total
            return
        sizes = np.diff(row_ends, prepend=0)
        if self._index is None:
            first = int(np.argmax(block.is_row))
            own = int(block.sizes[first])
            self.head_bytes = self._loose_bytes + int(sizes[0]) - own
            sizes[0] = own
            self._index = RowIndexWriter(self._folder, self.head_bytes)
        else:
            sizes[0] += self._loose_bytes
        self._loose_bytes = total - int(row_ends[-1])
        names = self._table.name_codes[codes]
        self._index.append(sizes.astype(np.uint32), verdict_places, names)
        invalid = int(np.count_nonzero(self._table.spellings.faults[codes]))
        self.tally.add(verdict_places, names, invalid)

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
