"""Store for rows between the passes: their columns and repairs in files; search for duplicates."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.lists.engine.duplicates import DuplicateGroups, RowsToCompare
from winnow.lists.engine.repairer import RepairedCells
from winnow.lists.engine.row_codes import RowColumns
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.execution.run_files import create_file

_TYPES = {
    name: np.dtype(kind)
    for name, kind in (
        *(("sizes", "u4"), ("codes", "u4"), ("flags", "u1"), ("keys", "u8"), ("widths", "u2")),
        *(("ranks", "u8"), ("boxes", "u8"), ("said", "u4"), ("cells", "2u4")),
    )
}
_REPAIRS = pa.schema(
    [("row", pa.int64()), ("kind", pa.uint8()), ("new", pa.string()), ("old", pa.string())]
)
KEYS_AT_ONCE = 1 << 18


class RowStore:
    """Appends blocks of rows and their repairs; afterwards gives them back block by block.

    All blocks have the same columns.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, BinaryIO] = {}
        self._counts: list[int] = []  # rows of each block
        self._repairs = create_file(self._path("repairs"))
        self._writer = pa.ipc.new_stream(self._repairs, _REPAIRS)

    def _path(self, name: str) -> Path:
        return self._folder / f"pass.{name}"

    @property
    def row_count(self) -> int:
        """Rows appended so far."""
        return sum(self._counts)

    def append(self, rows: RowColumns) -> None:
        """Add a block's rows."""
        if not len(rows.codes):
            return
        for name in _TYPES:
            column = getattr(rows, name)
            if column is not None:
                if name not in self._files:
                    self._files[name] = create_file(self._path(name))
                self._files[name].write(np.ascontiguousarray(column).data)
        repaired = rows.repaired
        old = [one.encode("utf-8", "replace").decode() for one in repaired.old]
        texts = (pa.array(some, pa.string()) for some in (repaired.new, old))
        batch = [pa.array(repaired.rows), pa.array(repaired.kinds), *texts]
        self._writer.write_batch(pa.record_batch(batch, schema=_REPAIRS))
        self._counts.append(len(rows.codes))

    def finish(self) -> None:
        """Flush; nothing is appended afterwards."""
        self._writer.close()
        self._close()

    def _close(self) -> None:
        for file in (self._repairs, *self._files.values()):
            file.close()

    def read(self, name: str, start: int = 0, count: int = -1) -> NDArray[Any]:
        """Return a column's values of ``count`` rows from ``start`` on; -1: to the end.

        Empty where the rows have no such column. Thread-safe.
        """
        kind = _TYPES[name]
        if name not in self._files:
            return np.empty(0, kind)
        return np.fromfile(self._path(name), kind, count, offset=kind.itemsize * start)

    def blocks(self) -> Iterator[tuple[int, RowColumns]]:
        """Yield where each block begins, and its rows without what is read for all at once."""
        names = self._files.keys() - {"ranks", "boxes", "said"}
        for start, count, repaired in self._read_repairs():
            columns = {name: self.read(name, start, count) for name in names}
            yield start, RowColumns(**columns, repaired=repaired)

    def read_former(self) -> tuple[NDArray[np.int64], list[str]]:
        """Return the rows that were repaired, rising, and what each had."""
        rows, texts = [np.empty(0, np.int64)], list[str]()
        for start, _, repaired in self._read_repairs():
            rows.append(repaired.rows + start)
            texts += repaired.old
        return np.concatenate(rows), texts

    def _read_repairs(self) -> Iterator[tuple[int, int, RepairedCells]]:
        """Yield where each block begins, how many rows it has, and its repairs."""
        start = 0
        with self._path("repairs").open("rb") as repairs, pa.ipc.open_stream(repairs) as reader:
            for count, batch in zip(self._counts, reader, strict=True):
                rows, kinds, *texts = batch.columns
                new, old = (some.to_pylist() for some in texts)
                yield start, count, RepairedCells(rows.to_numpy(), kinds.to_numpy(), new, old)
                start += count

    def count_codes(self, code_count: int) -> NDArray[np.int64]:
        """Return how many rows have each code below ``code_count``."""
        counts = np.zeros(code_count, np.int64)
        for start in range(0, self.row_count, KEYS_AT_ONCE):
            counts += np.bincount(self.read("codes", start, KEYS_AT_ONCE), minlength=code_count)
        return counts

    def compared_rows(self, ranks: RowRanks) -> Iterator[RowsToCompare]:
        """Yield duplicates' keys and their weighed ranks, a stretch at a time."""
        for start in range(0, self.row_count, KEYS_AT_ONCE):
            codes, keys = (
                self.read(name, start, KEYS_AT_ONCE) for name in ("codes", ranks.compared)
            )
            weighed = None
            if "ranks" in self._files:
                weighed = ranks.weigh(self.read("ranks", start, KEYS_AT_ONCE))
            yield RowsToCompare(codes, keys, weighed)

    def __enter__(self) -> "RowStore":
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the temporary files."""
        self._close()
        for name in ("repairs", *self._files):
            self._path(name).unlink(missing_ok=True)


def find_gone(
    store: RowStore,
    canonical: NDArray[np.uint32],
    ranks: RowRanks,
    tick: Callable[[], None] = lambda: None,
) -> NDArray[np.bool_]:
    """Return for every row of a store whether a duplicate of it stays; ``tick`` may raise.

    ``canonical`` is as for ``DuplicateGroups``.
    """
    # Pages of zeros without writes take no memory: blank lines are never written to.
    is_gone = np.zeros(store.row_count, np.bool_)
    groups = DuplicateGroups.plan(canonical, store.row_count, keeps_first=ranks.keeps_first)

    def mark(group: int) -> None:
        groups.mark(is_gone, store.compared_rows(ranks), group)

    for _ in map_in_order(mark, range(len(groups) if store.row_count else 0)):
        tick()
    return is_gone
