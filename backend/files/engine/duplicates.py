"""Which rows stay when only the last of each address is kept."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from threading import Event

import numpy as np
from numpy.typing import NDArray

from backend.core.verdict import Reason
from backend.files.engine.address_column import FAULT_CODES, FIRST_FAULT
from backend.files.engine.row_store import RowStore

ROWS_PER_PARTITION = 1_250_000  # about 75 MB while one is worked on
PARTITION_COUNT_MAX = 16  # 70 million rows then take some 550 MB
_PARTITIONS_AT_ONCE = 2  # a thread each; every pair reads all keys again
_ROWS_PER_READ = 1 << 18
_SECONDS_BETWEEN_TICKS = 0.25
_PARTITION_SHIFT = np.uint64(40)
_MIX = 0x9E3779B97F4A7C15  # 2**64 by the golden ratio: Knuth, volume 3, 6.4


class KeptRows:
    """Finds the kept rows in threads of its own while the domains are judged.

    Two rows are duplicates when both the 64-bit key of the local part and the domain's canonical
    code are equal: 96 bits, of which the code is exact. Blank cells and lines always stay.
    Leaving the context ends the threads.
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
        wanted_count = min(PARTITION_COUNT_MAX, -(-len(self._is_kept) // ROWS_PER_PARTITION))
        partition_count = 1 << (wanted_count - 1).bit_length()
        with ThreadPoolExecutor(_PARTITIONS_AT_ONCE) as pool:
            for first in range(0, partition_count, _PARTITIONS_AT_ONCE):
                numbers = range(first, min(first + _PARTITIONS_AT_ONCE, partition_count))
                parts = self._read_partitions(numbers, np.uint64(partition_count - 1))
                for _ in pool.map(partial(_mark_duplicates, self._is_kept), parts):
                    if self._stop.is_set():
                        return

    def _read_partitions(self, numbers: range, mask: np.uint64) -> list["_Partition"]:
        parts: list[list[_Partition]] = [[] for _ in numbers]
        for start in range(0, len(self._is_kept), _ROWS_PER_READ):
            if self._stop.is_set():
                break
            codes, keys = self._store.read_keys(start, _ROWS_PER_READ)
            is_wanted = (codes >= FIRST_FAULT) & (codes != FAULT_CODES[Reason.EMPTY])
            places_in = (keys >> _PARTITION_SHIFT & mask).astype(np.uint8)
            for number, pieces in zip(numbers, parts, strict=True):
                places = np.flatnonzero(is_wanted & (places_in == number))
                pieces.append(
                    _Partition(
                        (places + start).astype(np.uint32),
                        keys.take(places),
                        self._canonical.take(codes.take(places)),
                    )
                )
        return [_Partition.join(pieces) for pieces in parts]


@dataclass(frozen=True, slots=True)
class _Partition:
    """Some of the rows, by their places, which rise; every other row equal to one is there too."""

    rows: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    codes: NDArray[np.uint32]

    @classmethod
    def join(cls, pieces: list["_Partition"]) -> "_Partition":
        rows = np.concatenate([piece.rows for piece in pieces])
        keys = np.concatenate([piece.keys for piece in pieces])
        return cls(rows, keys, np.concatenate([piece.codes for piece in pieces]))


def _mark_duplicates(is_kept: NDArray[np.bool_], part: _Partition) -> None:
    """Mark every row that has an equal one behind it.

    Each row writes its place into the slot that its key and code give, so that a slot holds the
    last of its rows: that one stays. A row equal to the one in its slot goes. What is left shares
    a slot by chance only, equal rows always, and is tried again in other slots. Each round settles
    a row a slot at least.
    """
    rows, keys, codes = part.rows, part.keys, part.codes
    factor = _MIX
    while len(rows):
        slot_bits = (2 * len(rows)).bit_length()
        slots = (keys * np.uint64(factor) + codes * np.uint64(_MIX)) * np.uint64(_MIX)
        slots >>= np.uint64(64 - slot_bits)
        places = np.arange(len(rows), dtype=np.uint32)
        last = np.empty(1 << slot_bits, np.uint32)
        last[slots.view(np.int64)] = places
        others = last.take(slots.view(np.int64))
        beaten = np.flatnonzero(others != places)
        others = others[beaten]
        is_equal = (keys[beaten] == keys[others]) & (codes[beaten] == codes[others])
        is_kept[rows[beaten[is_equal]]] = False
        beaten = beaten[~is_equal]
        rows, keys, codes = rows[beaten], keys[beaten], codes[beaten]
        factor = (factor + 2) % (1 << 64)
