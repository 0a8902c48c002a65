"""Store for rows between the passes: codes, flags and keys in files; search for duplicates."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnow.lists.engine.duplicates import DuplicateGroups, Ranks, RowsToCompare
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.execution.run_files import create_file

_SECONDS_BETWEEN_TICKS = 0.25
_TYPES = {"sizes": "u4", "codes": "u4", "flags": "u1", "keys": "u8", "widths": "u2"}
_RANKS, _BOXES = "pass.ranks", "pass.boxes"
_CODES_AT_ONCE = 1 << 20
KEYS_AT_ONCE = 1 << 18


@dataclass(frozen=True, slots=True)
class RowColumns:
    """A block's rows (blank lines and the header among them), one entry each.

    ``sizes`` are bytes with the line end. ``widths`` count cells. ``boxes`` are as in
    ``AddressBlock``.
    """

    sizes: NDArray[np.uint32]
    codes: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    widths: NDArray[np.uint16]
    boxes: NDArray[np.uint64] | None = None


class RowStore:
    """Appends blocks of rows; afterwards gives them back block by block.

    ``has_ranks``: rows come with ranks, which say what stays of duplicates. ``has_boxes``: they
    are compared by their mailboxes, which are not given back.
    """

    def __init__(self, folder: Path, *, has_ranks: bool = False, has_boxes: bool = False) -> None:
        self._paths = {name: folder / f"pass.{name}" for name in _TYPES}
        self._files = [create_file(path) for path in self._paths.values()]
        self._counts: list[int] = []  # rows of each block
        self._ranks_path = folder / _RANKS if has_ranks else None
        self._ranks = create_file(self._ranks_path) if self._ranks_path is not None else None
        self._boxes_path = folder / _BOXES if has_boxes else None
        self._boxes = create_file(self._boxes_path) if self._boxes_path is not None else None

    @property
    def row_count(self) -> int:
        """Rows appended so far."""
        return sum(self._counts)

    def append(self, rows: RowColumns, ranks: Ranks | None = None) -> None:
        """Add a block's rows, with ranks where the store has them."""
        if not len(rows.codes):
            return
        for file, name in zip(self._files, _TYPES, strict=True):
            file.write(getattr(rows, name).data)
        if self._ranks is not None and ranks is not None:
            self._ranks.write(ranks.data)
        if self._boxes is not None and rows.boxes is not None:
            self._boxes.write(rows.boxes.data)
        self._counts.append(len(rows.codes))

    def finish(self) -> None:
        """Flush; nothing is appended afterwards."""
        for file in self._files:
            file.close()
        for more in (self._ranks, self._boxes):
            if more is not None:
                more.close()

    def blocks(self, *, with_keys: bool = True) -> Iterator[RowColumns]:
        """Yield the blocks as they were appended, or without their keys."""
        with ExitStack() as stack:
            files = {
                name: stack.enter_context(path.open("rb")) for name, path in self._paths.items()
            }
            for count in self._counts:
                columns: dict[str, NDArray[Any]] = {}
                for name, kind in _TYPES.items():
                    wanted = count if with_keys or name != "keys" else 0
                    data = files[name].read(wanted * np.dtype(kind).itemsize)
                    columns[name] = np.frombuffer(data, kind)
                yield RowColumns(**columns)

    def count_codes(self, code_count: int) -> NDArray[np.int64]:
        """Return how many rows have each code below ``code_count``."""
        counts = np.zeros(code_count, np.int64)
        for start in range(0, self.row_count, _CODES_AT_ONCE):
            codes = np.fromfile(self._paths["codes"], np.uint32, _CODES_AT_ONCE, offset=4 * start)
            counts += np.bincount(codes, minlength=code_count)
        return counts

    def compared_rows(self) -> Iterator[RowsToCompare]:
        """Yield duplicates' keys, a stretch at a time; in several threads, each its own.

        Ranks are as they were appended.
        """
        keys_path = self._boxes_path or self._paths["keys"]
        for start in range(0, self.row_count, KEYS_AT_ONCE):
            ranks = None
            if self._ranks_path is not None:
                ranks = np.fromfile(self._ranks_path, np.uint64, KEYS_AT_ONCE, offset=8 * start)
            yield RowsToCompare(
                np.fromfile(self._paths["codes"], np.uint32, KEYS_AT_ONCE, offset=4 * start),
                np.fromfile(keys_path, np.uint64, KEYS_AT_ONCE, offset=8 * start),
                ranks,
            )

    def __enter__(self) -> "RowStore":
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the temporary files."""
        self.finish()
        for path in (*self._paths.values(), self._ranks_path, self._boxes_path):
            if path is not None:
                path.unlink(missing_ok=True)


class KeptRows:
    """Finds which rows of a store stay; leaving the context ends the threads."""

    def __init__(
        self,
        store: RowStore,
        canonical: NDArray[np.uint32],
        *,
        deduplicate: bool,
        ranks: RowRanks,
    ) -> None:
        self._store = store
        self._ranks = ranks
        self._groups = DuplicateGroups.plan(
            canonical, store.row_count, keeps_first=ranks.keeps_first
        )
        # Pages of zeros without writes take no memory: blank lines are never written to.
        self._is_gone = np.zeros(store.row_count, np.bool_)
        self._stop = Event()
        self._pool = ThreadPoolExecutor(1)
        is_wanted = deduplicate and bool(store.row_count)
        self._future = self._pool.submit(self._find) if is_wanted else None

    def __enter__(self) -> "KeptRows":
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._pool.shutdown()

    def wait(self, tick: Callable[[], None]) -> NDArray[np.bool_]:
        """Return for every row of the store whether it is removed; ``tick`` may raise meanwhile."""
        if self._future is not None:
            while not wait([self._future], timeout=_SECONDS_BETWEEN_TICKS).done:
                tick()
            self._future.result()
        return self._is_gone

    def _find(self) -> None:
        for _ in map_in_order(self._find_in_group, range(len(self._groups))):
            pass

    def _find_in_group(self, group: int) -> None:
        for _ in self._groups.mark(self._is_gone, self._read_rows(), group):
            if self._stop.is_set():
                return

    def _read_rows(self) -> Iterator[RowsToCompare]:
        for rows in self._store.compared_rows():
            yield (
                rows if rows.ranks is None else rows._replace(ranks=self._ranks.settle(rows.ranks))
            )
