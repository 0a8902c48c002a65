"""The answers to several pasted addresses: a small table, a file of it, the evidence of each."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Sequence

import streamlit as st

from components.error_boundary import dialog
from components.html import BAR_ORDER, render_share_bar
from components.rows_table import draw_row_question
from components.verdict import (
    draw_evidence,
    draw_not_removed,
    draw_verdict_head,
    verdict_column,
)
from winnow.core.accounts import CheckResult
from winnow.core.figures import show_count
from winnow.core.lists.formula_signs import guard_cell
from winnow.core.verdicts.verdict import RECOMMENDED_ACTIONS
from winnow.core.verdicts.words import name_action
from winnow.words import mark, say, say_many

FILE_NAME = "checked-addresses.csv"
_COLUMNS = ("address", "category", "domain_type", "reason", "action", "suggestion")
_MOST_ROWS_IN_FULL, _TALLEST_PX = 14, 520
_DRAWER_PX = 480


def draw_checked_table(results: Sequence[CheckResult]) -> int | None:
    """Draw the table; return the place of the address whose evidence is asked for, if any."""
    import pandas as pd

    counts = Counter(result.verdict.category for result in results)
    said = ", ".join(f"{show_count(counts[one])} {name_action(one)}" for one in BAR_ORDER)
    headline = say_many(
        len(results), "{count} address: {parts}", "{count} addresses: {parts}", parts=said
    )
    st.html(
        f'<p class="w-understood w-bar-title" role="status">{headline}</p>'
        + render_share_bar([(one, counts[one]) for one in BAR_ORDER], label=headline, slim=True)
    )
    with st.container(key="checked_table"):
        st.dataframe(
            pd.DataFrame(
                {
                    "number": range(1, len(results) + 1),
                    "category": [[name_action(result.verdict.category)] for result in results],
                    "address": [str(result.fields["email"]) for result in results],
                    "type": [say(result.verdict.domain_type.words) for result in results],
                    "why": [say(result.verdict.reasons[0].words) for result in results],
                    "suggestion": [result.suggestion or "" for result in results],
                    "open": [say("Why")] * len(results),
                }
            ),
            hide_index=True,
            height=_TALLEST_PX if len(results) > _MOST_ROWS_IN_FULL else "content",
            alt=say("The verdict on each pasted address"),
            column_config={
                "number": st.column_config.NumberColumn(say("Row"), width=50),
                "category": verdict_column(),
                "address": st.column_config.TextColumn(say("Address"), width=200),
                "type": st.column_config.TextColumn(say("Domain type"), width=150),
                "why": st.column_config.TextColumn(say("Reason"), width=240),
                "suggestion": st.column_config.TextColumn(say("Did you mean"), width=130),
                "open": st.column_config.ButtonColumn(
                    say("Evidence"), key="checked_why", width="small"
                ),
            },
        )
    content = write_csv(results)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        asked = draw_row_question(len(results), 1)
        st.space("stretch")
        with st.popover(say("Copy"), icon=":material/content_copy:"):
            st.caption(
                say("The button in the corner copies all rows, to paste into a spreadsheet.")
            )
            st.code(content.replace("\r\n", "\n"), language=None, height=240)
        st.download_button(
            say("Download as CSV"),
            content.encode("utf-8-sig"),  # the mark lets Excel know the encoding
            FILE_NAME,
            "text/csv",
            key="checked_csv",
            icon=":material/download:",
            on_click="ignore",
        )
    click = st.session_state.get("checked_why")
    if click and click["row"] < len(results):
        return int(click["row"])
    return None if asked is None else asked - 1


@dialog(mark("Why this address"), width=_DRAWER_PX, position="right")
def open_checked(result: CheckResult, draw_more: Callable[[], object]) -> None:
    """Open the drawer on one address; ``draw_more`` draws what else may be done."""
    draw_verdict_head(result)
    st.markdown(f"**{say('Evidence')}**")
    draw_evidence(result.evidence)
    draw_not_removed(result.not_black)
    draw_more()


def write_csv(results: Sequence[CheckResult]) -> str:
    """Return the table as CSV, in English; a cell like a formula has an apostrophe before it."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_COLUMNS)
    for result in results:
        verdict = result.verdict
        cells = (
            str(result.fields["email"]),
            verdict.category.value,
            verdict.domain_type.value,
            verdict.reasons[0].words,
            RECOMMENDED_ACTIONS[verdict.category].value,
            result.suggestion or "",
        )
        writer.writerow(map(guard_cell, cells))
    return text.getvalue().encode("utf-8", "replace").decode()
