"""Which rows stay when only the last of each address is kept."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event

import numpy as np
from numpy.typing import NDArray

from backend.core.verdict import Reason
from backend.files.engine.address_column import FAULT_CODES, FIRST_FAULT
from backend.files.engine.row_store import RowStore

ROWS_PER_PARTITION = 2_500_000  # about 150 MB while one is worked on
PARTITION_COUNT_MAX = 8  # each reads all keys again; 70 million rows then take some 600 MB
_ROWS_PER_READ = 1 << 20
_SECONDS_BETWEEN_TICKS = 0.25
_PARTITION_SHIFT = np.uint64(40)
_MIX = 0x9E3779B97F4A7C15  # 2**64 by the golden ratio: Knuth, volume 3, 6.4


class KeptRows:
    """Finds the kept rows in a thread of its own while the domains are judged.

    Two rows are duplicates when both the 64-bit key of the local part and the domain's canonical
    code are equal: 96 bits, of which the code is exact. Blank cells and lines always stay.
    Leaving the context ends the thread.
    """

    def __init__(
        self, store: RowStore, canonical: NDArray[np.uint32], *, deduplicate: bool
    ) -> None:
        self._store = store
        self._canonical = canonical
        self._is_kept = np.ones(store.row_count, np.bool_)
        self._stop = Event()
        self._pool = ThreadPoolExecutor(1)
        self._future = self._pool.submit(self._find) if deduplicate else None

    def __enter__(self) -> "KeptRows":
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._pool.shutdown()

    def wait(self, tick: Callable[[], None]) -> NDArray[np.bool_]:
        """Return for every row of the store whether it stays; ``tick`` may raise meanwhile."""
        if self._future is not None:
            while not wait([self._future], timeout=_SECONDS_BETWEEN_TICKS).done:
                tick()
            self._future.result()
        return self._is_kept

    def _find(self) -> None:
        row_count = len(self._is_kept)
        partition_count = min(PARTITION_COUNT_MAX, -(-row_count // ROWS_PER_PARTITION))
        for partition in range(partition_count):
            rows, keys, codes = [], [], []
            for start in range(0, row_count, _ROWS_PER_READ):
                if self._stop.is_set():
                    return
                some_codes, some_keys = self._store.read_keys(start, _ROWS_PER_READ)
                wanted = some_codes >= FIRST_FAULT
                wanted &= some_codes != FAULT_CODES[Reason.EMPTY]
                if partition_count > 1:
                    part = (some_keys >> _PARTITION_SHIFT) % np.uint64(partition_count)
                    wanted &= part == partition
                places = np.flatnonzero(wanted)
                rows.append((places + start).astype(np.uint32))
                keys.append(some_keys[places])
                codes.append(self._canonical[some_codes[places]])
            _mark_duplicates(
                self._is_kept, np.concatenate(rows), np.concatenate(keys), np.concatenate(codes)
            )


def _mark_duplicates(
    is_kept: NDArray[np.bool_],
    rows: NDArray[np.uint32],
    keys: NDArray[np.uint64],
    codes: NDArray[np.uint32],
) -> None:
    """Mark every row that has an equal one behind it; ``rows`` rise.

    Each row writes its place into the slot that its key and code give, so that a slot holds the
    last of its rows: that one stays. A row equal to the one in its slot goes. What is left shares
    a slot by chance only, equal rows always, and is tried again in other slots. Each round settles
    a row a slot at least.
    """
    factor = _MIX
    while len(rows):
        slot_bits = (2 * len(rows)).bit_length()
        slots = (keys * np.uint64(factor) + codes * np.uint64(_MIX)) * np.uint64(_MIX)
        slots >>= np.uint64(64 - slot_bits)
        places = np.arange(len(rows), dtype=np.uint32)
        last = np.empty(1 << slot_bits, np.uint32)
        last[slots.view(np.int64)] = places
        others = last[slots.view(np.int64)]
        beaten = np.flatnonzero(others != places)
        others = others[beaten]
        is_equal = (keys[beaten] == keys[others]) & (codes[beaten] == codes[others])
        is_kept[rows[beaten[is_equal]]] = False
        beaten = beaten[~is_equal]
        rows, keys, codes = rows[beaten], keys[beaten], codes[beaten]
        factor = (factor + 2) % (1 << 64)
