"""Input field of the Check page: Enter checks, pasted lines stay separate lines."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from components.frame.error_boundary import guard
from winnow.words import say

_FOLDER = Path(__file__).parent


@cache
def _register() -> Callable[..., Any]:
    return st.components.v2.component(
        "winnow_check_field",
        html=(_FOLDER / "check_field.html").read_text(encoding="utf-8"),
        css=(_FOLDER / "check_field.css").read_text(encoding="utf-8"),
        js=(_FOLDER / "check_field.js").read_text(encoding="utf-8"),
    )


def draw_check_field(text: str, *, shown: int, key: str, on_submit: Callable[[str], None]) -> None:
    """Draw the field; ``on_submit`` gets the submitted text before the page runs again.

    Args:
        text: What the field shows.
        shown: A number that changes whenever ``text`` must replace the field's content.
        key: The element's key.
        on_submit: Receives the text, one address or several lines.
    """

    def pass_on() -> None:
        submitted = st.session_state[key].submitted
        if submitted:
            on_submit(str(submitted["text"]))

    data = {"text": text, "shown": shown, "words": _choose_words()}
    _register()(key=key, data=data, on_submitted_change=guard(pass_on))


def _choose_words() -> dict[str, str]:
    return {
        "label": say("Address"),
        "button": say("Check address"),
        "placeholder": say("name@company.com"),
        "help": say(
            "Press Enter to check; paste several addresses as lines, a spreadsheet column or "
            "the recipients of a mail."
        ),
    }
