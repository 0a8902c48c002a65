"""Check page: the verdict on one address or a few."""

import streamlit as st

from components.check.checked_table import (
    draw_checked_table,
    draw_no_check,
    draw_recent,
    draw_verdict,
    open_checked,
)
from components.frame import page_urls
from components.frame.error_boundary import guard
from components.frame.focus import move_focus
from components.frame.session import may, read_identity
from components.rules.own_changes import draw_change
from components.settings.network import draw_refresh_offer
from winnow import wiring
from winnow.core.addresses.pasted import PASTED_MAX_CHARACTERS, split_pasted
from winnow.words import format_number, say

MOST_AT_ONCE = 200  # more than this is a list, for the Clean page
EXAMPLE = "ana@gmial.com"
identity = read_identity()
services = wiring.services().act_as(identity)
account = identity.account
checks = services.checks


def ask(text: str) -> None:
    """Check a text and store the answers."""
    text = text[:PASTED_MAX_CHARACTERS]
    st.session_state["check_text"] = text
    values = split_pasted(text)[:MOST_AT_ONCE]
    if may(checks.remember):
        checks.remember(account, checks.check_many(account, values))


def answer(text: str) -> None:
    """Draw the answer to one address in full."""
    result = checks.check_address(account, text)
    suggestion = draw_verdict(services, identity, text, result)
    if suggestion:
        ask(suggestion)
        st.rerun()


def answer_many(texts: list[str]) -> None:
    """Draw the answers to several addresses as a table."""
    results = checks.check_many(account, texts[:MOST_AT_ONCE])
    asked = draw_checked_table(results)
    if len(texts) > MOST_AT_ONCE:
        st.info(
            say(
                "The first {most} of {count} addresses. For more, clean a file.",
                most=format_number(MOST_AT_ONCE),
                count=format_number(len(texts)),
            )
        )
        st.page_link(page_urls.CLEAN, label=say("Clean a list"), icon=":material/upload_file:")
    if asked is not None:
        open_checked(services, identity, texts[asked], results[asked])


st.title(say("Check an address"))
with st.container():  # else it is at the foot of the page
    st.chat_input(
        say("Email address"),
        key="check_field",
        on_submit=guard(lambda: ask(st.session_state["check_field"])),
    )
    st.caption(
        say(
            "Press Enter to check; paste several addresses as lines, a spreadsheet column or "
            "the recipients of a mail."
        )
    )
move_focus(".st-key-check_field textarea", once="check")

values = split_pasted(st.session_state.get("check_text", ""))
if len(values) == 1:
    answer(values[0])
elif values:
    answer_many(values)

recent = checks.recent(account)
if recent:
    again = draw_recent(checks, account, recent)
    if again:
        ask(again)
        st.rerun()
elif not values:
    if draw_no_check(EXAMPLE):
        ask(EXAMPLE)
        st.rerun()
    draw_refresh_offer(services)
draw_change(services.own_lists, account)
