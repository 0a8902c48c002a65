"""Tables of a project's rows under the filters, by domain type and by domain."""

import zlib

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.page_urls import page_params
from components.frame.session import set_widget
from components.kit.charts import draw_counts, render_bar
from components.kit.project_view import OpenedProject
from components.project.filters import (
    VALUES_MAX,
    Filters,
    build_row_filter,
    change_filters,
    draw_active,
    read_filters,
    read_search,
)
from components.rules.policies import draw_policy_comparison
from winnow.core.figures import show_share
from winnow.core.lists.dimensions import ACTION, DIMENSIONS, DOMAIN, DOMAIN_TYPE, Dimension, Facet
from winnow.core.verdicts.verdict import ALWAYS_SHOWN, Action, name_action
from winnow.words import say, say_many

_SHOWN = (DOMAIN_TYPE, DOMAIN)


def draw_breakdown(view: OpenedProject) -> None:
    """Draw the rows that match the page's filters by value; a ticked value is a filter."""
    filters = read_filters(page_params)
    row_filter = build_row_filter(filters, read_search(), view.find_choice().policy)
    facets = view.services.results.facets(*view.ids, row_filter)
    actions, chosen = facets[ACTION], filters.chosen.of(ACTION)  # counted without their own filter
    matching = sum(map(actions.find, chosen)) if chosen else actions.whole
    with st.container(horizontal=True, vertical_alignment="center", key="active_filters"):
        draw_active(view, filters, matching, DIMENSIONS)
    for column, dimension in zip(st.columns(2, gap="large"), _SHOWN, strict=True):
        with column:
            st.header(say(dimension.title))
            _draw_facet(dimension, facets[dimension], filters)
    title = say("Compare policies")
    with st.expander(title, key="compare_policies", on_change="rerun") as box:
        if box.open:
            draw_policy_comparison(view)


def _draw_facet(dimension: Dimension, facet: Facet, filters: Filters) -> None:
    """Draw the values of a dimension with their rows; the ticked ones are chosen."""
    bars = facet.bars
    if not bars:
        st.caption(say("No row has a value."))
        return
    values, chosen = [bar.value for bar in bars], filters.chosen.of(dimension)
    key = f"facet_{dimension.name}_{zlib.crc32(repr(values).encode())}"
    ticked = [place for place, value in enumerate(values) if value in chosen]
    set_widget(key, {"selection": {"rows": ticked, "columns": [], "cells": []}})

    def choose() -> None:
        now = frozenset(values[row] for row in st.session_state[key]["selection"]["rows"])
        if len(now) <= VALUES_MAX:
            change_filters(lambda before: before.choose(dimension, now))

    counts = {say("Rows"): [bar.total for bar in bars]}
    for place, action in enumerate(Action):
        rows = [bar.counts[place] for bar in bars]
        if action in ALWAYS_SHOWN or any(rows):
            counts[name_action(action)] = rows
    one, largest = say(dimension.one), max(bar.total for bar in bars) or 1
    draw_counts(
        one[:1].upper() + one[1:],
        [dimension.label(value) for value in values],
        counts,
        [bar.total / max(facet.whole, 1) for bar in bars],
        bars=[render_bar(bar.counts, largest) for bar in bars],
        alt=say("{title}: rows, share and what to do", title=say(dimension.title)),
        key=key,
        on_select=guard(choose),
        selection_mode="multi-row",
    )
    st.caption(word_rest(dimension, facet))


def word_rest(dimension: Dimension, facet: Facet) -> str:
    """Return how many values a table leaves out, and how many rows have none."""
    left, without = facet.distinct - len(facet.bars), facet.whole - facet.valued
    said = []
    if left > 0:
        said.append(say_many(left, "{count} more is not shown.", "{count} more are not shown."))
    if without > 0:
        text = say(
            "{note}: {rows} ({share}).",
            note=say(dimension.note),
            rows=say_many(without, "{count} row", "{count} rows"),
            share=show_share(without, facet.whole),
        )
        said.append(text[:1].upper() + text[1:])
    return " ".join(said)
