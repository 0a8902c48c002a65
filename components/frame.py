"""The frame of every page: title, mark, style sheet."""

from pathlib import Path

import streamlit as st

READING_WIDTH_PX = 960
_FOLDER = Path(__file__).parent
_TAB = "tab_title"


def name_tab(title: str) -> None:
    """Let the browser's tab say where one is: ``"Projects · Winnow"``."""
    st.session_state[_TAB] = title
    st.set_page_config(page_title=f"{title} · Winnow")


def borrow_tab(text: str) -> None:
    """Let the tab say this instead while something is at work; an empty text ends it."""
    title = str(st.session_state.get(_TAB, "Winnow"))
    st.set_page_config(page_title=text or f"{title} · Winnow")


def draw_frame() -> None:
    """Set the page up; comes first on every run."""
    st.set_page_config(
        page_title="Winnow", page_icon=str(_FOLDER / "static" / "mark.svg"), layout="wide"
    )
    st.logo(str(_FOLDER / "static" / "winnow.svg"), size="large")
    st.html(_FOLDER / "desk.css")
    theme = "dark" if st.context.theme.type == "dark" else "light"
    st.html(f"<style>:root {{ color-scheme: {theme}; }}</style>")
