"""Dimensions of a project's charts and filters: one record each, in their order; counts by them.

A dimension whose record has ``of_verdict`` is counted and filtered by it; DOMAIN by the domain
itself; PROVIDER by the groups of domains that ``lists/result/filters.py`` makes.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.own_lists.patterns import show_pattern
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Action, Category, Verdict, name_action
from winnow.words import say, translatable


@dataclass(frozen=True, slots=True, eq=False)
class Dimension:
    """Dimension that rows can be counted and filtered by.

    Attributes:
        name: Its key in a page's address and in the keys of widgets; it never changes, since
            addresses are kept.
        one: Its value's name; callers translate this and the next three.
        many: Its values' name.
        title: Of its chart, if it has one.
        note: What rows without a value are.
        values: All of them, in order; empty: every text of a shape.
        shape: What a value may look like; never an email address, since no page's address has one.
        label: A value as people read it, translated.
        of_verdict: The values of the rows that have a verdict, by a policy.
    """

    name: str
    one: str
    many: str
    title: str = ""
    values: tuple[str, ...] = ()
    shape: re.Pattern[str] | None = None
    note: str = ""
    label: Callable[[str], str] = str
    of_verdict: Callable[[Verdict, CleaningPolicy], Sequence[str]] | None = None

    def accepts(self, value: str) -> bool:
        """Whether a text from a page's address can be a value."""
        if self.shape is not None:
            return self.shape.fullmatch(value) is not None
        return value in self.values


ACTION = Dimension(
    name="action",
    one=translatable("action"),
    many=translatable("actions"),
    values=tuple(action.value for action in Action),
    label=lambda value: name_action(Action(value)),
    of_verdict=lambda verdict, policy: (policy.find_action(verdict).value,),
)
CATEGORY = Dimension(
    name="category",
    one=translatable("verdict"),
    many=translatable("verdicts"),
    values=tuple(category.value for category in Category),
    label=lambda value: name_action(Category(value)),
    of_verdict=lambda verdict, _: (verdict.category.value,),
)
DOMAIN_TYPE = Dimension(
    name="type",
    title=translatable("Domain types"),
    one=translatable("domain type"),
    many=translatable("domain types"),
    values=tuple(domain_type.value for domain_type in DomainType),
    label=lambda value: say(DomainType(value).words),
    of_verdict=lambda verdict, _: (verdict.domain_type.value,),
)
REASON = Dimension(
    name="reason",
    one=translatable("reason"),
    many=translatable("reasons"),
    values=tuple(reason.value for reason in Reason),
    label=lambda value: Reason(value).label,
    of_verdict=lambda verdict, _: tuple(reason.value for reason in verdict.reasons),
)
DOMAIN = Dimension(
    name="domain",
    title=translatable("Top domains"),
    one=translatable("domain"),
    many=translatable("domains"),
    shape=re.compile(r"[a-z0-9_.-]{1,253}"),
    note=translatable("without a domain"),
    label=show_pattern,
)
PROVIDER = Dimension(
    name="provider",
    one=translatable("provider"),
    many=translatable("providers"),
    shape=re.compile(r"[\w .&()-]{1,253}"),
    label=show_pattern,
)
DIMENSIONS = (ACTION, CATEGORY, DOMAIN_TYPE, REASON, DOMAIN, PROVIDER)


@dataclass(frozen=True, slots=True)
class Bar:
    """One value and the rows that have it: one count an action, in the order of ``Action``."""

    value: str
    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        """The rows that have the value."""
        return sum(self.counts)

    @property
    def main_action(self) -> Action:
        """The action that most of the rows have."""
        return tuple(Action)[self.counts.index(max(self.counts))]


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
