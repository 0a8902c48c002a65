"""Filters and order of a project's rows, kept in the page's URL.

A search text is not in the URL, since it may be a person's address.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.html import escape_markdown
from components.frame.page_urls import page_params
from components.frame.session import set_widget
from components.kit.project_view import OpenedProject
from winnow.core.figures import show_count
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.dimensions import ACTION, CATEGORY, DIMENSIONS, Dimension, Facet, Facets
from winnow.core.lists.exports import NOTHING_CHOSEN
from winnow.core.lists.rows import IN_FILE, Chosen, RowFilter, RowOrder
from winnow.core.verdicts.verdict import ALWAYS_SHOWN
from winnow.words import say, say_many

VALUES_MAX = 20  # of one dimension: a URL stays short enough to be sent
_SEARCH, _SEARCHED = "filter_search", "searched"
_ACTIONS, _MENU = "filter_action", "more_filters"
_ALWAYS = tuple(one.value for one in ALWAYS_SHOWN)
_IN_MENU = tuple(one for one in DIMENSIONS if one not in (ACTION, CATEGORY))


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of the URL, and the order of the rows that match."""

    chosen: Chosen = field(default_factory=Chosen)
    page: int = 1
    order: RowOrder = IN_FILE

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
        for dimension in (ACTION, *_IN_MENU)
        for value in params.get(dimension.name, "").split(",")[:VALUES_MAX]
        if dimension.accepts(value)
    )
    chosen = Chosen(frozenset(values))
    return Filters(
        chosen=chosen,
        order=RowOrder.parse(params.get("sort", "")),
        page=int(page) if page.isascii() and page.isdigit() and 0 < int(page) < 10**9 else 1,
    )


def list_params(filters: Filters) -> Mapping[str, str]:
    """Return the URL's parameters of filters; empty texts for those that are not active."""
    values = {one.name: ",".join(sorted(filters.chosen.of(one))) for one in DIMENSIONS}
    values["sort"] = filters.order.word()
    values["page"] = str(filters.page) if filters.page > 1 else ""
    return values


def change_filters(edit: Callable[[Filters], Filters]) -> None:
    """Edit the page's filters, in a widget's callback: two changes at once both apply."""
    page_params.put(list_params(edit(read_filters(page_params))))


def build_row_filter(
    filters: Filters, search: str, policy: CleaningPolicy = NOTHING_CHOSEN.policy
) -> RowFilter:
    """Return the condition on the rows. ``search`` is a part of any cell, or of a domain."""
    return RowFilter(filters.chosen, search.strip(), policy)


def read_search() -> str:
    """Return the search text of the open project, which is never in a URL."""
    task_id, text = st.session_state.get(_SEARCHED, (None, ""))
    return text if task_id == page_params.get("task") else ""


def _search(text: str) -> None:
    """Keep a search text: Streamlit forgets a field's value while another tab is open."""
    st.session_state[_SEARCHED] = (page_params.get("task"), text)


def draw_filter_bar(filters: Filters, facets: Facets, draw_columns: Callable[[], None]) -> None:
    """Draw search, actions, and the menu of further filters and the list's columns.

    The menu's widgets are there only while it is open: a browser keeps the former value of a
    widget in a closed menu, and sends it with the next click anywhere.
    """
    set_widget(_SEARCH, read_search())
    set_widget(_ACTIONS, [one for one in ACTION.values if one in filters.chosen.of(ACTION)])
    with st.container(horizontal=True, vertical_alignment="bottom", key="filter_bar"):
        st.text_input(
            say("Find in the list"),
            type="search",
            key=_SEARCH,
            on_change=guard(_find),
            placeholder=say("Find an address, a domain, any text"),
            label_visibility="collapsed",
            width=290,
        )
        st.pills(
            say("What to do"),
            [one for one in ACTION.values if one in _ALWAYS or facets[ACTION].find(one)],
            selection_mode="multi",
            format_func=lambda value: _label(ACTION, value, facets[ACTION]),
            key=_ACTIONS,
            on_change=guard(_choose_actions),
            label_visibility="collapsed",
            wrap=True,
        )
        with st.popover(
            say("More filters"), icon=":material/add:", key=_MENU, on_change="rerun"
        ) as menu:
            if menu.open:
                for dimension in _IN_MENU:
                    _draw_choice(dimension, filters, facets[dimension])
                draw_columns()


def _choose_actions() -> None:
    chosen = frozenset(st.session_state[_ACTIONS])
    change_filters(lambda filters: filters.choose(ACTION, chosen))


def _find() -> None:
    _search(st.session_state[_SEARCH] or "")
    change_filters(lambda filters: replace(filters, page=1))


def _drop(dimension: Dimension, value: str) -> None:
    change_filters(
        lambda filters: filters.choose(dimension, filters.chosen.of(dimension) - {value})
    )


def _clear() -> None:
    _search("")
    change_filters(lambda filters: Filters(order=filters.order))


def _draw_choice(dimension: Dimension, filters: Filters, facet: Facet) -> None:
    key = f"filter_{dimension.name}"
    chosen = filters.chosen.of(dimension)
    options = [bar.value for bar in facet.bars]
    options += sorted(chosen.difference(options))
    set_widget(key, [value for value in options if value in chosen])

    def choose() -> None:
        values = frozenset(st.session_state[key])
        change_filters(lambda filters: filters.choose(dimension, values))

    many = say(dimension.many)
    st.multiselect(
        many[:1].upper() + many[1:],
        options,
        format_func=lambda value: _label(dimension, value, facet),
        key=key,
        on_change=guard(choose),
        max_selections=VALUES_MAX,
        placeholder=say("All"),
    )


def _name_chosen(dimension: Dimension, value: str) -> str:
    one = say(dimension.one)
    return f"{one[:1].upper()}{one[1:]}: {dimension.label(value)}"


def _label(dimension: Dimension, value: str, facet: Facet) -> str:
    return f"{dimension.label(value)} {show_count(facet.find(value))}"


def draw_active(
    view: OpenedProject,
    filters: Filters,
    matching: int,
    named: Sequence[Dimension] = _IN_MENU,
) -> None:
    """Draw the number of rows left, and buttons that clear each active filter or all of them."""
    row_count = view.services.results.facets(*view.ids, RowFilter())[ACTION].whole
    if filters.chosen == Chosen() and not read_search():
        text = say_many(row_count, "**{count} row**", "**All {count} rows**")
        st.markdown(text, width="content")
        return
    left = say_many(
        row_count, "{left} of {count} row", "{left} of {count} rows", left=show_count(matching)
    )
    st.markdown(f"**{left}**", width="content")
    for dimension in named:
        for value in sorted(filters.chosen.of(dimension)):
            label = _name_chosen(dimension, value)
            st.button(
                escape_markdown(label),
                icon=":material/close:",
                icon_position="right",
                key=f"drop_{dimension.name}_{value}",
                help=say("Remove this filter"),
                on_click=guard(_drop),
                args=(dimension, value),
            )
    st.button(
        say("Clear all filters"), key="clear_filters", type="tertiary", on_click=guard(_clear)
    )
