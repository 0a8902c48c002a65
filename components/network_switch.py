"""What may leave this machine, beside the foot line: DNS, registries, refreshing the lists."""

from collections.abc import Callable

import streamlit as st

from components.error_boundary import guard
from winnow.words import mark, say

LABELS = {
    "dns": mark("Ask DNS whether domains take mail"),
    "rdap": mark("Ask how old domains are"),
}
CAPTIONS = {
    "dns": mark(
        "Sends domain names, never addresses, to the name server of your network. Finds domains "
        "that do not exist or take no mail, and more disposable services."
    ),
    "rdap": mark(
        "Sends domain names, never addresses, to the registries that run them (RDAP). Of a list, "
        "only domains that Winnow knows nothing of, for one minute at most. Domains younger than "
        "30 days go to review."
    ),
}
LOCKED = mark("Switched off by whoever set Winnow up (WINNOW_NETWORK).")


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
    with st.popover(say("Network"), type="tertiary"):
        for name in LABELS:
            _draw_switch(name, is_on(name), is_allowed(name), on_turn)
        draw_lists()


def _draw_switch(
    name: str, is_on: bool, is_allowed: bool, on_turn: Callable[[str, bool], None]
) -> None:
    key = f"network_{name}"
    st.session_state[key] = is_on
    st.toggle(
        say(LABELS[name]),
        key=key,
        disabled=not is_allowed,
        on_change=guard(lambda: on_turn(name, bool(st.session_state[key]))),
    )
    caption = say(CAPTIONS[name])
    st.caption(caption if is_allowed else f"{caption} {say(LOCKED)}")
