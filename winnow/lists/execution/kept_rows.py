"""Search for duplicates in its own threads, while the domains are judged."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event

import numpy as np
from numpy.typing import NDArray

from winnow.lists.engine.duplicates import DuplicateGroups, RowsToCompare
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.execution.row_store import RowStore

_SECONDS_BETWEEN_TICKS = 0.25


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
