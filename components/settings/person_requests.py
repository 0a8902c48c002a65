"""Requests about a person: everything that is stored about one address, and a letter with it."""

from html import escape

import streamlit as st

from components.frame import page_urls
from components.frame.html import escape_markdown, render_facts
from components.frame.session import show_local, show_local_date
from components.kit.notices import draw_error
from winnow.core.decisions import DecisionPage, PersonAnswer, PersonProject
from winnow.core.errors import WinnowError
from winnow.core.identities import Identity
from winnow.core.verdicts.verdict import name_action
from winnow.services.results.reports import Decisions, PersonLetter
from winnow.services.services import Services
from winnow.words import list_some, say, say_many

_LETTER = "request_letter_made"


def draw_requests(services: Services, identity: Identity) -> None:
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
        _search(services.decisions, identity, text)
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
    for found in sorted(answer.projects, key=lambda one: one.project.submitted_at, reverse=True):
        _draw_project(found)
    if answer.entries:
        st.markdown(f"**{say('On your lists')}**")
        for entry in answer.entries:
            st.html(
                f'<p class="w-named">{escape(entry.pattern)}: '
                f"{escape(name_action(entry.category))}</p>"
            )
    st.download_button(
        say("Download the letter"),
        letter.report.content,
        file_name=letter.report.file_name,
        mime=letter.report.media_type,
        icon=":material/download:",
        on_click="ignore",
        key="request_letter",
    )
    st.caption(
        say("Personal data: complete the open lines and send it only to the address's owner.")
    )
    if page.unsearched:
        names = list_some([one.name for one in page.unsearched])
        said = say("No checked list, so not searched: {names}. The letter names all.", names=names)
        st.warning(escape_markdown(said))


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


def _draw_project(found: PersonProject) -> None:
    """Draw a project that has the address; the letter has its rows."""
    with st.container(key=f"request_{found.project.task_id}", gap=None):
        st.page_link(
            page_urls.PROJECT,
            label=escape_markdown(found.project.project_name),
            query_params={"task": found.project.task_id},
        )
        rows = say_many(found.row_count, "{count} row", "{count} rows")
        when = say("Submitted {when}", when=show_local(found.project.submitted_at))
        until = say("Kept until {day}", day=show_local_date(found.project.expires_at))
        st.html(render_facts([rows, when, until]))
