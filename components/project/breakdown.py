"""Charts of a project's rows under the filters."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.page_urls import page_params
from components.kit.charts import CONFIG, build_bar_chart, choose_bars, draw_counts
from components.kit.project_view import OpenedProject
from components.project.filters import (
    Filters,
    build_row_filter,
    change_filters,
    draw_active,
    read_filters,
    read_search,
)
from components.rules.policies import draw_policy_comparison
from winnow.core.figures import show_count, show_share
from winnow.core.lists.dimensions import (
    ACTION,
    DIMENSIONS,
    DOMAIN,
    DOMAIN_TYPE,
    Bar,
    Dimension,
    Facet,
)
from winnow.core.lists.rows import RowFilter
from winnow.core.verdicts.verdict import ALWAYS_SHOWN, Action, name_action
from winnow.words import say, say_many

_CHARTED = (DOMAIN_TYPE, DOMAIN)
_BARS_MAX = 10


def draw_breakdown(view: OpenedProject) -> None:
    """Draw the charts of the rows that match the page's filters; a click on a bar filters by it."""
    filters = read_filters(page_params)
    row_filter = build_row_filter(filters, read_search(), view.find_choice().policy)
    count = partial(view.services.results.facets, *view.ids)
    everything, facets = count(RowFilter(policy=row_filter.policy)), count(row_filter)
    with st.container(horizontal=True, vertical_alignment="center", key="active_filters"):
        draw_active(view, filters, _count_matching(facets[ACTION], filters), DIMENSIONS)
    for column, dimension in zip(st.columns(2, gap="large"), _CHARTED, strict=True):
        with column:
            st.header(say(dimension.title))
            _draw_facet(dimension, facets[dimension], everything[dimension], filters)
    title = say("Compare policies")
    with st.expander(title, key="compare_policies", on_change="rerun") as box:
        if box.open:
            draw_policy_comparison(view)


def _count_matching(actions: Facet, filters: Filters) -> int:
    """Return how many rows match all filters; the counts of actions are without their own."""
    chosen = filters.chosen.of(ACTION)
    return sum(actions.find(value) for value in chosen) if chosen else actions.whole


def _draw_facet(dimension: Dimension, facet: Facet, whole: Facet, filters: Filters) -> None:
    """Draw one chart, as high as without filters, so that nothing moves after a click."""
    room = min(_BARS_MAX, whole.distinct)
    if not room:
        st.caption(say("No row has a value."))
        return
    chosen = filters.chosen.of(dimension)
    bars = choose_bars(facet, chosen, room)
    key = f"chart_{dimension.name}"

    def choose() -> None:
        value = _read_click(key)
        if value is not None:
            change_filters(lambda now: now.toggle(dimension, value))

    figure = build_bar_chart(bars, dimension.label, facet.whole, chosen, room)
    st.plotly_chart(
        figure,
        height=figure.layout.height,
        key=key,
        alt=describe(dimension, facet),
        config=CONFIG,
        on_select=guard(choose),
        selection_mode="points",
    )
    with st.container(key=f"rest_{dimension.name}", gap="xxsmall"):
        st.caption(word_rest(dimension, facet, bars))
        _draw_table_behind(dimension, facet)


def _read_click(key: str) -> str | None:
    """Return the value of the line that was clicked.

    A second click on the same line arrives as an empty selection and means that line again.
    """
    points = st.session_state[key].selection.points
    if points:
        st.session_state[f"{key}_last"] = str(points[0]["customdata"][0])
    value: str | None = st.session_state.get(f"{key}_last")
    return value


def describe(dimension: Dimension, facet: Facet) -> str:
    """Return what a chart shows in a sentence, for screen readers."""
    if not facet.bars:
        return say("{title}: no row matches", title=say(dimension.title))
    parts = [
        say(
            "{value} {share} ({rows}), mostly {action}",
            value=dimension.label(bar.value),
            share=show_share(bar.total, facet.whole),
            rows=show_count(bar.total),
            action=name_action(bar.main_action),
        )
        if bar.total
        else f"{dimension.label(bar.value)} 0"
        for bar in facet.bars[:3]
    ]
    return say_many(
        facet.whole,
        "{title} of {count} row: {parts}",
        "{title} of {count} rows: {parts}",
        title=say(dimension.title),
        parts="; ".join(parts),
    )


def word_rest(dimension: Dimension, facet: Facet, shown: Sequence[Bar]) -> str:
    """Return how many values a chart leaves out; never empty, so that the height stays."""
    left, without, parts = facet.distinct - len(shown), facet.whole - facet.valued, []
    if left > 0:
        parts.append(say("and {count} more", count=left))
    if without > 0:
        rows = say_many(without, "{count} row", "{count} rows")
        parts.append(f"{say(dimension.note)}: {rows} ({show_share(without, facet.whole)})")
    return "; ".join(parts) or say("All values are shown.")


def _draw_table_behind(dimension: Dimension, facet: Facet) -> None:
    key = f"table_{dimension.name}"
    with st.expander(say("As a table"), key=key, type="compact", on_change="rerun") as box:
        if not box.open:
            return
        one, bars = say(dimension.one), facet.bars
        counts = {say("Rows"): [bar.total for bar in bars]}
        for place, action in enumerate(Action):
            rows = [bar.counts[place] for bar in bars]
            if action in ALWAYS_SHOWN or any(rows):
                counts[name_action(action)] = rows
        draw_counts(
            one[:1].upper() + one[1:],
            [dimension.label(bar.value) for bar in bars],
            counts,
            [bar.total / max(facet.whole, 1) for bar in bars],
            alt=say("{title}: rows, share and what to do", title=say(dimension.title)),
        )
