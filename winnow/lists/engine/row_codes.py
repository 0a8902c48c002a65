"""Codes of rows, by the content of their email cells.

0                 no row: a blank line
1                 no row: the header
2 …               malformed, one code per Reason (FAULTS)
FIRST_DOMAIN …    the domain's text, by its place in the table
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.core.verdicts.reasons import Origin, Reason

BLANK_LINE, HEADER, FIRST_FAULT = 0, 1, 2
FAULTS = tuple(reason for reason in Reason if reason.origin is Origin.FORMAT)
FAULT_CODES = {reason: FIRST_FAULT + place for place, reason in enumerate(FAULTS)}
FIRST_DOMAIN = FIRST_FAULT + len(FAULTS)


@dataclass(frozen=True, slots=True)
class AddressCodes:
    """Addresses of rows as ``AddressBlock`` has them, an entry each."""

    codes: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    keys: NDArray[np.uint64]

    @classmethod
    def join(cls, blocks: Iterable["AddressCodes"]) -> "AddressCodes":
        """Put blocks together, whose domains are numbered."""
        columns = [(block.codes, block.flags, block.keys) for block in blocks]
        nothing = (np.empty(0, np.uint32), np.empty(0, np.uint8), np.empty(0, np.uint64))
        codes, flags, keys = map(np.concatenate, zip(nothing, *columns, strict=True))
        return cls(codes, flags, keys)

    def take(self, rows: NDArray[np.intp]) -> "AddressCodes":
        """Return those of some rows."""
        return AddressCodes(self.codes[rows], self.flags[rows], self.keys[rows])
