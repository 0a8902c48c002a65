"""The charts of a project: what is in it under the filters; a click on a bar filters by it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from components.bar_chart import Named, build_bar_chart, choose_bars
from components.charts import CONFIG
from components.error_boundary import guard
from components.filters import Filters
from winnow.core.figures import show_count, show_share
from winnow.core.lists.dimensions import DIMENSIONS, Dimension
from winnow.core.lists.facets import Bar, Facet, Facets
from winnow.core.lists.rows import Chosen, RowFilter
from winnow.core.verdicts.verdict import Category
from winnow.core.verdicts.words import name_action
from winnow.words import say, say_many

_UPPER, _LOWER = 1, 2


def leave_lower(row_filter: RowFilter) -> RowFilter:
    """Return a filter without what is chosen in the lower line of charts."""
    pairs = row_filter.chosen.pairs
    upper = frozenset(pair for pair in pairs if pair[0].chart_line != _LOWER)
    return replace(row_filter, chosen=Chosen(upper))


def draw_breakdown(
    count: Callable[[RowFilter], Facets],
    row_filter: RowFilter,
    filters: Filters,
    on_change: Callable[[Filters], None],
) -> None:
    """Draw the charts under a filter, each with its table; clicks go to ``on_change``.

    A chart takes the room that its bars need, but in the upper line also those that a click in the
    lower one took away: nothing above a click moves.
    """
    everything, facets = count(RowFilter()), count(row_filter)
    for line, fitted in ((_UPPER, count(leave_lower(row_filter))), (_LOWER, facets)):
        dimensions = [
            one
            for one in DIMENSIONS
            if one.chart_line == line and (everything[one].bars or not one.is_optional)
        ]
        columns = st.columns(len(dimensions), gap="large")
        for column, dimension in zip(columns, dimensions, strict=True):
            with column:
                st.header(say(dimension.title))
                room = min(dimension.bars_max, fitted[dimension].distinct)
                _draw_facet(dimension, facets[dimension], room, filters, on_change)


def _draw_facet(
    dimension: Dimension,
    facet: Facet,
    room: int,
    filters: Filters,
    on_change: Callable[[Filters], None],
) -> None:
    if not room:
        st.caption(say("None of the rows has one."))
        return
    chosen = filters.chosen.of(dimension)
    bars = choose_bars(facet, chosen, room)
    bars.sort(key=lambda bar: dimension.rank(bar.value))
    rows = [Named(bar, dimension.label(bar.value)) for bar in bars]
    key = f"chart_{dimension.name}"

    def choose() -> None:
        value = _read_click(key)
        if value is not None:
            on_change(filters.toggle(dimension, value))

    figure = build_bar_chart(rows, facet.whole, chosen, room)
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

    A second click on the same line comes as an empty selection; it means that line again.
    """
    points = st.session_state[key].selection.points
    if points:
        st.session_state[f"{key}_last"] = str(points[0]["customdata"][0])
    value: str | None = st.session_state.get(f"{key}_last")
    return value


def describe(dimension: Dimension, facet: Facet) -> str:
    """Return a chart's finding, for those who do not see it."""
    if not facet.bars:
        return say("{title}: no row matches", title=say(dimension.title))
    parts = [
        say(
            "{value} {share} ({rows}), mostly {verdict}",
            value=dimension.label(bar.value),
            share=show_share(bar.total, facet.whole),
            rows=show_count(bar.total),
            verdict=name_action(bar.main_category),
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
    """Return what a chart leaves out, in words; never nothing, so that the height stays."""
    left = facet.distinct - len(shown)
    sentences = []
    if left > 0:
        sentences.append(_word_left(dimension, facet, shown, left))
    if dimension.has_several:
        return " ".join([*sentences, say(dimension.note)])
    without = facet.whole - facet.valued
    if without > 0:
        text = say(
            "{note}: {rows} ({share}).",
            note=say(dimension.note),
            rows=say_many(without, "{count} row", "{count} rows"),
            share=show_share(without, facet.whole),
        )
        sentences.append(text[:1].upper() + text[1:])
    return " ".join(sentences) or say("These are all.")


def _word_left(dimension: Dimension, facet: Facet, shown: Sequence[Bar], left: int) -> str:
    if dimension.has_several:
        return say_many(left, "{count} more is not shown.", "{count} more are not shown.")
    rows = facet.valued - sum(bar.total for bar in shown)
    return say_many(
        left,
        "{count} more is not shown, with {rows} ({share}).",
        "{count} more are not shown, with {rows} ({share}).",
        rows=say_many(rows, "{count} row", "{count} rows"),
        share=show_share(rows, facet.whole),
    )


def _draw_table_behind(dimension: Dimension, facet: Facet) -> None:
    key = f"table_{dimension.name}"
    with st.expander(say("As a table"), key=key, type="compact", on_change="rerun") as box:
        if not box.open:
            return
        import pandas as pd

        number = st.column_config.NumberColumn(format="localized", width="small")
        names = [name_action(category) for category in Category]
        rows, share = say("Rows"), say("Share")
        value = say(dimension.one)
        frame = pd.DataFrame(
            [
                (
                    dimension.label(bar.value),
                    bar.total,
                    100 * bar.total / max(facet.whole, 1),
                    *bar.counts,
                )
                for bar in facet.bars
            ],
            columns=[value[:1].upper() + value[1:], rows, share, *names],
        )
        st.dataframe(
            frame,
            hide_index=True,
            alt=say("{title}: rows, share and verdicts", title=say(dimension.title)),
            column_config={
                **dict.fromkeys([rows, *names], number),
                share: st.column_config.NumberColumn(format="%.1f %%", width="small"),
            },
        )
