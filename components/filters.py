"""What the analyst wants to see of a project's rows, kept in the page's address.

A search text stays out of the address: it may be somebody's.
"""

import re
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace

from winnow.core.lists.facets import GENERIC, AgeGroup, Dimension
from winnow.core.lists.rows import RowFilter
from winnow.core.verdicts.verdict import Category, DomainType, Reason

_NAMES: Mapping[Dimension, str] = {
    Dimension.CATEGORIES: "category",
    Dimension.DOMAIN_TYPES: "type",
    Dimension.REASONS: "reason",
    Dimension.DOMAINS: "domain",
    Dimension.PROVIDERS: "provider",
    Dimension.COUNTRIES: "country",
    Dimension.AGES: "age",
}
_KNOWN: Mapping[Dimension, frozenset[str]] = {
    Dimension.CATEGORIES: frozenset(category.value for category in Category),
    Dimension.DOMAIN_TYPES: frozenset(domain_type.value for domain_type in DomainType),
    Dimension.REASONS: frozenset(reason.value for reason in Reason),
    Dimension.AGES: frozenset(group.value for group in AgeGroup),
}
_SHAPES: Mapping[Dimension, re.Pattern[str]] = {  # nothing that could be an address
    Dimension.DOMAINS: re.compile(r"[a-z0-9_.-]{1,253}"),
    Dimension.PROVIDERS: re.compile(r"[\w .&()-]{1,253}"),
    Dimension.COUNTRIES: re.compile(rf"[a-z]{{2}}|{GENERIC}"),
}
VALUES_MAX = 20  # of one dimension: an address stays short enough to be sent


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of the address; those of the charts by dimension, as in ``RowFilter``."""

    categories: frozenset[str] = frozenset()
    domain_types: frozenset[str] = frozenset()
    reasons: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    providers: frozenset[str] = frozenset()
    countries: frozenset[str] = frozenset()
    ages: frozenset[str] = frozenset()
    hides_black: bool = False
    page: int = 1

    @property
    def is_active(self) -> bool:
        """Whether anything narrows the rows."""
        return self.hides_black or any(self.chosen(dimension) for dimension in Dimension)

    def chosen(self, dimension: Dimension) -> frozenset[str]:
        """Return the values chosen of one dimension."""
        values: frozenset[str] = getattr(self, dimension.value)
        return values

    def choose(self, dimension: Dimension, values: frozenset[str]) -> "Filters":
        """Return the filters with other values of one dimension, on the first page."""
        return replace(self, page=1, **{dimension.value: values})  # type: ignore[arg-type]

    def toggle(self, dimension: Dimension, value: str) -> "Filters":
        """Return the filters with one value put in, or taken out if it was in.

        Where VALUES_MAX are in, no other goes in.
        """
        values = self.chosen(dimension) ^ {value}
        return self.choose(dimension, values) if len(values) <= VALUES_MAX else self


def read_filters(params: Mapping[str, str]) -> Filters:
    """Return the filters in an address; what cannot be is dropped."""
    page = params.get("page", "1")
    filters = Filters(
        hides_black=params.get("black") == "hidden",
        page=int(page) if page.isascii() and page.isdigit() and 0 < int(page) < 10**9 else 1,
    )
    chosen = {
        dimension.value: _read_values(dimension, params.get(name, ""))
        for dimension, name in _NAMES.items()
    }
    return replace(filters, **chosen)  # type: ignore[arg-type]


def _read_values(dimension: Dimension, text: str) -> frozenset[str]:
    values = text.split(",")[:VALUES_MAX]
    if dimension in _KNOWN:
        return frozenset(values) & _KNOWN[dimension]
    return frozenset(value for value in values if _SHAPES[dimension].fullmatch(value))


def write_filters(filters: Filters, params: MutableMapping[str, str]) -> None:
    """Put filters into an address; what filters nothing leaves it."""
    values = {
        name: ",".join(sorted(filters.chosen(dimension))) for dimension, name in _NAMES.items()
    }
    values["black"] = "hidden" if filters.hides_black else ""
    values["page"] = str(filters.page) if filters.page > 1 else ""
    for key, value in values.items():
        if value:
            params[key] = value
        elif key in params:
            del params[key]


def build_row_filter(filters: Filters, search: str) -> RowFilter:
    """Return what the rows must match. ``search`` is an address or part of a domain."""
    categories = filters.categories
    if filters.hides_black:
        categories = (categories or _KNOWN[Dimension.CATEGORIES]) - {Category.BLACK.value}
    search = search.strip()
    return RowFilter(
        categories=categories,
        domain_types=filters.domain_types,
        reasons=filters.reasons,
        domain="" if "@" in search else search,
        text=search if "@" in search else "",
        domains=filters.domains,
        providers=filters.providers,
        countries=filters.countries,
        ages=filters.ages,
    )


def order_categories(values: Sequence[str]) -> list[str]:
    """Return category values in the usual order."""
    return [category.value for category in Category if category.value in values]
