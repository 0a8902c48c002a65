"""What the analyst wants to see of a project's rows, kept in the page's address.

A search text stays out of the address: it may be somebody's.
"""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field, replace

from components.address_params import put_params
from winnow.core.lists.dimensions import CATEGORY, FILTERS, Dimension
from winnow.core.lists.row_order import IN_FILE, RowOrder
from winnow.core.lists.rows import Chosen, RowFilter
from winnow.core.verdicts.verdict import Category

VALUES_MAX = 20  # of one dimension: an address stays short enough to be sent


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of the address, and in which order the rows stand that they leave."""

    chosen: Chosen = field(default_factory=Chosen)
    hides_black: bool = False
    page: int = 1
    order: RowOrder = IN_FILE

    @property
    def is_active(self) -> bool:
        """Whether anything narrows the rows."""
        return self.hides_black or self.chosen != Chosen()

    def choose(self, dimension: Dimension, values: frozenset[str]) -> "Filters":
        """Return the filters with other values of one dimension, on the first page."""
        return replace(self, page=1, chosen=self.chosen.choose(dimension, *values))

    def toggle(self, dimension: Dimension, value: str) -> "Filters":
        """Return the filters with one value put in, or taken out if it was in.

        Where VALUES_MAX are in, no other goes in.
        """
        values = self.chosen.of(dimension) ^ {value}
        return self.choose(dimension, values) if len(values) <= VALUES_MAX else self


def read_filters(params: Mapping[str, str]) -> Filters:
    """Return the filters in an address; what cannot be is dropped."""
    page = params.get("page", "1")
    values = (
        (dimension, value)
        for dimension in FILTERS
        for value in params.get(dimension.name, "").split(",")[:VALUES_MAX]
        if dimension.accepts(value)
    )
    return Filters(
        chosen=Chosen(frozenset(values)),
        hides_black=params.get("black") == "hidden",
        order=RowOrder.parse(params.get("sort", "")),
        page=int(page) if page.isascii() and page.isdigit() and 0 < int(page) < 10**9 else 1,
    )


def write_filters(filters: Filters, params: MutableMapping[str, str]) -> None:
    """Put filters into an address; what filters nothing leaves it."""
    values = {one.name: ",".join(sorted(filters.chosen.of(one))) for one in FILTERS}
    values["black"] = "hidden" if filters.hides_black else ""
    values["sort"] = filters.order.word()
    values["page"] = str(filters.page) if filters.page > 1 else ""
    put_params(values, params)


def build_row_filter(filters: Filters, search: str) -> RowFilter:
    """Return what the rows must match. ``search`` is part of any cell, or of a domain."""
    chosen = filters.chosen
    if filters.hides_black:
        categories = chosen.of(CATEGORY) or CATEGORY.values
        chosen = chosen.choose(CATEGORY, *(one for one in categories if one != Category.BLACK))
    return RowFilter(chosen, text=search.strip())
