"""Repairs of a column's cells: which values become which, decided once for each distinct one."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.addresses.repairs import Repair
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.lists.engine.hash_numbers import TextsByHash

KINDS = tuple(RepairKind)


@dataclass(frozen=True, slots=True)
class RepairedCells:
    """Rows of a block that were repaired, rising; the other columns have an entry each.

    ``kinds`` are indices in ``KINDS``, ``old`` the values as they came.
    """

    rows: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    new: Sequence[str]
    old: Sequence[str]

    def pick(self, is_wanted: NDArray[np.bool_]) -> "RepairedCells":
        """Return those of some rows of the block."""
        indices = np.flatnonzero(is_wanted[self.rows])
        if len(indices) == len(self.rows):
            return self
        texts = ([some[place] for place in indices.tolist()] for some in (self.new, self.old))
        return RepairedCells(self.rows[indices], self.kinds[indices], *texts)


NO_REPAIRS = RepairedCells(np.empty(0, np.int64), np.empty(0, np.uint8), (), ())


class Repairer:
    """Applies a choice to the values that an ``AddressColumn`` does not settle at once.

    Args:
        choice: What is to be repaired.
        encoding: The list's; an address that it cannot write is none to put into the list.
    """

    def __init__(self, choice: RepairChoice, encoding: str) -> None:
        self._choice = choice
        self._encoding = encoding
        self.domains = TextsByHash("@" + domain for domain in choice.named_domains)

    def repair(
        self, rows: NDArray[np.int64], row_indices: NDArray[np.int64], values: list[str]
    ) -> RepairedCells:
        """Replace values by repaired addresses, and return which rows have them.

        Args:
            rows: Rows of a block.
            row_indices: For each, the place of its value.
            values: Distinct texts; some are replaced.
        """
        found: dict[int, tuple[str, Repair]] = {}
        for place, text in enumerate(values):
            repair = self._choice.apply(text)
            if repair is not None:
                with suppress(UnicodeEncodeError):  # the list could not hold it
                    repair.new.encode(self._encoding)
                    found[place], values[place] = (text, repair), repair.new
        if not found:
            return NO_REPAIRS
        is_found = np.zeros(len(values), np.bool_)
        is_found[list(found)] = True
        repaired = is_found[row_indices]
        repairs = [found[place] for place in row_indices[repaired].tolist()]
        return RepairedCells(
            rows[repaired],
            np.array([KINDS.index(repair.kind) for _, repair in repairs], np.uint8),
            [repair.new for _, repair in repairs],
            [text for text, _ in repairs],
        )
