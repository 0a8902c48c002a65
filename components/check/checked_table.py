"""The Check page's answers: one in full, the table of pasted addresses, recent checks."""

import csv
import io
import json
from collections import Counter
from collections.abc import Sequence
from functools import partial

import streamlit as st

from components.frame.error_boundary import dialog, guard
from components.frame.html import escape_markdown, render_share_bar, word_counts
from components.frame.session import may, show_local
from components.kit.verdict import (
    draw_evidence,
    draw_explanation,
    draw_verdict_head,
    verdict_column,
    write_sentence,
)
from components.rules.own_changes import draw_overrule
from winnow.core.identities import Identity
from winnow.core.judging.check_result import CheckResult, RecentCheck
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.unicode_forms import guard_cell
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Action, Category, name_action
from winnow.services.checks.checks import Checks
from winnow.services.services import Services
from winnow.words import say, say_many, translatable

FILE_NAME = "checked-addresses.csv"
_COLUMNS = ("address", "category", "domain_type", "reason", "action", "suggestion")
_DRAWER_PX = 480
_USUAL = CleaningPolicy()


def draw_checked_table(results: Sequence[CheckResult]) -> int | None:
    """Draw the table of checked addresses; return the index of the one to explain, if any."""
    found = Counter(map(find_check_action, results))
    shown = {*found, *(category.action for category in Category)}
    counts = [(one, found[one]) for one in Action if one in shown]
    headline = say_many(
        len(results),
        "{count} address: {parts}",
        "{count} addresses: {parts}",
        parts=word_counts(counts),
    )
    st.html(
        f'<p class="w-understood w-bar-title" role="status">{headline}</p>'
        + render_share_bar(counts, label=headline, slim=True)
    )
    with st.container(key="checked_table"):
        st.dataframe(
            {
                "number": range(1, len(results) + 1),
                "category": [[name_action(find_check_action(result))] for result in results],
                "address": [str(result.fields["email"]) for result in results],
                "type": [say(result.verdict.domain_type.words) for result in results],
                "why": [say(_find_reason(result).words) for result in results],
                "suggestion": [result.suggestion or "" for result in results],
            },
            key="checked",
            on_select="rerun",
            selection_mode="single-row",
            hide_index=True,
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


@dialog(translatable("Why this address"), width=_DRAWER_PX, position="right")
def open_checked(services: Services, identity: Identity, text: str, result: CheckResult) -> None:
    """Open the drawer of one address; a change of the account's lists shows at once."""
    _draw_head(result)
    st.markdown(f"**{say('Evidence')}**")
    draw_evidence(result.evidence, result.not_black)
    if _draw_actions(services, identity, text, result, "checked"):
        st.rerun()


def _draw_head(result: CheckResult) -> None:
    action, sentence, advice = find_check_action(result), write_sentence(result), None
    if action is Action.DO_NOT_MAIL:
        reason = _find_reason(result)
        said = (one.sentence.say() for one in result.evidence if one.reason is reason)
        sentence, advice = next(said, say(reason.rule)), say("Cleaned lists leave it out.")
    elif result.suggestion and action is Action.REMOVE:
        advice = say("Correct it, or remove it from the list.")
    draw_verdict_head(result.verdict, str(result.fields["email"]), sentence, advice, action)


def _find_reason(result: CheckResult) -> Reason:
    """Return the first reason: that which leaves the address out, if one does."""
    return _USUAL.order_reasons(result.row_verdict)[0]


def find_check_action(result: CheckResult) -> Action:
    """Return what the usual policy does with an address."""
    return _USUAL.find_action(result.row_verdict)


def draw_verdict(
    services: Services, identity: Identity, text: str, result: CheckResult
) -> str | None:
    """Draw one answer in full; return the suggested address when it was chosen, else None."""
    chosen = None
    with st.container(border=True, key="verdict"):
        _draw_head(result)
        if result.suggestion and st.button(
            say("Did you mean {address}?", address=escape_markdown(result.suggestion)),
            key="suggestion",
        ):
            chosen = result.suggestion
        _draw_actions(services, identity, text, result, "check")
    st.header(say("Evidence"))
    draw_evidence(result.evidence, result.not_black)
    with st.expander(say("For developers")):
        answer = json.dumps(dict(result.fields), indent=1, ensure_ascii=False)
        st.code(answer, language="json", wrap_lines=True)
        st.caption(say("This is what the API answers. The button in the corner copies it."))
    return chosen


def _draw_actions(
    services: Services, identity: Identity, text: str, result: CheckResult, key: str
) -> bool:
    """Draw the list buttons and the decision page; return whether a list was changed."""
    account = identity.account
    is_changed = draw_overrule(services, account, text, result.verdict, result.evidence, key=key)
    report = services.decisions.explain_check(account, result, identity.person)
    draw_explanation(report, key=f"explain_{key}")
    return is_changed


def write_csv(results: Sequence[CheckResult]) -> str:
    """Return checked addresses as CSV, in English; cells like formulas get an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_COLUMNS)
    for result in results:
        verdict = result.verdict
        cells = (
            str(result.fields["email"]),
            verdict.category.value,
            verdict.domain_type.value,
            _find_reason(result).words,
            find_check_action(result).words,
            result.suggestion or "",
        )
        writer.writerow(map(guard_cell, cells))
    return text.getvalue().encode("utf-8", "replace").decode()


def draw_recent(checks: Checks, account: str, recent: Sequence[RecentCheck]) -> str | None:
    """Draw recent checks, each address once; return that of a selected row, to check it again."""
    emails = [check.email for check in recent]
    recent = [check for place, check in enumerate(recent) if emails.index(check.email) == place]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header(say("Recent checks"), width="stretch")
        if may(checks.clear_recent):
            clear = guard(partial(checks.clear_recent, account))
            st.button(say("Delete recent checks"), key="clear_recent", on_click=clear)
    frame = {
        "address": [check.email for check in recent],
        "category": [[name_action(_USUAL.find_action(check.verdict))] for check in recent],
        "type": [say(check.verdict.domain_type.words) for check in recent],
        "when": [show_local(check.checked_at) for check in recent],
    }
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


def find_newly_selected(key: str) -> int | None:
    """Return the row that was selected since the last run; the table has ``single-row``."""
    selected = st.session_state.get(key)
    rows = list(selected["selection"]["rows"]) if selected else []
    before = st.session_state.get(f"{key}_before", [])
    st.session_state[f"{key}_before"] = rows
    return rows[0] if rows and rows != before else None
