"""Trend of the finished projects of one name: shares of keep, review and remove by date."""

from collections.abc import Sequence

import streamlit as st

from components.kit.charts import CONFIG, Figure, speak
from components.kit.html import BAR_ORDER
from components.kit.local_time import show_local_date
from winnow.core.figures import show_count, show_share
from winnow.core.tasks.task import Task
from winnow.core.verdicts.verdict import Category, name_action
from winnow.words import say

TREND_PX = 320
_LABEL_PX = 120  # space to the right of the last points for the names of the lines
_LABEL_STEP = 7.0  # of the axis: a line of text
_SYMBOLS = {Category.WHITE: "circle", Category.GREY: "diamond", Category.BLACK: "x"}


def draw_trend(projects: Sequence[Task]) -> None:
    """Draw the finding, the lines of keep, review and remove, and the table behind them.

    Args:
        projects: Two or more finished projects, the earliest first.
    """
    finding = word_trend(projects)
    st.markdown(f"**{finding}**")
    st.plotly_chart(
        build_trend_chart(projects), height=TREND_PX, key="trend_chart", config=CONFIG, alt=finding
    )
    table = [
        {
            say("Submitted"): show_local_date(project.submitted_at),
            say("Rows"): show_count(_count_rows(project)),
            **{name_action(category): _show_category(project, category) for category in BAR_ORDER},
        }
        for project in projects
    ]
    st.dataframe(
        table, hide_index=True, key="trend_table", alt=say("The lists of this name, one a row")
    )


def word_trend(projects: Sequence[Task]) -> str:
    """Return the finding of the lines in a sentence."""
    first, last = projects[0], projects[-1]
    was, now = (_show_share(project, Category.BLACK) for project in (first, last))
    values = {
        "was": was,
        "now": now,
        "first": show_local_date(first.submitted_at),
        "last": show_local_date(last.submitted_at),
    }
    difference = _share(last, Category.BLACK) - _share(first, Category.BLACK)
    if was == now:
        return say("To remove: {now} on {last}, as on {first}.", **values)
    if difference > 0:
        return say("To remove: {now} on {last}, up from {was} on {first}.", **values)
    return say("To remove: {now} on {last}, down from {was} on {first}.", **values)


def build_trend_chart(projects: Sequence[Task]) -> Figure:
    """Return the chart of keep, review and remove shares by date, on one axis from 0 to 100 %."""
    import plotly.graph_objects as go

    figure = go.Figure()
    dates = [project.submitted_at.isoformat() for project in projects]
    for category in BAR_ORDER:  # the theme's first three colours are those of the categories
        figure.add_scatter(
            x=dates,
            y=[100 * _share(project, category) for project in projects],
            mode="lines+markers",
            marker={"size": 9, "symbol": _SYMBOLS[category]},
            customdata=[_show_category(project, category) for project in projects],
            hovertemplate="%{customdata}<extra></extra>",
            cliponaxis=False,
            showlegend=False,
        )
    figure.update_layout(
        margin={"l": 0, "r": _LABEL_PX, "t": 12, "b": 0},
        dragmode=False,
        hovermode="x unified",
        xaxis={"fixedrange": True, "tickangle": 0},
        yaxis={"fixedrange": True, "range": [-3, 103], "ticksuffix": " %"},
    )
    named = {dates[at]: projects[at] for at in (0, len(dates) // 2, len(dates) - 1)}
    speak(figure, {day: show_local_date(one.submitted_at) for day, one in named.items()})
    for category, height in _place_labels(projects[-1]).items():
        figure.add_annotation(
            x=1,
            xref="paper",
            xanchor="left",
            xshift=8,
            y=height,
            showarrow=False,
            text=f"{name_action(category)} {_show_share(projects[-1], category)}",
        )
    return figure


def _place_labels(project: Task) -> dict[Category, float]:
    """Return the labels' heights: at the ends of their lines, without overlap."""
    heights: dict[Category, float] = {}
    lowest = -100.0
    for category in sorted(BAR_ORDER, key=lambda one: _share(project, one)):
        lowest = max(100 * _share(project, category), lowest + _LABEL_STEP)
        heights[category] = lowest
    over = max(0.0, lowest - 100)
    return {category: height - over for category, height in heights.items()}


def _count_rows(project: Task) -> int:
    return 0 if project.summary is None else project.summary.rows_out


def _count(project: Task, category: Category) -> int:
    summary = project.summary
    return 0 if summary is None else summary.by_category.get(category.value, 0)


def _share(project: Task, category: Category) -> float:
    return _count(project, category) / max(1, _count_rows(project))


def _show_share(project: Task, category: Category) -> str:
    return show_share(_count(project, category), _count_rows(project))


def _show_category(project: Task, category: Category) -> str:
    return f"{show_count(_count(project, category))} ({_show_share(project, category)})"
