"""Filters live in the page's address; a search does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.filters import VALUES_MAX, Filters, build_row_filter, read_filters, write_filters
from winnow.core.lists.facets import AgeGroup, Dimension
from winnow.core.verdicts.verdict import Category, DomainType, Reason


def _some(values: list[str]) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(st.sampled_from(values), max_size=20)


FILTERS = st.builds(
    Filters,
    categories=_some([category.value for category in Category]),
    domain_types=_some([kind.value for kind in DomainType]),
    reasons=_some([reason.value for reason in Reason]),
    domains=_some(["x.example", "xn--bcher-kva.example"]),
    providers=_some(["Gmail", "AT&T", "Free (France)", "mail.example"]),
    countries=_some(["de", "fr", "generic"]),
    ages=_some([group.value for group in AgeGroup]),
    hides_black=st.booleans(),
    page=st.integers(1, 10**8),
)
NAMES = ["category", "type", "reason", "domain", "provider", "country", "age", "black", "page"]


@given(FILTERS)
def test_filters_come_back_from_an_address(filters: Filters) -> None:
    query: dict[str, str] = {"task": "t", "page": "7", "domain": "old.example"}
    write_filters(filters, query)
    assert read_filters(query) == filters
    assert query["task"] == "t"


@given(st.dictionaries(st.sampled_from(NAMES), st.text()))
def test_any_address_is_read(query: dict[str, str]) -> None:
    filters = read_filters(query)
    assert filters.page >= 1
    for dimension in Dimension:
        assert not any("@" in value for value in filters.chosen(dimension))


@pytest.mark.parametrize("name", sorted({*NAMES} - {"black", "page"}))
def test_an_address_of_somebody_is_no_filter(name: str) -> None:
    assert not read_filters({name: "ana@gmail.com"}).is_active


def test_hidden_black_leaves_what_was_chosen_beside_it() -> None:
    hiding = Filters(hides_black=True)
    assert build_row_filter(hiding, "").categories == {"white", "grey"}
    grey = Filters(categories=frozenset({"grey"}), hides_black=True)
    assert build_row_filter(grey, "").categories == {"grey"}


def test_a_search_with_an_at_sign_looks_at_cells_and_one_without_at_domains() -> None:
    assert build_row_filter(Filters(), " gmx.de ").domain == "gmx.de"
    address = build_row_filter(Filters(), "ana@")
    assert (address.domain, address.text) == ("", "ana@")


def test_a_search_and_a_chosen_domain_hold_both() -> None:
    both = build_row_filter(Filters(domains=frozenset({"gmx.de"})), "gmx")
    assert (both.domain, both.domains) == ("gmx", {"gmx.de"})


@pytest.mark.parametrize("dimension", Dimension)
def test_a_second_click_takes_a_choice_back(dimension: Dimension) -> None:
    once = Filters(page=4).toggle(dimension, "free")
    assert once.chosen(dimension) == {"free"}
    assert once.page == 1
    assert once.toggle(dimension, "free") == Filters()


def test_no_more_values_than_an_address_carries() -> None:
    full = Filters(domains=frozenset(f"d{number}.example" for number in range(VALUES_MAX)))
    assert full.toggle(Dimension.DOMAINS, "one-more.example") == full
    assert len(full.toggle(Dimension.DOMAINS, "d3.example").domains) == VALUES_MAX - 1
