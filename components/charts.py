"""The chart of usage, in the theme's chart colours."""

from collections.abc import Sequence
from typing import Any

from components.html import BAR_ORDER
from winnow.core.accounts import UsageDay
from winnow.words import say

Figure = Any  # plotly ships no types
USAGE_CHART_PX = 220
CONFIG = {"displayModeBar": False, "scrollZoom": False, "doubleClick": False}


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
        xaxis={"fixedrange": True, "type": "date", "tickformat": "%-d %b"},
        yaxis={"fixedrange": True, "tickformat": ",d", "rangemode": "tozero"},
        hovermode="x unified",
    )
    return figure
