"""What a project's rows are, counted by every question at once: the bars behind the charts."""

from dataclasses import dataclass
from enum import StrEnum

from backend.core.verdict import Category

GENERIC = "generic"
"""The country of a domain whose top-level domain is no country's: com, org, shop …"""


class Dimension(StrEnum):
    """What rows can be counted by; each is a restriction of a RowFilter as well."""

    CATEGORIES = "categories"
    DOMAIN_TYPES = "domain_types"
    REASONS = "reasons"
    DOMAINS = "domains"
    PROVIDERS = "providers"
    COUNTRIES = "countries"


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
        categories = tuple(Category)
        return categories[self.counts.index(max(self.counts))]


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
