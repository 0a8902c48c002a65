"""Search in many labels for those that may be one typing error away from a few."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.domain_data.look_up.hash_set import HashSet
from winnow.domain_data.look_up.misspellings import leave_one_out
from winnow.domain_data.look_up.name_shapes import Labels

_BASE = 0x9E3779B1  # odd, so that its powers differ
_TABLE_BITS = 18


class NearLabels:
    """Finds the labels that share a form with a target, as ``Misspellings`` looks for them.

    Forms of a label are itself, and itself with one letter left out. They are compared by hashes
    of 32 bits: some found labels are not near, but none is missed.
    """

    def __init__(self, targets: Iterable[str]) -> None:
        forms = {form for target in targets for form in (target, *leave_one_out(target))}
        labels = Labels.read(pl.Series(sorted(forms), dtype=pl.String))
        self._longest = max(map(len, forms), default=0) + 1
        *_, whole = _hash_forms(labels, np.arange(len(labels.starts)))
        self._hashes = HashSet(whole, bits=_TABLE_BITS)

    def find(self, labels: Labels, some: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of some indices in ``labels`` whose label is near a target."""
        some = some[labels.sizes()[some] <= self._longest]
        is_near = np.zeros(len(some), np.bool_)
        for hashes in _hash_forms(labels, some):
            is_near[self._hashes.find(hashes)] = True
        return some[is_near]


def _hash_forms(labels: Labels, some: NDArray[np.int64]) -> Iterator[NDArray[np.uint32]]:
    """Yield hashes of the labels without their first letter, their second and so on; then whole.

    A hash is the sum of the letters, each times the power of the base for its position.
    """
    begins, sizes = labels.starts[some] + 1, labels.sizes()[some]
    letters = [
        np.where(place < sizes, labels.letters.take(begins + place, mode="clip"), np.uint32(0))
        for place in range(int(sizes.max(initial=0)) + 1)
    ]
    powers = np.multiply.accumulate([1] + len(letters) * [_BASE], dtype=np.uint32)
    hashes = sum(map(np.multiply, letters[1:], powers), start=np.zeros(len(some), np.uint32))
    yield _mix(hashes)
    for power, (letter, behind) in zip(powers, pairwise(letters), strict=False):
        hashes = hashes + (letter - behind) * power  # one letter comes back, the next one goes
        yield _mix(hashes)


def _mix(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Mix the first bits, which differ most, into the last ones."""
    return hashes ^ hashes >> np.uint32(16)
