"""Tables of 64-bit hashes: numbers in the order in which they come, and membership."""

from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray

_FIRST_SIZE = 1 << 16
_HASHES_AT_ONCE = 1 << 15
_MOST_FULL = 0.15  # the fuller, the more hashes meet others
_LARGE_SIZE, _MOST_FULL_LARGE = 1 << 22, 0.3  # ten million fit into 2 ** 25
_LIKELY_BITS_MIN = 16
_SLOTS_PER_MEMBER = 16
_OTHER_BITS = np.uint64(40)  # where the second table's bits of a hash begin


class HashNumbers:
    """A table of 64-bit hashes, each with a number from 1 on, in 4 bytes a slot and 8 a hash.

    A hash's number is in the slot that its last bits name, or in the next free one after it.
    Number 0 marks a free slot; a hash of 0 counts as 1.
    """

    def __init__(self) -> None:
        self._slots = np.zeros(_FIRST_SIZE, np.uint32)  # numbers
        self._hashes = np.zeros(1, np.uint64)  # by number, with space after them
        self._count = 0

    def __len__(self) -> int:
        """Return how many there are."""
        return self._count

    def number(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return the number of each hash, and the indices where new ones appear first."""
        if not hashes.all():
            hashes = np.maximum(hashes, np.uint64(1))
        numbers = self._slots.take(self._name_slots(hashes))
        missed = np.flatnonzero(self._hashes.take(numbers) != hashes)
        if not len(missed):
            return numbers, missed
        self._make_room(len(missed))
        numbers[missed], is_first = self._seek(hashes.take(missed))
        return numbers, missed[is_first]

    def _name_slots(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        return (hashes & np.uint64(len(self._slots) - 1)).view(np.int64)

    def _seek(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
        """Return each hash's number, looked for slot by slot, and which are new and the first.

        Those that find a free slot claim it with a number for their place; the first that claims
        it has it. What was claimed is then numbered without gaps.
        """
        count = self._count
        self._hashes[count + 1 : count + 1 + len(hashes)] = hashes
        numbers = np.zeros(len(hashes), np.uint32)
        is_new = np.zeros(len(hashes), np.bool_)
        slots = self._name_slots(hashes)
        open_indices = np.arange(len(hashes))
        while len(open_indices):
            tried = slots.take(open_indices)
            free = np.flatnonzero(self._slots.take(tried) == 0)[::-1]  # the first is written last
            claims = (open_indices[free] + (count + 1)).astype(np.uint32)
            self._slots[tried[free]] = claims
            is_new[open_indices[free[self._slots.take(tried[free]) == claims]]] = True
            found = self._slots.take(tried)
            is_here = self._hashes.take(found) == hashes.take(open_indices)
            numbers[open_indices] = found
            open_indices = open_indices[~is_here]
            slots[open_indices] = tried[~is_here] + 1 & len(self._slots) - 1
        self._close_gaps(hashes, numbers, is_new, slots)
        return numbers, is_new

    def _close_gaps(
        self,
        hashes: NDArray[np.uint64],
        numbers: NDArray[np.uint32],
        is_new: NDArray[np.bool_],
        slots: NDArray[np.int64],
    ) -> None:
        """Number the claimed slots in order of arrival."""
        count = self._count
        first = np.flatnonzero(is_new)
        final = np.zeros(len(hashes), np.uint32)
        final[first] = np.arange(count + 1, count + 1 + len(first), dtype=np.uint32)
        claimed = np.flatnonzero(numbers > count)
        numbers[claimed] = final[numbers[claimed] - np.uint32(count + 1)]
        self._slots[slots[first]] = final[first]
        self._hashes[count + 1 : count + 1 + len(first)] = hashes[first]
        self._count += len(first)

    def _make_room(self, new_count: int) -> None:
        """Make space for so many more; where the slots become more, all hashes move."""
        needed = self._count + new_count + 1
        if needed > len(self._hashes):
            hashes = np.empty(max(needed, 2 * len(self._hashes)), np.uint64)
            hashes[: self._count + 1] = self._hashes[: self._count + 1]
            self._hashes = hashes
        size = len(self._slots)
        while needed > size * (_MOST_FULL if size < _LARGE_SIZE else _MOST_FULL_LARGE):
            size *= 2
        if size == len(self._slots):
            return
        self._slots = np.zeros(size, np.uint32)
        end, self._count = self._count + 1, 0
        for start in range(1, end, _HASHES_AT_ONCE):
            self._seek(self._hashes[start : min(start + _HASHES_AT_ONCE, end)].copy())


class TextsByHash:
    """Finds members by their 64-bit hashes, as duplicates are found."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Keep the texts' hashes; the index of a text is its place in their order."""
        hashes = pl.Series(list(texts), dtype=pl.String).hash().to_numpy()
        self._order = np.argsort(hashes)
        self._members = hashes[self._order]
        bits = max(_LIKELY_BITS_MIN, (_SLOTS_PER_MEMBER * len(hashes)).bit_length())
        self._mask = np.uint64((1 << bits) - 1)
        self._is_likely, self._is_likelier = np.zeros((2, 1 << bits), np.bool_)
        self._is_likely[self._members & self._mask] = True
        self._is_likelier[self._members >> _OTHER_BITS & self._mask] = True

    def find_members(
        self, hashes: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return which indices hold a member, and the index of each one's text."""
        likely = np.flatnonzero(self._is_likely.take((hashes & self._mask).view(np.int64)))
        if not len(likely):
            return likely, likely
        others = hashes.take(likely) >> _OTHER_BITS & self._mask
        likely = likely[self._is_likelier.take(others.view(np.int64))]
        wanted = hashes.take(likely)
        ranks = np.searchsorted(self._members, wanted)
        is_member = self._members.take(ranks, mode="clip") == wanted
        return likely[is_member], self._order[ranks[is_member]]
