"""The charts of a project and of usage: horizontal bars, a value and a share on each.

The colours are the theme's chart colours in their order, so white, grey and black traces always
come first and in this order, also when empty; that way they follow light and dark by themselves.
"""

from collections.abc import Sequence
from typing import Any

from backend.core.accounts import UsageDay
from backend.core.tasks import Summary
from backend.core.verdict import Category
from components.figures import show_count, show_share
from components.html import BAR_ORDER
from components.words import name_category

Figure = Any  # plotly ships no types
MOST_DOMAINS = 10
USAGE_CHART_PX = 220
_BAR_PX = 30
_FIGURES_PX = 120  # room for the figures behind the longest bar
_FADED = 0.3
CONFIG = {"displayModeBar": False, "scrollZoom": False, "doubleClick": False}


def build_type_chart(summary: Summary, chosen: frozenset[str]) -> Figure:
    """Return the domain types, grouped by category, the largest first within each."""
    rows = [
        (f"{domain_type} ", category, domain_type, count)
        for category in BAR_ORDER
        for name, domain_type, count in sorted(
            summary.by_category_and_type, key=lambda entry: -entry[2]
        )
        if name == category.value
    ]
    return _build_bars(rows, summary.rows_out, chosen)


def build_domain_chart(summary: Summary, chosen: frozenset[str]) -> Figure:
    """Return the largest domains, coloured by category."""
    rows = [
        (f"{domain} ", Category(category), domain, count)
        for domain, category, count in summary.top_domains[:MOST_DOMAINS]
    ]
    return _build_bars(rows, summary.rows_out, chosen)


def _build_bars(
    rows: Sequence[tuple[str, Category, str, int]], whole: int, chosen: frozenset[str]
) -> Figure:
    """Return one bar a row: label, category, what a click chooses, count."""
    import plotly.graph_objects as go

    figure = go.Figure()
    labels = _make_distinct([label for label, _, _, _ in rows])
    largest = max((count for *_, count in rows), default=1)
    for category in BAR_ORDER:
        mine = [
            (label, value, count)
            for label, (_, own, value, count) in zip(labels, rows, strict=True)
            if own is category
        ]
        figure.add_bar(
            orientation="h",
            name=name_category(category),
            y=[label for label, _, _ in mine],
            x=[count for _, _, count in mine],
            text=[f" {show_count(count)}  {show_share(count, whole)}" for _, _, count in mine],
            textposition="outside",
            cliponaxis=False,
            customdata=[[category.value, value] for _, value, _ in mine],
            hovertemplate="%{y}: %{text}<extra>" + name_category(category) + "</extra>",
            marker={
                "opacity": [_FADED if chosen and value not in chosen else 1 for _, value, _ in mine]
            },
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": _FADED}},
        )
    figure.update_layout(
        height=len(rows) * _BAR_PX + 16,
        margin={"l": 0, "r": _FIGURES_PX, "t": 8, "b": 8},
        bargap=0.35,
        barmode="stack",
        showlegend=False,
        dragmode=False,
        clickmode="event+select",
        yaxis={
            "categoryorder": "array",
            "categoryarray": list(reversed(labels)),
            "fixedrange": True,
            "automargin": True,
            "showgrid": False,
            "ticks": "",
            "title": None,
        },
        xaxis={"visible": False, "fixedrange": True, "range": [0, largest]},
    )
    return figure


def _make_distinct(labels: Sequence[str]) -> list[str]:
    """A label that stands twice would put two bars on one line: mark the later with blanks."""
    seen: dict[str, int] = {}
    distinct = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        distinct.append(label + "\u200b" * (seen[label] - 1))
    return distinct


def build_usage_chart(days: Sequence[UsageDay]) -> Figure:
    """Return charged addresses by day, lists and single checks on top of each other."""
    import plotly.graph_objects as go

    figure = go.Figure()
    labels = [day.day for day in days]
    for _ in BAR_ORDER:  # these colours belong to the categories
        figure.add_bar(x=[], y=[], showlegend=False)
    figure.add_bar(x=labels, y=[day.batch for day in days], name="lists")
    figure.add_bar(x=labels, y=[day.single for day in days], name="single checks by API")
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


def describe_types(summary: Summary) -> str:
    """Return the finding of the type chart, for those who do not see it."""
    if not summary.by_category_and_type:
        return "No rows"
    category, domain_type, count = max(summary.by_category_and_type, key=lambda entry: entry[2])
    return (
        f"Domain types within each category; the largest is {domain_type} ({category}) with "
        f"{show_count(count)} rows, {show_share(count, summary.rows_out)}"
    )


def describe_domains(summary: Summary) -> str:
    """Return the finding of the domain chart."""
    if not summary.top_domains:
        return "No domains"
    domain, category, count = summary.top_domains[0]
    return (
        f"The largest domains; first is {domain} ({category}) with {show_count(count)} rows, "
        f"{show_share(count, summary.rows_out)}"
    )
