"""Which rows stay when only the last of each address is kept."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from threading import Event

import numpy as np
from numpy.typing import NDArray

from winnow.core.verdicts.reasons import Reason
from winnow.lists.engine.row_codes import FAULT_CODES, FIRST_FAULT
from winnow.lists.execution.row_store import RowStore

ROWS_PER_GROUP = 4_500_000  # 16 bytes each while one is worked on
MAX_ROWS_PER_GROUP = 18_000_000  # of lists so long that reading them once a group takes the time
_USUAL_GROUPS = 8
_CROWD = 1.5  # times a group's share of the rows that are read: many of them must be equal
_GROUPS_AT_ONCE = 2  # a thread each; every group reads all keys again
_PARTITION_BITS = 4  # a group's partitions: so small that what is looked up stays in the cache
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
        # Pages of zeros that nobody wrote to take no memory: blank lines are never written to.
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
        """Return for every row of the store whether it goes; ``tick`` may raise meanwhile."""
        if self._future is not None:
            while not wait([self._future], timeout=_SECONDS_BETWEEN_TICKS).done:
                tick()
            self._future.result()
        return self._is_gone

    def _find(self) -> None:
        rows_per_group = len(self._is_gone) // _USUAL_GROUPS
        rows_per_group = min(max(ROWS_PER_GROUP, rows_per_group), MAX_ROWS_PER_GROUP)
        wanted_count = max(_GROUPS_AT_ONCE, -(-len(self._is_gone) // rows_per_group))
        group_bits = (wanted_count - 1).bit_length()
        with ThreadPoolExecutor(_GROUPS_AT_ONCE) as pool:
            for _ in pool.map(partial(self._find_in_group, group_bits), range(1 << group_bits)):
                pass

    def _find_in_group(self, group_bits: int, group: int) -> None:
        pieces = list(self._read_group(group_bits, group))
        for number in range(1 << _PARTITION_BITS):
            if self._stop.is_set():
                return
            _mark_duplicates(self._is_gone, _Rows.join([piece.part(number) for piece in pieces]))

    def _read_group(self, group_bits: int, group: int) -> Iterator["_SortedRows"]:
        mask = np.uint64((1 << group_bits + _PARTITION_BITS) - 1)
        for start in range(0, len(self._is_gone), _ROWS_PER_READ):
            if self._stop.is_set():
                return
            codes, keys = self._store.read_keys(start, _ROWS_PER_READ)
            numbers = (keys >> _PARTITION_SHIFT & mask).astype(np.uint16)
            is_wanted = numbers >> _PARTITION_BITS == group
            is_wanted &= (codes >= FIRST_FAULT) & (codes != FAULT_CODES[Reason.EMPTY])
            places = self._thin_out(np.flatnonzero(is_wanted), start, codes, keys, group_bits)
            numbers = numbers.take(places) & np.uint16((1 << _PARTITION_BITS) - 1)
            places = places.take(np.argsort(numbers.astype(np.uint8), kind="stable"))
            rows = _Rows(
                (places + start).astype(np.uint32),
                keys.take(places),
                self._canonical.take(codes.take(places)),
            )
            counts = np.bincount(numbers, minlength=1 << _PARTITION_BITS)
            yield _SortedRows(rows, np.concatenate(([0], np.cumsum(counts))))

    def _thin_out(
        self,
        places: NDArray[np.int64],
        start: int,
        codes: NDArray[np.uint32],
        keys: NDArray[np.uint64],
        group_bits: int,
    ) -> NDArray[np.int64]:
        """Return a group's rows among those read, without duplicates where they are too many.

        Different rows spread evenly over the groups; the same one, a million times, does not, and
        would take a group's memory many times over.
        """
        if len(places) * (1 << group_bits) <= _CROWD * len(codes):
            return places
        crowd = _Rows(
            (places + start).astype(np.uint32),
            keys.take(places),
            self._canonical.take(codes.take(places)),
        )
        _mark_duplicates(self._is_gone, crowd)
        return places[~self._is_gone[places + start]]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Some of the rows, by their places, which rise."""

    rows: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    codes: NDArray[np.uint32]

    @classmethod
    def join(cls, pieces: list["_Rows"]) -> "_Rows":
        rows = np.concatenate([piece.rows for piece in pieces])
        keys = np.concatenate([piece.keys for piece in pieces])
        return cls(rows, keys, np.concatenate([piece.codes for piece in pieces]))


@dataclass(frozen=True, slots=True)
class _SortedRows:
    """Rows by partition: number ``n`` is at ``bounds[n]`` to ``bounds[n + 1]``, places rising.

    Rows that are equal are in the same partition.
    """

    rows: _Rows
    bounds: NDArray[np.int64]

    def part(self, number: int) -> _Rows:
        place = slice(self.bounds[number], self.bounds[number + 1])
        return _Rows(self.rows.rows[place], self.rows.keys[place], self.rows.codes[place])


def _mark_duplicates(is_gone: NDArray[np.bool_], part: _Rows) -> None:
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
        is_gone[rows[beaten[is_equal]]] = True
        beaten = beaten[~is_equal]
        rows, keys, codes = rows[beaten], keys[beaten], codes[beaten]
        factor = (factor + 2) % (1 << 64)
