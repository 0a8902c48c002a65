"""Settings page: language, network, API, requests about a person."""

import streamlit as st

from components.frame.frame import draw_tabs
from components.frame.session import draw_language_switch, read_identity
from components.settings.api_settings import draw_api
from components.settings.network import draw_list_refresh, draw_network
from components.settings.person_requests import draw_requests
from winnow.wiring import services
from winnow.words import say

desk = services()
identity = read_identity()


def draw_general() -> None:
    """Draw the language, the network switches and the lists that can be refreshed."""
    st.header(say("Language"))
    draw_language_switch()
    st.header(say("Network"))
    draw_network(desk.network)
    draw_list_refresh(desk)


st.title(say("Settings"))
draw_tabs(
    {
        "general": (say("General"), draw_general),
        "api": (say("API"), lambda: draw_api(desk, identity.account)),
        "requests": (say("Requests about a person"), lambda: draw_requests(desk, identity)),
    },
    key="settings",
)
