"""Comparison of two finished projects: new, missing and changed addresses."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from winnow.core.verdicts.verdict import Verdict


class Difference(StrEnum):
    """How an address differs between an earlier project and a later one."""

    NEW = "new"  # only in the later one
    GONE = "gone"  # only in the earlier one
    CHANGED = "changed"  # in both, with another action or domain type


@dataclass(frozen=True, slots=True)
class Comparison:
    """Counts of distinct addresses; an address in several rows counts by its last row.

    ``same`` are in both lists with one verdict. ``blanks`` are rows of either with an empty email
    cell: nothing to compare. ``by_action`` counts, for each difference, addresses by action: of
    ``gone`` as it was, else as it is now. ``moves`` counts the shared addresses by the action
    before and now.
    """

    same: int
    blanks: int
    by_action: Mapping[Difference, Mapping[str, int]]
    moves: Mapping[tuple[str, str], int]

    def count(self, difference: Difference) -> int:
        """Return how many addresses have a difference."""
        return sum(self.by_action[difference].values())


@dataclass(frozen=True, slots=True)
class DifferentAddress:
    """One address with its verdicts before and now; None where a project does not have it."""

    email: str
    before: Verdict | None
    now: Verdict | None
