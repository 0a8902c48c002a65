"""Tables of counted names: rows, share, and a bar whose parts are the actions."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import streamlit as st

from winnow.words import say

_COUNT_PX = 35  # a row of a table of counts
_BAR_PX, _LINE_PX = 160, 27  # a picture is as high as its line
_COLORS = ("greenColor", "yellowColor", "blueColor", "redColor", "grayColor")  # of the actions


def render_bar(counts: Sequence[int], largest: int) -> str:
    """Return a stacked bar as the URL of a picture: a part an action, in the theme's colours."""
    theme = "dark" if st.context.theme.type == "dark" else "light"
    parts, start = [], 0.0
    for count, name in zip(counts, _COLORS, strict=True):
        width = _BAR_PX * count / largest
        color = st.get_option(f"theme.{theme}.{name}")
        place = f"x='{start:.1f}' y='7' width='{width:.1f}' height='13'"
        parts.append(f"<rect {place} fill='{color}'/>")
        start += width
    size = f"width='{_BAR_PX}' height='{_LINE_PX}'"
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' {size}>{''.join(parts)}</svg>"
    return f"data:image/svg+xml,{quote(svg)}"


def draw_counts(
    title: str,
    names: Sequence[str],
    counts: Mapping[str, Sequence[int]],
    shares: Sequence[float],
    *,
    most_shown: int = 10,
    bars: Sequence[str] = (),
    **options: Any,
) -> None:
    """Draw names with their counts and a share as a table.

    Args:
        title: What the names are.
        names: A row each.
        counts: Columns of numbers, by their headings.
        shares: From 0 to 1.
        most_shown: More rows are scrolled to; half of the next one shows that there are more.
        bars: A picture a row, by ``render_bar``; empty: the share is drawn as a bar.
        options: Those of ``st.dataframe``.
    """
    column = st.column_config
    share = column.ProgressColumn(
        say("Share"), format="%.1f %%", min_value=0, max_value=100, width=140
    )
    if bars:
        share = column.NumberColumn(say("Share"), format="%.1f %%", width=80)
    st.dataframe(
        {
            "name": names,
            **({"bar": bars} if bars else {}),
            "share": [100 * one for one in shares],
            **counts,
        },
        hide_index=True,
        height=int(_COUNT_PX * (most_shown + 0.5)) if len(names) > most_shown else "content",
        column_config={
            "name": column.TextColumn(title, width=170),
            "bar": column.ImageColumn(say("What to do"), width=_BAR_PX),
            **dict.fromkeys(counts, column.NumberColumn(format="localized", width="small")),
            "share": share,
        },
        **{"alt": title, **options},
    )
