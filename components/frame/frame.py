"""Frame of every page: title, logo, style sheet."""

from pathlib import Path

import streamlit as st

READING_WIDTH_PX = 960
_FOLDER = Path(__file__).parent
_STATIC = _FOLDER.parent / "static"
_TAB = "tab_title"


def name_tab(title: str) -> None:
    """Set the browser tab's title to the page's: ``"Projects · Winnow"``."""
    st.session_state[_TAB] = title
    st.set_page_config(page_title=f"{title} · Winnow")


def borrow_tab(text: str) -> None:
    """Show another tab title while a list is at work; an empty text ends it."""
    title = str(st.session_state.get(_TAB, "Winnow"))
    st.set_page_config(page_title=text or f"{title} · Winnow")


def draw_frame() -> None:
    """Set up the page; call it first in every run."""
    st.set_page_config(page_title="Winnow", page_icon=str(_STATIC / "mark.svg"), layout="wide")
    st.logo(str(_STATIC / "winnow.svg"), size="large")
    st.html(_FOLDER / "desk.css")
    theme = "dark" if st.context.theme.type == "dark" else "light"
    st.html(f"<style>:root {{ color-scheme: {theme}; }}</style>")
