"""Chart of usage, in the theme's chart colours."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from components.kit.html import BAR_ORDER
from winnow.core.accounts import UsageDay
from winnow.words import ENGLISH, current_language, format_day, format_decimal, format_number, say

Figure = Any  # plotly ships no types
USAGE_CHART_PX = 220
DAYS_BETWEEN_TICKS = 7
CONFIG = {"displayModeBar": False, "scrollZoom": False, "doubleClick": False}


def speak(figure: Figure, ticks: Mapping[str, str]) -> None:
    """Set the language of numbers and dates in a chart over time.

    Plotly itself has only English. ``ticks`` are positions on the axis with their names.
    """
    group, point = format_number(1000)[1], format_decimal(0.5)[1]
    figure.update_layout(separators=point + group)
    figure.update_xaxes(
        tickvals=list(ticks),
        ticktext=list(ticks.values()),
        hoverformat="%-d %b %Y" if current_language() == ENGLISH else "%d.%m.%Y",
    )


def build_usage_chart(days: Sequence[UsageDay]) -> Figure:
    """Return charged addresses by day, lists and single checks on top of each other."""
    import plotly.graph_objects as go

    figure = go.Figure()
    labels = [day.day for day in days]
    for _ in BAR_ORDER:  # these colours belong to the categories
        figure.add_bar(x=[], y=[], showlegend=False)
    figure.add_bar(x=labels, y=[day.batch for day in days], name=say("lists"))
    figure.add_bar(x=labels, y=[day.single for day in days], name=say("single checks by API"))
    figure.update_layout(
        height=USAGE_CHART_PX,
        barmode="stack",
        bargap=0.3,
        margin={"l": 0, "r": 0, "t": 8, "b": 0},
        legend={"orientation": "h", "y": 1.15, "x": 0},
        dragmode=False,
        xaxis={"fixedrange": True, "type": "date"},
        yaxis={"fixedrange": True, "tickformat": ",d", "rangemode": "tozero"},
        hovermode="x unified",
    )
    weekly = labels[::-DAYS_BETWEEN_TICKS]
    speak(figure, {day: format_day(date.fromisoformat(day)) for day in weekly})
    return figure
