"""Table of recent checks."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from components.frame.error_boundary import guard
from components.kit.local_time import show_local
from components.kit.selection import find_newly_selected
from components.kit.verdict import verdict_column
from winnow.core.accounts import RecentCheck
from winnow.core.verdicts.words import name_action
from winnow.services.checks.checks import Checks
from winnow.words import say


def draw_recent(checks: Checks, account: str, recent: Sequence[RecentCheck]) -> str | None:
    """Draw the table; return the address of a selected row, which is checked again."""
    import pandas as pd

    with st.container(horizontal=True, vertical_alignment="center"):
        st.header(say("Recent checks"), width="stretch")
        clear = guard(partial(checks.clear_recent, account))
        st.button(say("Delete recent checks"), key="clear_recent", on_click=clear)
    frame = pd.DataFrame(
        {
            "address": [check.email for check in recent],
            "category": [[name_action(check.verdict.category)] for check in recent],
            "type": [say(check.verdict.domain_type.words) for check in recent],
            "when": [show_local(check.checked_at) for check in recent],
        }
    )
    st.dataframe(
        frame,
        key="recent",
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        alt=say("Recent checks, the newest first; select one to check it again"),
        column_config={
            "address": st.column_config.TextColumn(say("Address"), width=230),
            "category": verdict_column(),
            "type": say("Domain type"),
            "when": say("Checked"),
        },
    )
    row = find_newly_selected("recent")
    return None if row is None else recent[row].email


def draw_no_check(example: str) -> bool:
    """Draw the page before the first check; return whether to check the example."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(say("Type or paste an address. What you check here stays on this machine."))
        return st.button(
            say("Try {address}", address=example), key="check_example", type="tertiary"
        )
