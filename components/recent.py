"""The small table of recent checks."""

from collections.abc import Sequence

import streamlit as st

from components.local_time import show_local
from components.verdict import verdict_column
from winnow.core.accounts import RecentCheck
from winnow.core.verdicts.words import name_action
from winnow.words import say


def draw_recent(checks: Sequence[RecentCheck]) -> tuple[str | None, bool]:
    """Draw the table; return the address to check again, if any, and whether to clear."""
    import pandas as pd

    with st.container(horizontal=True, vertical_alignment="center"):
        st.header(say("Recent checks"), width="stretch")
        clear = st.button(say("Clear recent checks"), key="clear_recent")
    frame = pd.DataFrame(
        {
            "again": [say("Check again")] * len(checks),
            "address": [check.email for check in checks],
            "category": [[name_action(check.verdict.category)] for check in checks],
            "type": [say(check.verdict.domain_type.words) for check in checks],
            "when": [show_local(check.checked_at) for check in checks],
        }
    )
    st.dataframe(
        frame,
        hide_index=True,
        alt=say("Recent checks, the newest first"),
        column_order=["address", "category", "type", "when", "again"],
        column_config={
            "again": st.column_config.ButtonColumn(say("Again"), key="recent_again"),
            "address": st.column_config.TextColumn(say("Address"), width=230),
            "category": verdict_column(),
            "type": say("Domain type"),
            "when": say("Checked"),
        },
    )
    click = st.session_state.get("recent_again")
    return (checks[click["row"]].email if click else None), clear


def draw_no_check(example: str) -> bool:
    """Draw the page's state before the first check; return whether to check the example."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(say("Type or paste an address. What you check here stays on this machine."))
        return st.button(
            say("Try {address}", address=example), key="check_example", type="tertiary"
        )
