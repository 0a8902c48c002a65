"""Two addresses a row, both judged: which of them is the row's, and what the other came to."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import BothAddresses, Category, Verdict
from winnow.lists.engine.address_column import AddressBlock
from winnow.lists.engine.row_codes import FAULT_CODES, FIRST_FAULT
from winnow.lists.engine.verdict_table import LOCAL_FLAG_BITS, VerdictTable

_CATEGORIES = (None, *Category)  # by number; each is better than the next, and none the worst
_FORBIDDEN, _MISSING = len(_CATEGORIES), len(_CATEGORIES) + 1  # ranks, behind those of categories
_PAIRS = tuple(
    BothAddresses((first, second), used)
    for first, second, used in product(_CATEGORIES, _CATEGORIES, (0, 1))
)
"""By the number that stands in a row's flags behind those of its local part."""


@dataclass(frozen=True, slots=True)
class AddressCodes:
    """Addresses of rows as ``AddressBlock`` has them, an entry each."""

    codes: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    keys: NDArray[np.uint64]

    @classmethod
    def join(cls, blocks: Iterable[AddressBlock]) -> "AddressCodes":
        """Put blocks together, whose domains are numbered."""
        columns = [(block.codes, block.flags, block.keys) for block in blocks]
        nothing = (np.empty(0, np.uint32), np.empty(0, np.uint8), np.empty(0, np.uint64))
        codes, flags, keys = map(np.concatenate, zip(nothing, *columns, strict=True))
        return cls(codes, flags, keys)

    def take(self, rows: NDArray[np.intp]) -> "AddressCodes":
        """Return those of some rows."""
        return AddressCodes(self.codes[rows], self.flags[rows], self.keys[rows])


FindForbidden = Callable[[VerdictTable, AddressCodes], NDArray[np.bool_]]
"""Tells which addresses must not be mailed, whatever they are judged to be."""


class AddressChoice:
    """Chooses the better address of each row, block by block; afterwards words the verdicts.

    The first column's stays where both are alike. An address that must not be mailed comes behind
    all others, and a blank cell holds none.
    """

    def __init__(self, table: VerdictTable, find_forbidden: FindForbidden | None = None) -> None:
        self._table = table
        self._find_forbidden = find_forbidden
        numbers = [_CATEGORIES.index(verdict.category) for verdict in table.verdicts]
        self._number_of = np.array(numbers, np.uint8)
        self._is_met = np.zeros((len(table.verdicts), len(_PAIRS)), np.bool_)

    def choose(self, first: AddressCodes, second: AddressCodes) -> AddressCodes:
        """Return each row's address; its flags say beside what both came to."""
        places, numbers, ranks = zip(*map(self._rank, (first, second)), strict=True)
        is_row = first.codes >= FIRST_FAULT
        takes = is_row & (ranks[1] < ranks[0])
        pairs = (numbers[0] * len(_CATEGORIES) + numbers[1]) * np.uint8(2) + takes
        self._is_met[np.where(takes, places[1], places[0])[is_row], pairs[is_row]] = True
        flags = np.where(takes, second.flags, first.flags)
        return AddressCodes(
            np.where(takes, second.codes, first.codes),
            np.where(is_row, flags | pairs << LOCAL_FLAG_BITS, first.flags).astype(np.uint8),
            np.where(takes, second.keys, first.keys),
        )

    def finish(self) -> VerdictTable:
        """Return the table that tells the verdicts of the rows as they were chosen."""
        verdicts: list[Verdict] = []
        pairs = np.zeros(self._is_met.shape, np.uint16)
        for place, pair in zip(*(found.tolist() for found in self._is_met.nonzero()), strict=True):
            pairs[place, pair] = len(verdicts)
            verdicts.append(_put(self._table.verdicts[place], _PAIRS[pair]))
        return replace(self._table, verdicts=tuple(verdicts), pairs=pairs)

    def _rank(
        self, addresses: AddressCodes
    ) -> tuple[NDArray[np.uint16], NDArray[np.uint8], NDArray[np.uint8]]:
        """Return verdict places, categories by number, and ranks: the lower the better."""
        codes = addresses.codes
        places = self._table.find_places(codes, addresses.flags, addresses.keys)
        numbers = self._number_of.take(places)
        is_missing = codes == FAULT_CODES[Reason.EMPTY]
        numbers[is_missing] = 0
        ranks = numbers.copy()
        if self._find_forbidden is not None:
            ranks[self._find_forbidden(self._table, addresses)] = _FORBIDDEN
        ranks[is_missing] = _MISSING
        return places, numbers, ranks


def find_second(flags: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which rows have the address of their second column, by the flags of a choice."""
    found: NDArray[np.bool_] = (flags >> LOCAL_FLAG_BITS & 1).astype(np.bool_)
    return found


def _put(verdict: Verdict, both: BothAddresses) -> Verdict:
    beneath = verdict.overruled
    if beneath is not None:
        beneath = replace(beneath, both=both)
    return replace(verdict, overruled=beneath, both=both)
