"""What may leave this machine, beside the foot line: DNS, registries, refreshing the lists."""

from collections.abc import Callable

import streamlit as st

from components.error_boundary import guard

LABELS = {"dns": "Ask DNS", "rdap": "Ask registries for the age of domains"}
CAPTIONS = {
    "dns": "Sends domain names, never addresses, to your resolver. It finds domains that do not "
    "exist or take no mail, and those served by mail hosts of disposable services.",
    "rdap": "Sends domain names, never addresses, to the registries that run them (RDAP). Of a "
    "list only domains of which nothing is known, the most frequent first, for a minute at most: "
    "registries are slow. A domain younger than 30 days becomes grey.",
}
LOCKED = "Locked off by the setting WINNOW_NETWORK."


def draw_network_switch(
    *,
    is_on: Callable[[str], bool],
    is_allowed: Callable[[str], bool],
    on_turn: Callable[[str, bool], None],
    draw_lists: Callable[[], None],
) -> None:
    """Draw the switches and what belongs to the lists behind a small button.

    Args:
        is_on: Says how a switch stands now; another tab may have turned it.
        is_allowed: False: the setting locks it off.
        on_turn: Called with a switch and what it is turned to.
        draw_lists: Draws the lists and what refreshes them.
    """
    with st.popover("Network", type="tertiary"):
        for name in LABELS:
            _draw_switch(name, is_on(name), is_allowed(name), on_turn)
        draw_lists()


def _draw_switch(
    name: str, is_on: bool, is_allowed: bool, on_turn: Callable[[str, bool], None]
) -> None:
    key = f"network_{name}"
    st.session_state[key] = is_on
    st.toggle(
        LABELS[name],
        key=key,
        disabled=not is_allowed,
        on_change=guard(lambda: on_turn(name, bool(st.session_state[key]))),
    )
    st.caption(CAPTIONS[name] if is_allowed else f"{CAPTIONS[name]} {LOCKED}")
