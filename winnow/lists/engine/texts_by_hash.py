"""A fixed set of texts in which those of a long column are found, quicker than one by one."""

from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray

_LIKELY_MASK = np.uint64((1 << 16) - 1)


class TextsByHash:
    """Finds members by their 64-bit hashes, as duplicates are found."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._members = np.sort(pl.Series(sorted(texts), dtype=pl.String).hash().to_numpy())
        self._is_likely = np.zeros(int(_LIKELY_MASK) + 1, np.bool_)
        self._is_likely[self._members & _LIKELY_MASK] = True

    def find(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return which places hold a member."""
        likely = np.flatnonzero(self._is_likely.take((hashes & _LIKELY_MASK).view(np.int64)))
        if not len(likely):
            return likely
        wanted = hashes.take(likely)
        ranks = np.searchsorted(self._members, wanted)
        is_member: NDArray[np.bool_] = self._members.take(ranks, mode="clip") == wanted
        return likely[is_member]
