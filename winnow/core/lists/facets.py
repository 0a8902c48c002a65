"""What a project's rows are, counted by every question at once: the bars behind the charts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from winnow.core.verdicts.facts import AgeFacts
from winnow.core.verdicts.verdict import Category

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
    AGES = "ages"


class AgeGroup(StrEnum):
    """How old a domain was when its list was judged; the codes that stand in a page's address."""

    UNDER_30_DAYS = "30-days"
    UNDER_A_YEAR = "year"
    UNDER_5_YEARS = "5-years"
    UNDER_10_YEARS = "10-years"
    OLDER = "older"
    UNKNOWN = "unknown"


_DAYS_UNDER = (  # a year is 365.25 days
    (30, AgeGroup.UNDER_30_DAYS),
    (365, AgeGroup.UNDER_A_YEAR),
    (1826, AgeGroup.UNDER_5_YEARS),
    (3652, AgeGroup.UNDER_10_YEARS),
)


def group_age(age: AgeFacts, judged_on: date) -> AgeGroup:
    """Return the group of a domain's age on the day its list was judged.

    What was new to the judge is under 30 days, whichever day the run ended.
    """
    if age.registered_on is None:
        return AgeGroup.UNKNOWN
    if age.is_new:
        return AgeGroup.UNDER_30_DAYS
    days = (judged_on - age.registered_on).days
    return next((group for limit, group in _DAYS_UNDER if days < limit), AgeGroup.OLDER)


@dataclass(frozen=True, slots=True)
class NetworkNotes:
    """What registries and DNS said of a project's domains when it ran; each reads when called.

    ``read_ages`` gives groups by registrable domain, ``read_mail_hosts`` stretches of domains and
    their most preferred mail hosts, side by side; both are empty where nobody was asked.
    ``find_registrable`` is the Public Suffix List.
    """

    read_ages: Callable[[], Mapping[str, AgeGroup]] = dict
    read_mail_hosts: Callable[[], Iterable[tuple[Sequence[str], Sequence[str]]]] = tuple
    find_registrable: Callable[[str], str | None] = str


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
