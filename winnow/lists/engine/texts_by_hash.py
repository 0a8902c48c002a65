"""Bulk membership test: which texts of a long column are in a fixed set."""

from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray

_LIKELY_BITS_MIN = 16
_SLOTS_PER_MEMBER = 16
_OTHER_BITS = np.uint64(40)  # where the second table's bits of a hash begin


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

    def find(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return which places hold a member."""
        return self.find_members(hashes)[0]

    def find_members(
        self, hashes: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return which places hold a member, and the index of each one's text."""
        likely = np.flatnonzero(self._is_likely.take((hashes & self._mask).view(np.int64)))
        if not len(likely):
            return likely, likely
        others = hashes.take(likely) >> _OTHER_BITS & self._mask
        likely = likely[self._is_likelier.take(others.view(np.int64))]
        wanted = hashes.take(likely)
        ranks = np.searchsorted(self._members, wanted)
        is_member = self._members.take(ranks, mode="clip") == wanted
        return likely[is_member], self._order[ranks[is_member]]
