"""Numbers for distinct hashes, in the order in which they come."""

import numpy as np
from numpy.typing import NDArray

_FIRST_SIZE = 1 << 16
_SLOTS_AT_ONCE = 1 << 15
_MOST_FULL = 0.3  # of a table that is small; the fuller, the more hashes meet others
_LARGE_SIZE, _MOST_FULL_LARGE = 1 << 22, 0.61  # ten million fit into 2 ** 24, 200 MB


class HashNumbers:
    """A table of 64-bit hashes, each with a number from 1 on, in 12 bytes a slot.

    A hash stands in the slot that its last bits name, or in the next free one behind. 0 counts as
    1: it marks a free slot.
    """

    def __init__(self) -> None:
        self._hashes = np.zeros(_FIRST_SIZE, np.uint64)
        self._numbers = np.zeros(_FIRST_SIZE, np.uint32)
        self._count = 0

    def __len__(self) -> int:
        """Return how many there are."""
        return self._count

    def number(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return the number of each hash, and the places where new ones stand first."""
        if not hashes.all():
            hashes = np.maximum(hashes, np.uint64(1))
        slots = self._name_slots(hashes)
        missed = np.flatnonzero(self._hashes.take(slots) != hashes)
        if len(missed):
            if self._grow(len(missed)):
                slots = self._name_slots(hashes)
                missed = np.arange(len(hashes))
            slots[missed] = self._seek(hashes.take(missed), slots.take(missed))
        numbers = self._numbers.take(slots)
        new = np.flatnonzero(numbers == 0)
        if not len(new):
            return numbers, new
        slots = slots.take(new)
        order = np.arange(1, len(new) + 1, dtype=np.uint32)
        self._numbers[slots[::-1]] = order[::-1]  # of equal hashes the first is written last
        is_first = self._numbers.take(slots) == order
        count = int(np.count_nonzero(is_first))
        self._numbers[slots[is_first]] = order[:count] + np.uint32(self._count)
        self._count += count
        numbers[new] = self._numbers.take(slots)
        return numbers, new[is_first]

    def _name_slots(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        return (hashes & np.uint64(len(self._hashes) - 1)).view(np.int64)

    def _seek(self, hashes: NDArray[np.uint64], slots: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the slot of each hash, looked for from some slots on; new ones take theirs."""
        slots = slots.copy()
        open_places = np.arange(len(hashes))
        while len(open_places):
            wanted, tried = hashes.take(open_places), slots.take(open_places)
            is_free = self._hashes.take(tried) == 0
            self._hashes[tried[is_free]] = wanted[is_free]
            is_elsewhere = self._hashes.take(tried) != wanted
            open_places = open_places[is_elsewhere]
            slots[open_places] = tried[is_elsewhere] + 1 & len(self._hashes) - 1
        return slots

    def _grow(self, new_count: int) -> bool:
        """Make room for so many more; tell whether all had to move."""
        size = len(self._hashes)
        while self._count + new_count > _most_full(size) * size:
            size *= 2
        if size == len(self._hashes):
            return False
        hashes, numbers = self._hashes, self._numbers
        self._hashes, self._numbers = np.zeros(size, np.uint64), np.zeros(size, np.uint32)
        for start in range(0, len(hashes), _SLOTS_AT_ONCE):  # near ones stay near in the caches
            some = hashes[start : start + _SLOTS_AT_ONCE]
            taken = np.flatnonzero(some)
            some = some.take(taken)
            self._numbers[self._seek(some, self._name_slots(some))] = numbers.take(start + taken)
        return True


def _most_full(size: int) -> float:
    return _MOST_FULL if size < _LARGE_SIZE else _MOST_FULL_LARGE
