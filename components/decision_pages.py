"""Pages that explain a decision, to be handed on: their buttons, and the request of a person."""

from collections.abc import Callable, Sequence

import streamlit as st

from components import page_urls
from components.downloads import SmallFile
from components.local_time import show_local_date
from components.markdown import escape_markdown
from winnow.core.decisions.facts import PersonAnswer, Unsearched
from winnow.words import say, say_many


def draw_explanation(make: Callable[[], SmallFile], *, key: str) -> None:
    """Draw the button that hands on why an address was judged as it was.

    Args:
        make: Makes the page; it holds the address.
        key: The button's key.
    """
    report = make()
    st.download_button(
        say("Explain this decision"),
        report.content,
        file_name=report.file_name,
        mime=report.media_type,
        icon=":material/description:",
        on_click="ignore",
        key=key,
        help=say(
            "One page to hand on: the decision, its evidence with dates, and what was chosen. It "
            "holds the address; give it only to people who may see it."
        ),
    )


def draw_request_link() -> None:
    """Lead to what is kept about one address."""
    st.page_link(
        page_urls.REQUEST, label=say("A person asks what you hold"), icon=":material/contact_mail:"
    )


def draw_request_form() -> str | None:
    """Draw the field for a person's address; return it once it is sent off."""
    with (
        st.form("request", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        text = st.text_input(
            say("Address of the person who asks"),
            key="request_address",
            placeholder="ana@shop.example",
        )
        pressed = st.form_submit_button(say("Search everything"), type="primary")
    return text if pressed else None


def draw_request_answer(
    answer: PersonAnswer, searched: int, unsearched: Sequence[Unsearched], letter: SmallFile
) -> None:
    """Draw what was found, and the letter that says it."""
    st.header(escape_markdown(answer.address))
    st.markdown(f"**{_sum_up(answer, searched)}**")
    if answer.projects:
        _draw_projects(answer)
    st.download_button(
        say("Download the letter"),
        letter.content,
        file_name=letter.file_name,
        mime=letter.media_type,
        icon=":material/download:",
        type="primary",
        on_click="ignore",
        key="request_letter",
    )
    st.caption(
        say(
            "The letter says everything that Winnow keeps about the address. Open it, fill in the "
            "lines that only you can know, and print it or save it as a PDF. It is personal data: "
            "give it only to the person whose address it is."
        )
    )
    if unsearched:
        names = ", ".join(one.name for one in unsearched)
        st.warning(
            escape_markdown(
                say("Not checked yet, so not searched: {names}. The letter says so.", names=names)
            )
        )


def _sum_up(answer: PersonAnswer, searched: int) -> str:
    rows = sum(found.row_count for found in answer.projects)
    entries, checks, changes = len(answer.entries), len(answer.checks), len(answer.changes)
    files = len(answer.files)
    parts = [
        say_many(rows, "{count} row in your lists", "{count} rows in your lists") if rows else "",
        say_many(entries, "{count} entry of your own lists", "{count} entries of your own lists")
        if entries
        else "",
        say_many(checks, "{count} recent check", "{count} recent checks") if checks else "",
        say_many(
            files,
            "{count} do-not-mail or bounce file",
            "{count} do-not-mail or bounce files",
        )
        if files
        else "",
        say_many(
            changes,
            "{count} change of your own lists that can be undone",
            "{count} changes of your own lists that can be undone",
        )
        if changes
        else "",
    ]
    found = ", ".join(part for part in parts if part) or say("Found nowhere")
    return say_many(
        searched, "{found}; {count} list searched.", "{found}; {count} lists searched.", found=found
    )


def _draw_projects(answer: PersonAnswer) -> None:
    import pandas as pd

    name, rows, until = say("List"), say("Row numbers"), say("Deleted on")
    frame = pd.DataFrame(
        {
            name: [found.project.name for found in answer.projects],
            rows: [", ".join(f"{row.number:,}" for row in found.rows) for found in answer.projects],
            until: [show_local_date(found.project.kept_until) for found in answer.projects],
        }
    )
    st.dataframe(frame, hide_index=True, alt=say("Lists in which the address stands"))
