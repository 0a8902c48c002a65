"""A person asks: everything that is kept about one address, as a letter to its owner."""

import streamlit as st

from components.decision_pages import draw_request_answer, draw_request_form
from components.notices import draw_error
from components.sign_in import read_identity
from winnow.core.decisions.facts import DecisionPage, PersonAnswer
from winnow.core.errors import WinnowError
from winnow.wiring import services
from winnow.words import say

LETTER = "request_letter_made"
desk = services()
identity = read_identity()


def search(text: str) -> None:
    """Search for an address and remember what was found; what was entered stays."""
    st.session_state.pop(LETTER, None)
    try:
        with st.spinner(say("Searching every list…")):
            st.session_state[LETTER] = desk.decisions.answer_person(
                identity.account, text, identity.person
            )
    except WinnowError as error:
        draw_error(error)


st.title(say("A person asks"))
st.markdown(
    say(
        "Somebody asks what you hold about their address? This searches every list, your own "
        "lists and the recent checks, and writes a letter that you complete and send. Nothing "
        "leaves this machine."
    )
)
sent = draw_request_form()
if sent is not None:
    search(sent)
letter = st.session_state.get(LETTER)
if letter is not None:
    page: DecisionPage = letter.page
    if isinstance(page.decision, PersonAnswer):
        draw_request_answer(page.decision, page.searched, page.unsearched, letter.report)
