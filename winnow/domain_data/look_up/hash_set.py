"""Fixed set of hashes, for look-ups of a long column."""

import numpy as np
from numpy.typing import NDArray


class HashSet:
    """Set of unsigned hashes. A table of last bits rejects most others."""

    def __init__(self, hashes: NDArray[np.unsignedinteger], *, bits: int) -> None:
        """Store the hashes; the table of last bits takes ``2 ** bits`` bytes."""
        self._members = np.unique(hashes)
        self._mask = self._members.dtype.type((1 << bits) - 1)
        self._is_likely = np.zeros(1 << bits, np.bool_)
        self._is_likely[self._members & self._mask] = True

    def find(self, hashes: NDArray[np.unsignedinteger]) -> NDArray[np.int64]:
        """Return the indices of members; the hashes are of the members' type."""
        likely = np.flatnonzero(self._is_likely.take((hashes & self._mask).astype(np.int64)))
        wanted = hashes.take(likely)
        nearest = self._members.take(np.searchsorted(self._members, wanted), mode="clip")
        found: NDArray[np.int64] = likely[nearest == wanted]
        return found

    def has(self, hashes: NDArray[np.unsignedinteger]) -> NDArray[np.bool_]:
        """Return for each whether it is a member."""
        is_member = np.zeros(len(hashes), np.bool_)
        is_member[self.find(hashes)] = True
        return is_member
