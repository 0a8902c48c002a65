"""What the analyst wants to see of a project's rows, kept in the page's address.

A search text stays out of the address: it may be somebody's.
"""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass

from backend.core.rows import RowFilter
from backend.core.verdict import Category, DomainType

_CATEGORIES = frozenset(category.value for category in Category)
_TYPES = frozenset(domain_type.value for domain_type in DomainType)


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of the address. ``domain`` comes from a click on a domain's bar."""

    categories: frozenset[str] = frozenset()
    domain_types: frozenset[str] = frozenset()
    domain: str = ""
    hides_black: bool = False
    page: int = 1

    @property
    def is_active(self) -> bool:
        """Whether anything narrows the rows."""
        return bool(self.categories or self.domain_types or self.domain or self.hides_black)


def read_filters(params: Mapping[str, str]) -> Filters:
    """Return the filters in an address; what cannot be is dropped."""
    page = params.get("page", "1")
    return Filters(
        categories=frozenset(params.get("category", "").split(",")) & _CATEGORIES,
        domain_types=frozenset(params.get("type", "").split(",")) & _TYPES,
        domain=_clean_domain(params.get("domain", "")),
        hides_black=params.get("black") == "hidden",
        page=int(page) if page.isascii() and page.isdigit() and 0 < int(page) < 10**9 else 1,
    )


def write_filters(filters: Filters, params: MutableMapping[str, str]) -> None:
    """Put filters into an address; what filters nothing leaves it."""
    values = {
        "category": ",".join(sorted(filters.categories)),
        "type": ",".join(sorted(filters.domain_types)),
        "domain": filters.domain,
        "black": "hidden" if filters.hides_black else "",
        "page": str(filters.page) if filters.page > 1 else "",
    }
    for key, value in values.items():
        if value:
            params[key] = value
        elif key in params:
            del params[key]


def build_row_filter(filters: Filters, search: str) -> RowFilter:
    """Return what the rows must match. ``search`` is an address or part of a domain."""
    categories = filters.categories
    if filters.hides_black:
        categories = (categories or _CATEGORIES) - {Category.BLACK.value}
    search = search.strip()
    is_domain = bool(search) and "@" not in search and not filters.domain
    return RowFilter(
        categories=categories,
        domain_types=filters.domain_types,
        domain=search if is_domain else filters.domain,
        text="" if is_domain else search,
    )


def toggle(chosen: frozenset[str], value: str) -> frozenset[str]:
    """Return the choice with one value put in, or taken out if it was in."""
    return chosen - {value} if value in chosen else chosen | {value}


def order_categories(values: Sequence[str]) -> list[str]:
    """Return category values in the usual order."""
    return [category.value for category in Category if category.value in values]


def _clean_domain(text: str) -> str:
    return text.strip().lower()[:253] if "@" not in text else ""
