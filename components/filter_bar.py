"""The filters above the table: categories, domain types, a search, and what is active."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from backend.core.tasks import Summary
from backend.core.verdict import Category
from components.figures import show_count
from components.filters import Filters, order_categories
from components.words import name_category


def draw_filter_bar(
    filters: Filters, summary: Summary, on_change: Callable[[Filters], None]
) -> str:
    """Draw the filters; changes go to ``on_change`` before the page runs again.

    Returns:
        What is searched for, which no address ever carries.
    """
    types = _list_types(summary)
    st.session_state["filter_category"] = order_categories(list(filters.categories))
    st.session_state["filter_type"] = [name for name in types if name in filters.domain_types]
    st.session_state["filter_black"] = filters.hides_black

    def changed() -> None:
        state = st.session_state
        on_change(
            replace(
                filters,
                categories=frozenset(state["filter_category"]),
                domain_types=frozenset(state["filter_type"]),
                hides_black=state["filter_black"]
                and Category.BLACK.value not in state["filter_category"],
                page=1,
            )
        )

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.pills(
            "Category",
            [category.value for category in Category],
            selection_mode="multi",
            format_func=lambda value: (
                f"{name_category(Category(value))} {show_count(summary.by_category.get(value, 0))}"
            ),
            key="filter_category",
            on_change=changed,
        )
        st.multiselect(
            "Domain type",
            types,
            format_func=lambda name: f"{name} ({show_count(summary.by_domain_type.get(name, 0))})",
            key="filter_type",
            on_change=changed,
            placeholder="All types",
            width=280,
        )
        search = st.text_input(
            "Find an address or domain",
            type="search",
            key="filter_search",
            on_change=changed,
            placeholder="Part of a domain, or a whole address",
            width=280,
        )
        st.toggle("Hide black rows", key="filter_black", on_change=changed)
    _draw_active(filters, search or "", on_change)
    return search or ""


def _draw_active(filters: Filters, search: str, on_change: Callable[[Filters], None]) -> None:
    """Draw the filters that come from clicks, each with a way out, and one way out of all."""

    def clear() -> None:
        st.session_state["filter_search"] = ""
        on_change(Filters())

    if not filters.is_active and not search:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if filters.domain:
            st.button(
                f"Domain: {filters.domain}",
                icon=":material/close:",
                icon_position="right",
                key="drop_domain",
                help="Show all domains again",
                on_click=lambda: on_change(replace(filters, domain="", page=1)),
            )
        st.button("Clear all filters", key="clear_filters", type="tertiary", on_click=clear)


def _list_types(summary: Summary) -> Sequence[str]:
    return sorted(summary.by_domain_type, key=lambda name: -summary.by_domain_type[name])
