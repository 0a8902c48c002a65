"""Requests about a person: everything that is stored about one address, as a letter."""

import streamlit as st

from components.kit.html import escape_markdown
from components.kit.local_time import show_local_date
from components.kit.notices import draw_error
from winnow.core.accounts import Identity
from winnow.core.decisions import DecisionPage, PersonAnswer
from winnow.core.errors import WinnowError
from winnow.services.results.decisions import Decisions, PersonLetter
from winnow.services.services import Services
from winnow.words import format_number, say, say_many

_LETTER = "request_letter_made"


def draw_requests(desk: Services, identity: Identity) -> None:
    """Draw the search for an address, and what the last search found."""
    st.markdown(
        say(
            "Finds everything that Winnow stores about one address, and writes a letter for the "
            "person who asked. Nothing leaves this machine."
        )
    )
    with (
        st.form("request", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        text = st.text_input(
            say("Address of the person who asks"),
            key="request_address",
            placeholder="ana@shop.example",
        )
        is_sent = st.form_submit_button(say("Search"), type="primary")
    if is_sent:
        _search(desk.decisions, identity, text)
    letter = st.session_state.get(_LETTER)
    if letter is not None:
        _draw_letter(letter)


def _search(decisions: Decisions, identity: Identity, text: str) -> None:
    """Store the result; the field keeps its text."""
    st.session_state.pop(_LETTER, None)
    try:
        with st.spinner(say("Searching every list…")):
            st.session_state[_LETTER] = decisions.answer_person(
                identity.account, text, identity.person
            )
    except WinnowError as error:
        draw_error(error)


def _draw_letter(letter: PersonLetter) -> None:
    page: DecisionPage = letter.page
    answer = page.decision
    if not isinstance(answer, PersonAnswer):
        return
    st.header(escape_markdown(answer.address))
    st.markdown(f"**{_sum_up(answer, page.searched)}**")
    if answer.projects:
        _draw_projects(answer)
    st.download_button(
        say("Download the letter"),
        letter.report.content,
        file_name=letter.report.file_name,
        mime=letter.report.media_type,
        icon=":material/download:",
        type="primary",
        on_click="ignore",
        key="request_letter",
    )
    st.caption(
        say("Personal data: complete the open lines and send it only to the address's owner.")
    )
    if page.unsearched:
        names = ", ".join(one.name for one in page.unsearched)
        st.warning(
            escape_markdown(
                say("Not checked yet, so not searched: {names}. The letter says so.", names=names)
            )
        )


def _sum_up(answer: PersonAnswer, searched: int) -> str:
    rows = sum(found.row_count for found in answer.projects)
    entries, checks = len(answer.entries), len(answer.checks)
    files, changes = len(answer.files), len(answer.changes)
    counted = {
        say_many(rows, "{count} row in your projects", "{count} rows in your projects"): rows,
        say_many(entries, "{count} entry of your lists", "{count} entries of your lists"): entries,
        say_many(checks, "{count} recent check", "{count} recent checks"): checks,
        say_many(
            files, "{count} do-not-mail or bounce file", "{count} do-not-mail or bounce files"
        ): files,
        say_many(
            changes,
            "{count} change of your lists that can be undone",
            "{count} changes of your lists that can be undone",
        ): changes,
    }
    found = ", ".join(words for words, count in counted.items() if count) or say("Not found")
    return say_many(
        searched,
        "{found}; {count} project searched.",
        "{found}; {count} projects searched.",
        found=found,
    )


def _draw_projects(answer: PersonAnswer) -> None:
    import pandas as pd

    frame = pd.DataFrame(
        {
            say("Project"): [found.project.name for found in answer.projects],
            say("Row numbers"): [
                ", ".join(format_number(row.number) for row in found.rows)
                for found in answer.projects
            ],
            say("Deleted on"): [
                show_local_date(found.project.kept_until) for found in answer.projects
            ],
        }
    )
    st.dataframe(frame, hide_index=True, alt=say("Projects that have the address"))
