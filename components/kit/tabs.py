"""Tabs of a page, of which only the open one is computed; the URL names it."""

from collections.abc import Callable, Mapping

import streamlit as st

from components.frame.error_boundary import boundary, guard
from components.kit.page_params import page_params

_PARAMETER = "tab"


def draw_tabs(parts: Mapping[str, tuple[str, Callable[[], object]]], *, key: str) -> None:
    """Draw the open tab. ``parts`` has each tab's name in the URL, its label and its content."""
    names = {label: name for name, (label, _) in parts.items()}
    asked = parts.get(page_params.get(_PARAMETER, ""))

    @guard
    def keep() -> None:
        page_params[_PARAMETER] = names[st.session_state[key]]

    tabs = st.tabs(list(names), key=key, default=asked and asked[0], on_change=keep)
    for tab, (name, (_, draw)) in zip(tabs, parts.items(), strict=True):
        if tab.open:
            with tab, boundary(name):
                draw()
