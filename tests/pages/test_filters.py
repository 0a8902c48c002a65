"""Filters live in the page's address; a search does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.project.filters import (
    VALUES_MAX,
    Filters,
    build_row_filter,
    list_params,
    read_filters,
)
from winnow.core.lists.dimensions import CATEGORY, DIMENSIONS, DOMAIN, Dimension
from winnow.core.lists.rows import IN_FILE, Chosen, RowFilter, RowOrder, SortBy

READ = [one for one in DIMENSIONS if one is not CATEGORY]  # only the API filters by that
OPEN = ["x.example", "xn--bcher-kva.example", "Gmail", "AT&T", "Free (France)", "de", "generic"]
CHOICES = st.frozensets(
    st.sampled_from(
        [(one, value) for one in READ for value in one.values or OPEN if one.accepts(value)]
    ),
    max_size=VALUES_MAX,
)
FILTERS = st.builds(
    Filters,
    chosen=CHOICES.map(Chosen),
    page=st.integers(1, 10**8),
    order=st.builds(RowOrder, st.sampled_from([*SortBy, 0, 12]), st.booleans()),
)
NAMES = [*(dimension.name for dimension in DIMENSIONS), "page", "sort"]


@given(FILTERS)
def test_filters_come_back_from_an_address(filters: Filters) -> None:
    query: dict[str, str] = {"task": "t", "page": "7", "domain": "old.example", "sort": "type"}
    query |= list_params(filters)
    assert read_filters(query) == filters
    assert query["task"] == "t"


def test_an_address_that_was_kept_holds() -> None:
    address = {
        "action": "keep,review",
        "type": "free",
        "reason": "role_account",
        "domain": "gmx.de",
        "provider": "GMX",
        "sort": "-domain",
        "page": "3",
    }
    query = {name: value for name, value in list_params(read_filters(address)).items() if value}
    assert query == address


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(NAMES), st.text()))
def test_any_address_is_read(query: dict[str, str]) -> None:
    filters = read_filters(query)
    assert filters.page >= 1
    assert not any("@" in value for _, value in filters.chosen.pairs)


def test_an_address_of_somebody_and_an_order_are_no_filter() -> None:
    for name in {*NAMES} - {"page", "sort"}:
        assert read_filters({name: "ana@gmail.com"}) == Filters(), name
    assert read_filters({"sort": "-domain"}).chosen == Chosen()
    assert read_filters({"sort": "ana@gmail.com"}).order == IN_FILE


def test_a_search_looks_into_every_cell_and_holds_beside_a_chosen_domain() -> None:
    for part in ("gmx.de", "ana@", "Paid Social"):
        assert build_row_filter(Filters(), f" {part} ") == RowFilter(text=part)
    both = build_row_filter(Filters(Chosen().choose(DOMAIN, "gmx.de")), "gmx")
    assert (both.text, both.chosen.of(DOMAIN)) == ("gmx", {"gmx.de"})


@pytest.mark.parametrize("dimension", DIMENSIONS, ids=lambda one: one.name)
def test_a_second_click_takes_a_choice_back(dimension: Dimension) -> None:
    once = Filters(page=4).toggle(dimension, "free")
    assert once.chosen.of(dimension) == {"free"}
    assert once.page == 1
    assert once.toggle(dimension, "free") == Filters()


def test_no_more_values_than_an_address_carries() -> None:
    full = Filters().choose(DOMAIN, frozenset(f"d{number}.example" for number in range(VALUES_MAX)))
    assert full.toggle(DOMAIN, "one-more.example") == full
    assert len(full.toggle(DOMAIN, "d3.example").chosen.of(DOMAIN)) == VALUES_MAX - 1
