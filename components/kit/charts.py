"""Charts in the theme's colours: the bars of a dimension; counted names.

A bar chart has a horizontal bar per value, name above, count and share behind. The theme's chart
colours are used in their order: the first four traces are the actions. This way they follow the
light and the dark theme.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

import streamlit as st

from winnow.core.figures import show_count, show_share
from winnow.core.lists.dimensions import Bar, Facet
from winnow.core.verdicts.verdict import Action, name_action
from winnow.words import say, say_many

Figure = Any  # plotly ships no types
CONFIG = {"displayModeBar": False, "scrollZoom": False, "doubleClick": False}
ROW_PX = 40
_BAR_SHARE = 0.3  # of a row's height
_NAME_SHIFT_PX = 17
_NAME_PX = 13
_FIGURES_MIN_PX = 118  # space for the figures behind the longest bar
_LETTER_PX = 7.2
_MARGIN_PX = 6
_FADED = 0.35
_COUNT_PX = 35  # a row of a table of counts
_LETTERS_MAX = 44  # what fits above a bar on a phone
_CHOSEN = "\u25b8 "  # no check mark: that is the shape of keep
_NOWHERE = "rgba(0,0,0,0)"


def choose_bars(facet: Facet, chosen: frozenset[str], most: int) -> list[Bar]:
    """Return the bars to draw, the largest first: at most ``most``, with all chosen ones."""
    needed = [bar for bar in facet.bars if bar.value in chosen][:most]
    others = [bar for bar in facet.bars if bar.value not in chosen][: most - len(needed)]
    return sorted([*needed, *others], key=lambda bar: (-bar.total, bar.value))


def build_bar_chart(
    bars: Sequence[Bar],
    label: Callable[[str], str],
    whole: int,
    chosen: frozenset[str],
    row_count: int,
) -> Figure:
    """Return the bar chart of one dimension.

    Args:
        bars: From the top down.
        label: Returns the name of a bar's value.
        whole: The rows that the shares refer to.
        chosen: The values that are chosen; the others are faded then.
        row_count: The number of bars that fit, so that the height stays when bars change.
    """
    import plotly.graph_objects as go

    largest = max((bar.total for bar in bars), default=0) or 1
    segments = [_lay_segments(bars, action, chosen) for action in Action]
    figures = (
        _annotate(_word_figures(bar, whole), line, {"x": bar.total, "xshift": 4})
        for line, bar in enumerate(bars)
    )
    layout = {
        "annotations": [*_write_names(bars, label, chosen), *figures],
        "height": max(1, row_count) * ROW_PX + 2 * _MARGIN_PX,
        "margin": {"l": 0, "r": _measure_figures_px(bars, whole), "t": _MARGIN_PX, "b": _MARGIN_PX},
        "barmode": "overlay",
        "showlegend": False,
        "dragmode": False,
        "clickmode": "event+select",
        "hovermode": "closest",
        "xaxis": {"visible": False, "fixedrange": True, "range": [0, largest]},
        "yaxis": {"visible": False, "fixedrange": True, "range": [row_count - 0.5, -0.5]},
    }
    data = [*segments, _lay_hit_area(bars, label, whole, largest)]
    return go.Figure({"data": data, "layout": layout})


def _word_figures(bar: Bar, whole: int) -> str:
    return f"{show_count(bar.total)}  {show_share(bar.total, whole)}"


def _measure_figures_px(bars: Sequence[Bar], whole: int) -> int:
    longest = max((len(_word_figures(bar, whole)) for bar in bars), default=0)
    return max(_FIGURES_MIN_PX, int(longest * _LETTER_PX) + 10)


def _lay_segments(bars: Sequence[Bar], action: Action, chosen: frozenset[str]) -> dict[str, Any]:
    """Return the bars' segments of an action, each from the end of the one before."""
    place = list(Action).index(action)
    mine = [(line, bar) for line, bar in enumerate(bars) if bar.counts[place]]
    return {
        "type": "bar",
        "name": action.value,
        "hoverinfo": "skip",
        "orientation": "h",
        "y": [line + _BAR_SHARE for line, _ in mine],
        "x": [bar.counts[place] for _, bar in mine],
        "base": [sum(bar.counts[:place]) for _, bar in mine],
        "width": _BAR_SHARE,
        "marker": {
            "pattern": {"shape": "/" if action is Action.LATER else ""},
            "opacity": [1 if not chosen or bar.value in chosen else _FADED for _, bar in mine],
        },
    }


def _lay_hit_area(
    bars: Sequence[Bar], label: Callable[[str], str], whole: int, largest: int
) -> dict[str, Any]:
    """Return an invisible bar over the whole line of each bar: it takes the clicks."""
    return {
        "type": "bar",
        "orientation": "h",
        "name": "line",
        "y": list(range(len(bars))),
        "x": [largest] * len(bars),
        "width": 1,
        "marker": {"color": _NOWHERE, "line": {"width": 0}},
        "selected": {"marker": {"color": _NOWHERE}},
        "unselected": {"marker": {"color": _NOWHERE}},
        "customdata": [[bar.value] for bar in bars],
        "hovertext": [_word_hover(bar, label(bar.value), whole) for bar in bars],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "hoverlabel": {"align": "left"},
    }


def _word_hover(bar: Bar, name: str, whole: int) -> str:
    parts = [f"<b>{escape(name, quote=False)}</b>"]
    share = show_share(bar.total, whole)
    parts.append(say_many(bar.total, "{count} row, {share}", "{count} rows, {share}", share=share))
    parts += [
        f"{name_action(action)} {show_count(count)}"
        for action, count in zip(Action, bar.counts, strict=True)
        if count
    ]
    return "<br>".join(parts)


def _write_names(
    bars: Sequence[Bar], label: Callable[[str], str], chosen: frozenset[str]
) -> Iterator[dict[str, Any]]:
    place = {"xref": "paper", "x": 0, "xshift": -2, "yshift": _NAME_SHIFT_PX}
    for line, bar in enumerate(bars):
        text = _word_name(bar, label(bar.value), is_chosen=bar.value in chosen)
        yield _annotate(text, line, place)


def _annotate(text: str, line: int, place: Mapping[str, object]) -> dict[str, Any]:
    look = {"font": {"size": _NAME_PX}, "xanchor": "left", "showarrow": False}
    return {"text": text, "y": line + _BAR_SHARE, **look, **place}


def _word_name(bar: Bar, name: str, *, is_chosen: bool) -> str:
    """Return the text above a bar: the shape of its most frequent action, the name."""
    text = f"{bar.main_action.shape} {escape(_cut(name), quote=False)}"
    return f"<b>{_CHOSEN}{text}</b>" if is_chosen else text


def _cut(name: str) -> str:
    return name if len(name) <= _LETTERS_MAX else name[: _LETTERS_MAX - 1] + "\u2026"


def draw_counts(
    title: str,
    names: Sequence[str],
    counts: Mapping[str, Sequence[int]],
    shares: Sequence[float],
    *,
    alt: str = "",
    most_shown: int = 10,
) -> None:
    """Draw names with their counts and a share as a table.

    Args:
        title: What the names are.
        names: A row each.
        counts: Columns of numbers, by their headings.
        shares: From 0 to 1.
        alt: What the table shows; empty: the title.
        most_shown: More rows are scrolled to; half of the next one shows that there are more.
    """
    column = st.column_config
    st.dataframe(
        {"name": names, **counts, "share": [100 * one for one in shares]},
        hide_index=True,
        height=int(_COUNT_PX * (most_shown + 0.5)) if len(names) > most_shown else "content",
        alt=alt or title,
        column_config={
            "name": column.TextColumn(title, width=170),
            **dict.fromkeys(counts, column.NumberColumn(format="localized", width="small")),
            "share": column.ProgressColumn(
                say("Share"), format="%.1f %%", min_value=0, max_value=100, width=140
            ),
        },
    )
