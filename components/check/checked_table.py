"""Table of the answers to several pasted addresses, with a CSV file and each one's evidence."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from functools import partial

import streamlit as st

from components.frame.error_boundary import dialog
from components.kit.decision_pages import draw_explanation
from components.kit.html import BAR_ORDER, render_share_bar
from components.kit.selection import find_newly_selected
from components.kit.verdict import (
    draw_evidence,
    draw_not_removed,
    draw_verdict_head,
    verdict_column,
)
from components.rules.overrule import draw_overrule
from winnow.core.accounts import CheckResult, Identity
from winnow.core.figures import show_count
from winnow.core.lists.formula_signs import guard_cell
from winnow.core.verdicts.verdict import RECOMMENDED_ACTIONS
from winnow.core.verdicts.words import name_action
from winnow.services.services import Services
from winnow.words import mark, say, say_many

FILE_NAME = "checked-addresses.csv"
_COLUMNS = ("address", "category", "domain_type", "reason", "action", "suggestion")
_MOST_ROWS_IN_FULL, _TALLEST_PX = 14, 520
_DRAWER_PX = 480


def draw_checked_table(results: Sequence[CheckResult]) -> int | None:
    """Draw the table; return the index of the address whose evidence is asked for, if any."""
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
                }
            ),
            key="checked",
            on_select="rerun",
            selection_mode="single-row",
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
            },
        )
    content = write_csv(results)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.caption(say("Select a row to see its evidence."), width="stretch")
        with st.popover(say("Copy"), icon=":material/content_copy:"):
            st.code(content.replace("\r\n", "\n"), language=None, height=240)
        st.download_button(
            say("Download as CSV"),
            content.encode("utf-8-sig"),  # Excel finds the encoding by the byte order mark
            FILE_NAME,
            "text/csv",
            key="checked_csv",
            icon=":material/download:",
            on_click="ignore",
        )
    asked = find_newly_selected("checked")
    return asked if asked is not None and asked < len(results) else None


@dialog(mark("Why this address"), width=_DRAWER_PX, position="right")
def open_checked(desk: Services, identity: Identity, text: str, result: CheckResult) -> None:
    """Open the drawer of one address; a change of the account's lists shows at once."""
    draw_verdict_head(result)
    st.markdown(f"**{say('Evidence')}**")
    draw_evidence(result.evidence)
    draw_not_removed(result.not_black)
    if draw_actions(desk, identity, text, result, "checked"):
        st.rerun()


def draw_actions(
    desk: Services, identity: Identity, text: str, result: CheckResult, key: str
) -> bool:
    """Draw the list buttons and the decision page; return whether a list was changed."""
    account = identity.account
    is_changed = draw_overrule(desk, account, text, result.verdict, result.evidence, key=key)
    explain = partial(desk.decisions.explain_check, account, result, identity.person)
    draw_explanation(explain, key=f"explain_{key}")
    return is_changed


def write_csv(results: Sequence[CheckResult]) -> str:
    """Return the table as CSV, in English; cells like formulas get an apostrophe before them."""
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
