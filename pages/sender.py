"""Sender check: is your own domain set up so that mailboxes take your mail?"""

import re

import streamlit as st

from components.error_boundary import guard
from components.notices import draw_error
from components.sender_report import draw_dns_off, draw_sender_form, draw_sender_report
from winnow.core.errors import WinnowError
from winnow.core.sender.findings import SenderReport
from winnow.wiring import services
from winnow.words import say

REPORT = "sender_report"
desk = services()
network = desk.network


def ask(domain: str, selectors: str) -> None:
    """Check a domain and remember what came out; what was entered stays."""
    st.session_state.pop(REPORT, None)
    named = re.split(r"[\s,;]+", selectors)
    try:
        with st.spinner(say("Asking DNS…")):
            st.session_state[REPORT] = desk.sender_checks.check(domain, named)
    except WinnowError as error:
        draw_error(error)


st.title(say("Sender check"))
st.markdown(
    say(
        "Before you send: is your own domain set up so that mailboxes take your mail? This reads "
        "its public records and says how to mend what is wrong."
    )
)
is_on = network.is_on("dns")
with st.container():  # keeps its place, so that the form below stays the same one
    if not is_on:
        draw_dns_off(
            is_allowed=network.is_allowed("dns"),
            on_turn=guard(lambda: network.turn("dns", True)),
        )
sent = draw_sender_form(can_ask=is_on)
if sent is not None:
    ask(*sent)
report: SenderReport | None = st.session_state.get(REPORT)
if report is not None:
    draw_sender_report(report)
