"""Step three of cleaning a list: its name, duplicates, and the one button that starts."""

from dataclasses import dataclass

import streamlit as st

from backend.core.figures import count_things, round_estimate
from backend.core.heads import Head

NAME_MAX_CHARACTERS = 50  # decisions.md, "Batch"


@dataclass(frozen=True, slots=True)
class Order:
    """What the analyst asked for; ``starts`` when the button was pressed just now."""

    project_name: str
    deduplicate: bool
    starts: bool


def draw_go(head: Head, *, stem: str, first: str = "") -> Order:
    """Draw the last step and return what was asked for.

    ``first`` says what is to be done before it can start; empty: nothing.
    """
    with st.container(gap="small"):
        name = st.text_input(
            "Project name",
            value=stem[:NAME_MAX_CHARACTERS],
            max_chars=NAME_MAX_CHARACTERS,
            key="go_name",
        )
        deduplicate = st.toggle(
            "Remove duplicates",
            value=True,
            key="go_deduplicate",
            help="Two addresses are the same when they differ only in upper and lower case or "
            "outer blanks.",
        )
        st.caption(
            "Of each address only its last row stays; the kept rows keep their order."
            if deduplicate
            else "Every row stays, also when its address stands more than once."
        )
    if head.row_count is not None:
        label = f"Clean {count_things(head.row_count, 'address', 'addresses')}"
    else:
        about = round_estimate(head.row_estimate)
        label = f"Clean about {count_things(about, 'address', 'addresses')}"
    starts = st.button(label, type="primary", key="go_start", disabled=bool(first))
    if first:
        st.caption(first)
    return Order(name or "", deduplicate, starts)
