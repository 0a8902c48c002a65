"""Network switches: DNS and the registries."""

import streamlit as st

from components.frame.error_boundary import guard
from winnow.services.network.network import Network
from winnow.words import mark, say

LABELS = {
    "dns": mark("Ask DNS whether domains take mail"),
    "rdap": mark("Ask how old domains are"),
}
CAPTIONS = {
    "dns": mark("Sends domain names, never addresses, to the name server of your network."),
    "rdap": mark(
        "Sends names of unknown domains, never addresses, to their registries (RDAP); domains "
        "younger than 30 days go to review."
    ),
}
LOCKED = mark("Switched off on this server (WINNOW_NETWORK).")


def draw_network(network: Network) -> None:
    """Draw a switch for each look-up, with what it sends."""
    for name in LABELS:
        _draw_switch(network, name)


def _draw_switch(network: Network, name: str) -> None:
    key, is_allowed = f"network_{name}", network.is_allowed(name)

    @guard
    def turn() -> None:
        network.turn(name, bool(st.session_state[key]))

    st.session_state[key] = network.is_on(name)  # another tab may have turned it
    st.toggle(say(LABELS[name]), key=key, disabled=not is_allowed, on_change=turn)
    st.caption(say(CAPTIONS[name]) if is_allowed else say(LOCKED))
