"""Codes, flags and keys of rows' addresses, by which the engine compares and judges them."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.lists.engine.address_column import AddressBlock


@dataclass(frozen=True, slots=True)
class AddressCodes:
    """Addresses of rows as ``AddressBlock`` has them, an entry each."""

    codes: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    keys: NDArray[np.uint64]

    @classmethod
    def join(cls, blocks: Iterable["AddressBlock | AddressCodes"]) -> "AddressCodes":
        """Put blocks together, whose domains are numbered."""
        columns = [(block.codes, block.flags, block.keys) for block in blocks]
        nothing = (np.empty(0, np.uint32), np.empty(0, np.uint8), np.empty(0, np.uint64))
        codes, flags, keys = map(np.concatenate, zip(nothing, *columns, strict=True))
        return cls(codes, flags, keys)

    def take(self, rows: NDArray[np.intp]) -> "AddressCodes":
        """Return those of some rows."""
        return AddressCodes(self.codes[rows], self.flags[rows], self.keys[rows])
