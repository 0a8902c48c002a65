"""What may leave this machine, beside the foot line: asking DNS, refreshing the lists."""

from collections.abc import Callable, Sequence

import streamlit as st

from backend.core.refresh import ListAge, RefreshOutcome
from components.list_refresh import draw_list_refresh

KEY = "network_dns"


def draw_network_switch(
    *,
    is_on: bool,
    is_allowed: bool,
    on_turn: Callable[[bool], None],
    lists: Sequence[ListAge],
    may_refresh: bool,
    on_refresh: Callable[[], Sequence[RefreshOutcome]],
    key: str = KEY,
) -> None:
    """Draw the switch and the button for the lists behind a small button.

    Args:
        is_on: As it stands now; another tab may have turned it.
        is_allowed: False: the setting locks it off.
        on_turn: Called with what it is turned to.
        lists: The lists that can be refreshed, with their ages.
        may_refresh: False: the setting locks it off.
        on_refresh: Refreshes them all.
        key: Of the switch.
    """
    with st.popover("Network", type="tertiary"):
        st.session_state[key] = is_on
        st.toggle(
            "Ask DNS",
            key=key,
            disabled=not is_allowed,
            on_change=lambda: on_turn(bool(st.session_state[key])),
        )
        st.caption(
            "Sends domain names, never addresses, to your resolver. It finds domains that do not "
            "exist or take no mail, and those served by mail hosts of throw-away services."
        )
        if not is_allowed:
            st.caption("Locked off by the setting WINNOW_NETWORK.")
        draw_list_refresh(lists, is_allowed=may_refresh, on_refresh=on_refresh)
