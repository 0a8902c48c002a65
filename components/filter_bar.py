"""The filters above the charts and the table: widgets for all of them, and what is active."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import streamlit as st

from components.error_boundary import guard
from components.filters import VALUES_MAX, Filters
from components.markdown import escape_markdown
from winnow.core.figures import show_count
from winnow.core.lists.dimensions import CATEGORY, DIMENSIONS, OWN_VALUE, Dimension
from winnow.core.lists.facets import Facet, Facets
from winnow.core.verdicts.verdict import Category
from winnow.core.verdicts.words import SHAPES
from winnow.words import say, say_many

_SEARCH = "filter_search"
_CATEGORIES, _BLACK = "filter_category", "filter_black"
_IN_MENU = tuple(dimension for dimension in DIMENSIONS if dimension is not CATEGORY)


def read_search() -> str:
    """Return what is searched for, which no address ever carries."""
    text: str = st.session_state.get(_SEARCH) or ""
    return text


def draw_filter_bar(filters: Filters, facets: Facets, on_change: Callable[[Filters], None]) -> None:
    """Draw the filters; changes go to ``on_change`` before the page runs again."""
    state = st.session_state
    state[_CATEGORIES] = [one for one in CATEGORY.values if one in filters.chosen.of(CATEGORY)]
    state[_BLACK] = filters.hides_black

    def changed() -> None:
        chosen = frozenset(state[_CATEGORIES])
        hides_black = state[_BLACK] and Category.BLACK.value not in chosen
        on_change(replace(filters, hides_black=hides_black).choose(CATEGORY, chosen))

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.pills(
            say("Verdict"),
            CATEGORY.values,
            selection_mode="multi",
            format_func=lambda value: _label(CATEGORY, value, facets[CATEGORY]),
            key=_CATEGORIES,
            on_change=guard(changed),
        )
        st.text_input(
            say("Find in the list"),
            type="search",
            key=_SEARCH,
            on_change=guard(changed),
            placeholder=say("Address, domain, any text"),
            help=say("Looks in every column of every row."),
            width=290,
        )
        with st.popover(say("More filters"), icon=":material/filter_alt:"):
            for dimension in _IN_MENU:
                facet = facets[dimension]
                if not dimension.is_optional or facet.bars or filters.chosen.of(dimension):
                    _draw_choice(dimension, filters, facet, on_change)
        hide = say("Hide rows to remove")
        st.toggle(f"{hide} {SHAPES[Category.BLACK]}", key=_BLACK, on_change=guard(changed))


def _draw_choice(
    dimension: Dimension, filters: Filters, facet: Facet, on_change: Callable[[Filters], None]
) -> None:
    key = f"filter_{dimension.name}"
    chosen = filters.chosen.of(dimension)
    options = [bar.value for bar in facet.bars]
    options += sorted(chosen.difference(options))
    st.session_state[key] = [value for value in options if value in chosen]
    many = say(dimension.many)
    st.multiselect(
        many[:1].upper() + many[1:],
        options,
        format_func=lambda value: _label(dimension, value, facet),
        key=key,
        on_change=guard(
            lambda: on_change(filters.choose(dimension, frozenset(st.session_state[key])))
        ),
        max_selections=VALUES_MAX,
        placeholder=say("All"),
    )


def _name_chosen(dimension: Dimension, value: str, own_values: Mapping[str, str]) -> str:
    if dimension is OWN_VALUE:
        return own_values.get(value) or say("A value that this list does not have")
    one = say(dimension.one)
    return f"{one[:1].upper()}{one[1:]}: {dimension.label(value)}"


def _label(dimension: Dimension, value: str, facet: Facet) -> str:
    return f"{dimension.label(value)} {show_count(facet.find(value))}"


def draw_active(
    filters: Filters,
    matching: int,
    row_count: int,
    on_change: Callable[[Filters], None],
    own_values: Mapping[str, str],
) -> None:
    """Draw what is active: how many rows are left, each choice with a way out, one out of all.

    ``own_values`` are the names of the chosen values of the list's own columns, by their codes.
    """

    def clear() -> None:
        st.session_state[_SEARCH] = ""
        on_change(Filters(order=filters.order))

    with st.container(horizontal=True, vertical_alignment="center", key="active_filters"):
        if not filters.is_active and not read_search():
            text = say_many(
                row_count,
                "**{count} row.** Click a bar to filter the charts and the table.",
                "**All {count} rows.** Click a bar to filter the charts and the table.",
            )
            st.markdown(text, width="content")
            return
        left = say_many(
            row_count, "{left} of {count} row", "{left} of {count} rows", left=show_count(matching)
        )
        st.markdown(f"**{left}**", width="content")
        for dimension in (*_IN_MENU, OWN_VALUE):
            for value in sorted(filters.chosen.of(dimension)):
                label = _name_chosen(dimension, value, own_values)
                st.button(
                    escape_markdown(label),
                    icon=":material/close:",
                    icon_position="right",
                    key=f"drop_{dimension.name}_{value}",
                    help=say("Take this filter away"),
                    on_click=guard(on_change),
                    args=(filters.toggle(dimension, value),),
                )
        st.button(
            say("Clear all filters"), key="clear_filters", type="tertiary", on_click=guard(clear)
        )
