"""The small table of recent checks."""

from collections.abc import Sequence

import streamlit as st

from components.local_time import show_local
from components.verdict import category_column
from winnow.core.accounts import RecentCheck
from winnow.core.verdicts.words import name_category


def draw_recent(checks: Sequence[RecentCheck]) -> tuple[str | None, bool]:
    """Draw the table; return the address to check again, if any, and whether to clear."""
    import pandas as pd

    with st.container(horizontal=True, vertical_alignment="center"):
        st.header("Recent checks", width="stretch")
        clear = st.button("Clear recent checks", key="clear_recent")
    frame = pd.DataFrame(
        {
            "again": ["Check again"] * len(checks),
            "address": [check.email for check in checks],
            "category": [[name_category(check.verdict.category)] for check in checks],
            "type": [check.verdict.domain_type.value for check in checks],
            "when": [show_local(check.checked_at) for check in checks],
        }
    )
    st.dataframe(
        frame,
        hide_index=True,
        alt="Recent checks, the newest first",
        column_order=["address", "category", "type", "when", "again"],
        column_config={
            "again": st.column_config.ButtonColumn("Again", key="recent_again"),
            "address": st.column_config.TextColumn("Address", width=230),
            "category": category_column(),
            "type": "Domain type",
            "when": "Checked",
        },
    )
    click = st.session_state.get("recent_again")
    return (checks[click["row"]].email if click else None), clear


def draw_no_check(example: str) -> bool:
    """Draw the page's state before the first check; return whether to check the example."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            "Type or paste an address. Checks made here stay on this machine and are not charged."
        )
        return st.button(f"Try {example}", key="check_example", type="tertiary")
