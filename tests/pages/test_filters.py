"""Filters live in the page's address; a search does not."""

from hypothesis import given
from hypothesis import strategies as st

from backend.core.verdict import Category, DomainType
from components.filters import Filters, build_row_filter, read_filters, toggle, write_filters

FILTERS = st.builds(
    Filters,
    categories=st.frozensets(st.sampled_from([category.value for category in Category])),
    domain_types=st.frozensets(st.sampled_from([kind.value for kind in DomainType])),
    domain=st.sampled_from(["", "x.example", "xn--bcher-kva.example"]),
    hides_black=st.booleans(),
    page=st.integers(1, 10**8),
)


@given(FILTERS)
def test_filters_come_back_from_an_address(filters: Filters) -> None:
    query: dict[str, str] = {"task": "t", "page": "7", "domain": "old.example"}
    write_filters(filters, query)
    assert read_filters(query) == filters
    assert query["task"] == "t"


@given(st.dictionaries(st.sampled_from(["category", "type", "domain", "black", "page"]), st.text()))
def test_any_address_is_read(query: dict[str, str]) -> None:
    filters = read_filters(query)
    assert filters.page >= 1
    assert "@" not in filters.domain


def test_hidden_black_leaves_what_was_chosen_beside_it() -> None:
    hiding = Filters(hides_black=True)
    assert build_row_filter(hiding, "").categories == {"white", "grey"}
    grey = Filters(categories=frozenset({"grey"}), hides_black=True)
    assert build_row_filter(grey, "").categories == {"grey"}


def test_a_search_with_an_at_sign_looks_at_cells_and_one_without_at_domains() -> None:
    assert build_row_filter(Filters(), " gmx.de ").domain == "gmx.de"
    address = build_row_filter(Filters(), "ana@")
    assert (address.domain, address.text) == ("", "ana@")


def test_a_second_click_takes_a_choice_back() -> None:
    once = toggle(frozenset(), "free")
    assert once == {"free"}
    assert toggle(once, "free") == frozenset()
