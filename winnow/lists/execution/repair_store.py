"""Repairs of a run: kept in a temporary file between passes, and counted."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.tasks.task import Summary
from winnow.lists.engine.repairer import KINDS, RepairedCells
from winnow.lists.execution.run_files import create_file

_NAME, _PLACES = "pass.repairs", "pass.cells"
_SCHEMA = pa.schema(
    [("row", pa.int64()), ("kind", pa.uint8()), ("old", pa.large_binary()), ("new", pa.string())]
)


class RepairStore:
    """Appends the repairs of blocks; afterwards gives them back block by block.

    ``places``, two numbers a row, may be kept as well: where the email cells are.
    """

    def __init__(self, folder: Path) -> None:
        self._path, self._places_path = folder / _NAME, folder / _PLACES
        self._file, self._places = create_file(self._path), create_file(self._places_path)
        self._writer = pa.ipc.new_stream(self._file, _SCHEMA)
        self._counts: list[int] = []

    def append(
        self, repaired: RepairedCells, row_count: int, places: NDArray[np.uint32] | None = None
    ) -> None:
        """Add a block; one without rows is none, as in a ``RowStore``."""
        if not row_count:
            return
        self._writer.write_batch(_to_batch(repaired))
        self._counts.append(row_count)
        if places is not None:
            self._places.write(np.ascontiguousarray(places).data)

    def finish(self) -> None:
        """Flush; nothing is appended afterwards."""
        self._writer.close()
        self._file.close()
        self._places.close()

    def blocks(self) -> Iterator[tuple[RepairedCells, NDArray[np.uint32]]]:
        """Yield the blocks as they were appended, with their places where these were kept."""
        with (
            self._path.open("rb") as file,
            self._places_path.open("rb") as places,
            pa.ipc.open_stream(file) as reader,
        ):
            for count, batch in zip(self._counts, reader, strict=True):
                kept = np.frombuffer(places.read(8 * count), np.uint32).reshape(2, -1)
                yield _from_batch(batch), kept

    def __enter__(self) -> "RepairStore":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the temporary files."""
        self._file.close()
        self._places.close()
        for path in (self._path, self._places_path):
            path.unlink(missing_ok=True)


class RepairCounter:
    """Counts repairs: those of rows that stay by kind, and those of removed duplicates."""

    def __init__(self) -> None:
        self._counts = np.zeros(len(KINDS), np.int64)
        self._gone_count = 0

    def add(self, repaired: RepairedCells, rows: NDArray[np.int64]) -> None:
        """Count a block.

        Args:
            repaired: Of the block as it came.
            rows: Positions in it of the result's rows, rising.
        """
        places = np.searchsorted(rows, repaired.rows)
        is_there = rows.take(places, mode="clip") == repaired.rows if len(rows) else places < 0
        self._counts += np.bincount(repaired.kinds[is_there], minlength=len(KINDS))
        self._gone_count += int(np.count_nonzero(~is_there))

    def add_counts(self, summary: Summary) -> Summary:
        """Return a summary that says how many rows were repaired, by kind, and how many went."""
        pairs = zip(KINDS, self._counts.tolist(), strict=True)
        repaired = {kind.value: count for kind, count in pairs if count}
        return replace(summary, repaired=repaired, duplicates_repaired=self._gone_count)


def _to_batch(repaired: RepairedCells) -> pa.RecordBatch:
    """Return repairs as an Arrow batch; bytes that are no text stay unchanged."""
    old = [text.encode("utf-8", "surrogatepass") for text in repaired.old]
    columns = [
        pa.array(repaired.rows),
        pa.array(repaired.kinds),
        pa.array(old, pa.large_binary()),
        pa.array(repaired.new, pa.string()),
    ]
    return pa.record_batch(columns, schema=_SCHEMA)


def _from_batch(batch: pa.RecordBatch) -> RepairedCells:
    """Return the repairs of a batch from ``_to_batch``."""
    rows, kinds, old, new = batch.columns
    return RepairedCells(
        rows.to_numpy(),
        kinds.to_numpy(),
        [text.decode("utf-8", "surrogatepass") for text in old.to_pylist()],
        new.to_pylist(),
    )
