"""Filters and order of a project's rows, kept in the page's URL.

A search text is not in the URL, since it may be a person's address.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from components.kit.page_params import page_params
from winnow.core.lists.dimensions import CATEGORY, FILTERS, Dimension
from winnow.core.lists.row_order import IN_FILE, RowOrder
from winnow.core.lists.rows import Chosen, RowFilter
from winnow.core.verdicts.verdict import Category

VALUES_MAX = 20  # of one dimension: a URL stays short enough to be sent


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of the URL, and the order of the rows that match."""

    chosen: Chosen = field(default_factory=Chosen)
    page: int = 1
    order: RowOrder = IN_FILE

    @property
    def is_active(self) -> bool:
        """Whether any filter is active."""
        return self.chosen != Chosen()

    def choose(self, dimension: Dimension, values: frozenset[str]) -> "Filters":
        """Return the filters with other values of one dimension, on the first page."""
        return replace(self, page=1, chosen=self.chosen.choose(dimension, *values))

    def toggle(self, dimension: Dimension, value: str) -> "Filters":
        """Return the filters with one value added, or removed if it was present.

        With VALUES_MAX present, no other is added.
        """
        values = self.chosen.of(dimension) ^ {value}
        return self.choose(dimension, values) if len(values) <= VALUES_MAX else self


def read_filters(params: Mapping[str, str]) -> Filters:
    """Return the filters in a URL; invalid ones are ignored."""
    page = params.get("page", "1")
    values = (
        (dimension, value)
        for dimension in FILTERS
        for value in params.get(dimension.name, "").split(",")[:VALUES_MAX]
        if dimension.accepts(value)
    )
    chosen = Chosen(frozenset(values))
    if params.get("black") == "hidden":  # as URLs of 0.2 have it
        categories = chosen.of(CATEGORY) or frozenset(CATEGORY.values)
        chosen = chosen.choose(CATEGORY, *(categories - {Category.BLACK.value}))
    return Filters(
        chosen=chosen,
        order=RowOrder.parse(params.get("sort", "")),
        page=int(page) if page.isascii() and page.isdigit() and 0 < int(page) < 10**9 else 1,
    )


def list_params(filters: Filters) -> Mapping[str, str]:
    """Return the URL's parameters of filters; empty texts for those that are not active."""
    values = {one.name: ",".join(sorted(filters.chosen.of(one))) for one in FILTERS}
    values["black"] = ""
    values["sort"] = filters.order.word()
    values["page"] = str(filters.page) if filters.page > 1 else ""
    return values


def change_filters(edit: Callable[[Filters], Filters]) -> None:
    """Edit the page's filters, in a widget's callback: two changes at once both apply."""
    page_params.put(list_params(edit(read_filters(page_params))))


def build_row_filter(filters: Filters, search: str) -> RowFilter:
    """Return the condition on the rows. ``search`` is a part of any cell, or of a domain."""
    return RowFilter(filters.chosen, text=search.strip())
