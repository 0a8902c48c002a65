"""Check: one address, or a few, judged while you look."""

from functools import partial

import streamlit as st

from components import page_urls
from components.check_field import draw_check_field
from components.checked_table import draw_checked_table, open_checked
from components.decision_pages import draw_explanation, draw_request_link
from components.downloads import SmallFile
from components.list_refresh import draw_refresh_offer, tell_first_round
from components.overrule import draw_overrule
from components.own_changes import note_change, tell_change
from components.recent import draw_no_check, draw_recent
from components.sender_report import draw_sender_link
from components.sign_in import read_identity
from components.verdict import draw_verdict
from winnow.core.accounts import CheckResult
from winnow.core.addresses.pasted import PASTED_MAX_CHARACTERS, split_pasted
from winnow.wiring import services
from winnow.words import say, say_many

MOST_AT_ONCE = 200  # more than this is a list, and has a page of its own
EXAMPLE = "ana@gmial.com"
desk = services()
identity = read_identity()
account = identity.account
checks = desk.checks
newest_change = partial(desk.own_lists.changes, account, 1)
noted = note_change(newest_change)
keep = noted(partial(desk.own_lists.add, account))
forget = noted(partial(desk.own_lists.remove, account))


def ask(text: str) -> None:
    """Put a text to the check and remember what comes out."""
    text = text[:PASTED_MAX_CHARACTERS]
    st.session_state["check_text"] = text
    st.session_state["check_shown"] = st.session_state.get("check_shown", 0) + 1
    values = split_pasted(text)[:MOST_AT_ONCE]
    checks.remember(account, checks.check_many(account, values))


def answer(text: str) -> None:
    """Draw the answer to one address in full."""
    result = checks.check(account, text)
    suggestion = draw_verdict(result, partial(offer_more, text, result))
    if suggestion:
        ask(suggestion)
        st.rerun()


def answer_many(texts: list[str]) -> None:
    """Draw the answers to several addresses as a table."""
    results = checks.check_many(account, texts[:MOST_AT_ONCE])
    asked = draw_checked_table(results)
    if len(texts) > MOST_AT_ONCE:
        st.info(
            say_many(
                len(texts),
                "The first {most} of {count} address. For more, save them as a CSV file with a "
                "column named email.",
                "The first {most} of {count} addresses. For more, save them as a CSV file with a "
                "column named email.",
                most=MOST_AT_ONCE,
            )
        )
        st.page_link(page_urls.CLEAN, label=say("Clean a list"), icon=":material/upload_file:")
    if asked is not None:
        open_checked(results[asked], partial(offer_row_overrule, texts[asked], results[asked]))


def offer_more(text: str, result: CheckResult) -> bool:
    """Offer what else may be done with an answer; return whether an own list was changed."""
    is_changed = offer_overrule(text, result, "check")
    draw_explanation(partial(explain, result), key="explain_check")
    return is_changed


def explain(result: CheckResult) -> SmallFile:
    """Tell why an address was judged so, on a page to hand on."""
    return desk.decisions.explain_check(account, result, identity.person)


def offer_overrule(text: str, result: CheckResult, key: str) -> bool:
    """Offer to put an address or its domain on an own list; return whether it was done."""
    foresee = partial(desk.own_effects.foresee, account)
    return draw_overrule(text, result.verdict, result.evidence, keep, forget, foresee, key=key)


def offer_row_overrule(text: str, result: CheckResult) -> None:
    """Offer it in the drawer; what was pressed shows in the table at once."""
    is_changed = offer_overrule(text, result, "checked")
    draw_explanation(partial(explain, result), key="explain_checked")
    if is_changed:
        st.rerun()


st.title(say("Check an address"))
draw_check_field(
    st.session_state.get("check_text", ""),
    shown=st.session_state.get("check_shown", 0),
    key="check_field",
    on_submit=ask,
)

values = split_pasted(st.session_state.get("check_text", ""))
if len(values) == 1:
    answer(values[0])
elif values:
    answer_many(values)

recent = checks.recent(account)
if recent:
    again, clear = draw_recent(recent)
    if clear:
        checks.clear_recent(account)
        st.rerun()
    if again:
        ask(again)
        st.rerun()
elif not values and draw_no_check(EXAMPLE):
    ask(EXAMPLE)
    st.rerun()
with st.container(horizontal=True):
    draw_sender_link()
    draw_request_link()
tell_first_round(desk.refresh.last_round)
if desk.refresh.is_offered:
    draw_refresh_offer(
        desk.refresh.describe(),
        today=desk.clock().date(),
        on_refresh=desk.refresh.refresh_now,
        on_decline=desk.refresh.decline,
    )
tell_change(newest_change, partial(desk.own_lists.undo, account))
