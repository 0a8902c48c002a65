"""The line to the server: a page whose server is gone says so itself, until it is back."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import time
from typing import Any

import streamlit as st

from components.error_boundary import guard
from winnow.words import say


@cache
def _register() -> Callable[..., Any]:
    script = Path(__file__).with_name("lifeline.js").read_text(encoding="utf-8")
    return st.components.v2.component("winnow_lifeline", html="<span hidden></span>", js=script)


def draw_lifeline() -> None:
    """Watch the connection for as long as the page stands; draws nothing while it holds."""
    words = {
        "gone": say(
            "Winnow does not answer. What you see may be old. It goes on by itself once Winnow is "
            "running again; if not, reload this page."
        ),
        "here": say("Winnow is back. This page is being brought up to date."),
    }
    data = {"run": time(), **words}
    _register()(key="lifeline", data=data, height=0, on_back_change=guard(_take_up))


def _take_up() -> None:
    """The run that follows is what the page needs."""
