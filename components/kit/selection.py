"""Selection of one row of ``st.dataframe``, reported once."""

import streamlit as st


def find_newly_selected(key: str) -> int | None:
    """Return the row that was selected since the last run; the table has ``single-row``."""
    selected = st.session_state.get(key)
    rows = list(selected["selection"]["rows"]) if selected else []
    before = st.session_state.get(f"{key}_before", [])
    st.session_state[f"{key}_before"] = rows
    return rows[0] if rows and rows != before else None
