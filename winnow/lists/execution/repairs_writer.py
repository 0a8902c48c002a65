"""Writer and counter of repairs (``result/repairs.py``) while the result is written."""

from dataclasses import replace
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.tasks.task import Summary
from winnow.lists.engine.repairer import KINDS, RepairedCells
from winnow.lists.execution.repair_store import to_batch
from winnow.lists.execution.run_files import create_file, sync
from winnow.lists.result.repairs import REPAIRS_NAME, REPAIRS_SCHEMA


class RepairsWriter:
    """Takes the repairs of rows that stay, block by block; the context's end syncs the file."""

    def __init__(self, folder: Path) -> None:
        self._file = create_file(folder / REPAIRS_NAME)
        self._writer = pa.ipc.new_file(self._file, REPAIRS_SCHEMA)
        self._counts = np.zeros(len(KINDS), np.int64)
        self._row_count = self._gone_count = 0

    def append(self, repaired: RepairedCells, rows: NDArray[np.int64]) -> None:
        """Add a block.

        Args:
            repaired: Of the block as it came.
            rows: Positions in it of the result's rows, rising.
        """
        places = np.searchsorted(rows, repaired.rows)
        is_there = rows.take(places, mode="clip") == repaired.rows if len(rows) else places < 0
        batch = to_batch(repaired).filter(pa.array(is_there))
        if batch.num_rows:
            numbers = pa.array(places[is_there] + self._row_count)
            columns = [numbers, *batch.columns[1:]]
            self._writer.write_batch(pa.record_batch(columns, schema=REPAIRS_SCHEMA))
            self._counts += np.bincount(repaired.kinds[is_there], minlength=len(KINDS))
        self._row_count += len(rows)
        self._gone_count += int(np.count_nonzero(~is_there))

    def add_counts(self, summary: Summary) -> Summary:
        """Return a summary that says how many rows were repaired, by kind, and how many went."""
        pairs = zip(KINDS, self._counts.tolist(), strict=True)
        repaired = {kind.value: count for kind, count in pairs if count}
        return replace(summary, repaired=repaired, duplicates_repaired=self._gone_count)

    def __enter__(self) -> "RepairsWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file, which is on the disk itself where there was no error."""
        try:
            if error is None:
                self._writer.close()
                sync(self._file)
        finally:
            self._file.close()
