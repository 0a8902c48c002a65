"""Repairs of a finished run: which rows, of which kind, from what to what.

``rows.repairs`` is next to the row index where repairs were asked for: an Arrow file of record
batches, rows rising, which is mapped into memory and never read whole.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.tasks.repair_choice import RepairRow
from winnow.lists.result.row_columns import RowNumbers

REPAIRS_NAME = "rows.repairs"
KINDS_KEY = b"kinds"
REPAIRS_SCHEMA = pa.schema(
    [("row", pa.int64()), ("kind", pa.uint8()), ("old", pa.large_binary()), ("new", pa.string())],
    metadata={KINDS_KEY: ",".join(RepairKind).encode()},
)
"""``kind`` is a place among the kinds that the metadata names; ``row`` counts from 0."""


class RepairedRows:
    """The repairs of one result."""

    def __init__(self, path: Path, numbers: RowNumbers) -> None:
        """Map the file; ``numbers`` are those of the result's rows in the list's file.

        Raises:
            FileNotFoundError: Nothing was to be repaired in this run.
        """
        self._numbers = numbers
        self._reader = pa.ipc.open_file(pa.memory_map(str(path)))
        self._kinds = tuple(
            map(RepairKind, self._reader.schema.metadata[KINDS_KEY].decode().split(","))
        )

    def page(
        self, kinds: Collection[RepairKind], offset: int, limit: int
    ) -> tuple[tuple[RepairRow, ...], int]:
        """Return some rows of these kinds from ``offset`` on, and how many there are in all."""
        wanted = np.array([kind in kinds for kind in self._kinds], np.bool_)
        found: list[RepairRow] = []
        total = 0
        for batch in self._batches():
            places = np.flatnonzero(wanted[batch.column(1).to_numpy()])
            first = max(0, offset - total)
            chosen = places[first : first + limit - len(found)]
            total += len(places)
            if len(chosen):
                found += self._read(batch.take(pa.array(chosen)))
        return tuple(found), total

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for number in range(self._reader.num_record_batches):
            yield self._reader.get_batch(number)

    def _read(self, batch: pa.RecordBatch) -> Iterator[RepairRow]:
        columns = (column.to_pylist() for column in batch.columns)
        for row, kind, old, new in zip(*columns, strict=True):
            text = old.decode("utf-8", "replace")
            number = int(self._numbers.tell(np.array([row]))[0])
            yield RepairRow(number, self._kinds[kind], text, new)
