"""Frame of every page: title, logo, style sheet, tabs, foot line."""

from collections.abc import Callable, Mapping
from datetime import date
from functools import cache
from pathlib import Path

import streamlit as st

from components.frame.error_boundary import boundary, guard
from components.frame.html import render_facts
from components.frame.page_urls import page_params
from components.frame.session import set_widget
from winnow.core.figures import show_date
from winnow.core.release import VERSION
from winnow.words import say, say_many

READING_WIDTH_PX = 960
_FOLDER = Path(__file__).parent
_STATIC = _FOLDER.parent / "static"


def set_tab_title(title: str) -> None:
    """Set the browser tab's title to the page's: ``"Projects · Winnow"``."""
    st.set_page_config(page_title=f"{title} · Winnow")


def draw_frame(title: str) -> None:
    """Set up a page with its title; call it before anything else is drawn."""
    st.set_page_config(
        page_title=f"{title} · Winnow", page_icon=str(_STATIC / "mark.svg"), layout="wide"
    )
    st.logo(str(_STATIC / "winnow.svg"), size="large")
    theme = "dark" if st.context.theme.type == "dark" else "light"
    st.html(f"<style>{_read_styles()}:root {{ color-scheme: {theme}; }}</style>")


@cache
def _read_styles() -> str:
    return (_FOLDER / "desk.css").read_text(encoding="utf-8")


def draw_foot(network_status: str, data_version: str, today: date) -> None:
    """Draw the foot line: network, age of the domain lists, version.

    Args:
        network_status: What leaves this machine.
        data_version: The version of the domain data; it begins with the newest list's date.
        today: In UTC.
    """
    facts = [
        network_status.rstrip("."),
        describe_data(data_version, today),
        f"Winnow {VERSION}",
    ]
    st.html(f'<div class="w-foot">{render_facts(facts)}</div>')


def describe_data(data_version: str, today: date) -> str:
    """Return in words how old the lists of domains are; their version where it has no date."""
    dated = find_data_day(data_version)
    if dated is None:
        return say("Domain lists: {version}", version=data_version)
    age = say_many(max((today - dated).days, 0), "{count} day old", "{count} days old")
    return say("Domain lists of {day}, {age}", day=show_date(dated), age=age)


def find_data_day(data_version: str) -> date | None:
    """Return the day of the newest list in a version of the domain data, if it names one."""
    try:
        return date.fromisoformat(data_version[:10])
    except ValueError:
        return None


def draw_tabs(
    parts: Mapping[str, tuple[str, Callable[[], object]]], *, key: str, parameter: str = "tab"
) -> None:
    """Draw the open tab, which the URL names. ``parts`` has a label and a content by each name."""
    names = {label: name for name, (label, _) in parts.items()}
    asked = parts.get(page_params.get(parameter, ""))

    @guard
    def keep() -> None:
        page_params[parameter] = names[st.session_state[key]]

    if asked is not None:  # not by ``default``, which is a part of the tabs' identity
        set_widget(key, asked[0])
    tabs = st.tabs(list(names), key=key, on_change=keep)
    for tab, (name, (_, draw)) in zip(tabs, parts.items(), strict=True):
        if tab.open:
            with tab, boundary(name):
                draw()
