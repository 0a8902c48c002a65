"""Where bad addresses come from: values of the list's own columns, one sentence each."""

from collections.abc import Callable, Mapping

import streamlit as st

from components.error_boundary import guard
from components.filters import Filters
from components.markdown import escape_markdown
from winnow.core.figures import show_share
from winnow.core.lists.dimensions import OWN_VALUE
from winnow.core.lists.own_columns import (
    Dirt,
    Hotspot,
    Hotspots,
    name_own_column,
    show_own_text,
)
from winnow.words import format_decimal, format_number, mark, say, say_many

SHOWN = 6

_SENTENCES: Mapping[Dirt, str] = {
    Dirt.DISPOSABLE: mark("{value}: {share} of all disposable addresses, {times} its share"),
    Dirt.MISSPELT: mark("{value}: {share} of all misspelt addresses, {times} its share"),
    Dirt.INVALID: mark("{value}: {share} of all unusable addresses, {times} its share"),
    Dirt.ROLE: mark("{value}: {share} of all role accounts, {times} its share"),
    Dirt.REMOVED: mark("{value}: {share} of all rows left out, {times} its share"),
}
_TIMES = "\N{MULTIPLICATION SIGN}"
_WHOLE = 10  # from so many times on, decimals say nothing


def draw_hotspots(
    find: Callable[[], Hotspots],
    filters: Filters,
    on_change: Callable[[Filters], None],
) -> None:
    """Draw what was found; a click filters the rows by its value, a second takes that back.

    Args:
        find: Looks for them; takes two or three seconds for ten million rows, the first time.
        filters: Those of the address.
        on_change: Takes others before the page runs again.
    """
    with st.spinner(say("Looking into the list")):
        hotspots = find()
    if not hotspots.columns:
        st.caption(say("The list has no column with values that repeat."))
        return
    if not hotspots.found:
        st.caption(
            say_many(
                len(hotspots.columns),
                "Nowhere in particular: no value of the column {names} stands out.",
                "Nowhere in particular: no value of the columns {names} stands out.",
                names=_list_names(hotspots),
            )
        )
        return
    with st.container(gap="xsmall", key="hotspots"):
        for hotspot in hotspots.found[:SHOWN]:
            _draw_hotspot(hotspot, filters, on_change)
        rest = hotspots.found[SHOWN:]
        if rest:
            words = say_many(len(rest), "{count} more value", "{count} more values")
            with st.expander(words, key="more_hotspots", type="compact"):
                for hotspot in rest:
                    _draw_hotspot(hotspot, filters, on_change)
    st.caption(
        say(
            "Values with far more bad addresses than their share of the list. Click one to see its "
            "rows. Differences that chance explains are left out."
        )
    )


def word_hotspot(hotspot: Hotspot) -> str:
    """Return one finding in a sentence."""
    column = name_own_column(hotspot.column, hotspot.value.column)
    return say(
        _SENTENCES[hotspot.dirt],
        value=f"{show_own_text(hotspot.text)} ({column})",
        share=show_share(hotspot.hits, hotspot.dirty),
        times=_show_times(hotspot.times),
    )


def _show_times(times: float) -> str:
    if times >= _WHOLE:
        return f"{format_number(round(times))} {_TIMES}"
    return f"{format_decimal(times).removesuffix(format_decimal(0)[1:])} {_TIMES}"


def _draw_hotspot(hotspot: Hotspot, filters: Filters, on_change: Callable[[Filters], None]) -> None:
    code = hotspot.value.code
    is_chosen = code in filters.chosen.of(OWN_VALUE)
    hits, rows = format_number(hotspot.hits), format_number(hotspot.rows)
    sentence = escape_markdown(word_hotspot(hotspot))
    counts = say("{hits} of {rows} rows", hits=hits, rows=rows)
    st.button(
        f"**{sentence}** ({counts})",
        icon=":material/check:" if is_chosen else ":material/filter_alt:",
        key=f"hotspot_{code}",
        type="tertiary",
        on_click=guard(on_change),
        args=(filters.toggle(OWN_VALUE, code),),
        wrap=True,
    )


def _list_names(hotspots: Hotspots) -> str:
    most = 5
    names = [f"“{escape_markdown(name)}”" for name in hotspots.columns[:most]]
    left = len(hotspots.columns) - most
    if left > 0:
        names.append(say_many(left, "{count} more", "{count} more"))
    return ", ".join(names)
