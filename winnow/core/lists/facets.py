"""Facets: a project's rows counted by every dimension, as bars for the charts."""

from dataclasses import dataclass

from winnow.core.lists.dimensions import Dimension
from winnow.core.verdicts.verdict import CATEGORIES, Category


@dataclass(frozen=True, slots=True)
class Bar:
    """One value and the rows that have it: one count a category, in the order of ``Category``."""

    value: str
    counts: tuple[int, int, int]

    @property
    def total(self) -> int:
        """The rows that have the value."""
        return sum(self.counts)

    @property
    def main_category(self) -> Category:
        """The category that most of the rows have."""
        return CATEGORIES[self.counts.index(max(self.counts))]


@dataclass(frozen=True, slots=True)
class Facet:
    """The rows by the values of one dimension.

    ``bars`` are the largest values, the largest first, and every value that is chosen. ``whole``
    is the rows that pass all restrictions but the dimension's own; shares are shares of it.
    ``valued`` of them have a value at all, and ``distinct`` is how many values there are.
    """

    bars: tuple[Bar, ...]
    whole: int
    valued: int
    distinct: int

    def find(self, value: str) -> int:
        """Return how many rows have a value; 0 for one without a bar."""
        return next((bar.total for bar in self.bars if bar.value == value), 0)


Facets = dict[Dimension, Facet]
