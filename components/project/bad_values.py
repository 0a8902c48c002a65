"""Bad addresses by one of the list's own columns: counts and shares, each value a filter."""

import streamlit as st

from components.frame.error_boundary import guard
from components.project.filters import change_filters
from components.project.view import OpenedProject
from winnow.core.lists.dimensions import OWN_VALUE
from winnow.core.lists.own_columns import ColumnSplit, show_own_text
from winnow.words import say

_TABLE = "bad_values"


def draw_bad_values(view: OpenedProject, place: int) -> None:
    """Draw a column's values with their rows and rows to remove; a chosen value is a filter."""
    policy = view.find_choice().policy
    with st.spinner(say("Looking into the list")):
        found = view.services.column_analysis.split(*view.ids, place, policy)
    if found is not None:
        _draw_table(found)


def _draw_table(split: ColumnSplit) -> None:
    import pandas as pd

    shares = [*split.shares, *([split.rest] if split.rest.rows else [])]
    texts = [*(show_own_text(share.text) for share in split.shares), say("all others")]
    table = pd.DataFrame(
        {
            "value": texts[: len(shares)],
            "rows": [share.rows for share in shares],
            "removed": [share.removed for share in shares],
            "share": [100 * share.removed / share.rows for share in shares],
        }
    )

    @guard
    def choose() -> None:
        picked = st.session_state[_TABLE].selection.rows
        codes = [share.code for share in split.shares]
        if picked and picked[0] < len(codes):
            change_filters(lambda now: now.toggle(OWN_VALUE, codes[picked[0]]))

    st.dataframe(
        table,
        hide_index=True,
        height="content",
        key=_TABLE,
        on_select=choose,
        selection_mode="single-row",
        alt=say("Rows to remove by {column}", column=split.column.name),
        column_config={  # the list's column may have the name of one of ours
            "value": st.column_config.TextColumn(split.column.name),
            "rows": st.column_config.NumberColumn(say("Rows"), format="localized"),
            "removed": st.column_config.NumberColumn(say("To remove"), format="localized"),
            "share": st.column_config.ProgressColumn(
                say("Share to remove"), format="%.1f %%", min_value=0, max_value=100
            ),
        },
    )
    st.caption(say("Choose a line to see only its rows."))
