"""History of one address: its projects, its verdicts, the own lists that have it."""

from collections.abc import Sequence
from html import escape

import streamlit as st

from components.frame import page_urls
from components.kit.html import escape_markdown, render_chip
from components.kit.local_time import show_local
from winnow.core.decisions import PersonAnswer, PersonProject, PersonRow, Unsearched
from winnow.core.figures import show_count
from winnow.core.verdicts.reasons import OWN_REASONS
from winnow.core.verdicts.verdict import Category, name_action, phrase_reasons
from winnow.words import say, say_many

ROWS_SHOWN = 5  # of one project


def draw_history_form() -> str | None:
    """Draw the field for an address; return the address once it is submitted.

    It is a form of its own, so that the address is in no URL and in no log.
    """
    with (
        st.form("history", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        text = st.text_input(
            say("Address to look for in all projects"),
            key="history_address",
            placeholder="ana@shop.example",
            autocomplete="off",
            width=320,
        )
        is_sent = st.form_submit_button(say("Find"), icon=":material/search:")
    return text if is_sent else None


def draw_history(answer: PersonAnswer, searched: int, unsearched: Sequence[Unsearched]) -> None:
    """Draw each project that has the address, the latest first, and the own lists."""
    projects = sorted(answer.projects, key=lambda one: one.project.submitted_at, reverse=True)
    found = say_many(
        searched,
        "found in {found} of {count} project",
        "found in {found} of {count} projects",
        found=show_count(len(projects)),
    )
    st.markdown(f"**{escape_markdown(answer.address)}**: {found}")
    for one in projects:
        with st.container(key=f"history_{one.project.task_id}", gap=None):
            st.page_link(
                page_urls.PROJECT,
                label=escape_markdown(one.project.name),
                query_params={"task": one.project.task_id},
            )
            st.html(_render_project(one))
    if answer.entries:
        st.markdown(f"**{say('On your lists')}**")
        for entry in answer.entries:
            st.html(
                f'<p class="w-named">{escape(entry.pattern)}: '
                f"{escape(name_action(Category(entry.category)))}</p>"
            )
    if unsearched:
        names = ", ".join(one.name for one in unsearched)
        st.caption(say("Not checked yet, so not searched: {names}", names=escape_markdown(names)))


def _render_project(one: PersonProject) -> str:
    lines = [_render_row(row) for row in one.rows[:ROWS_SHOWN]]
    more = one.row_count - len(lines)
    if more > 0:
        lines.append(escape(say_many(more, "and {count} more row", "and {count} more rows")))
    when = escape(say("Submitted {when}", when=show_local(one.project.submitted_at)))
    return f'<p class="w-quiet" style="margin:0">{when}</p>' + "".join(
        f'<p class="w-named">{line}</p>' for line in lines
    )


def _render_row(row: PersonRow) -> str:
    number = escape(say("Row {number}", number=show_count(row.number)))
    if not row.is_email:
        return f"{number}: {escape(say('it is in another column'))}"
    if row.verdict is None:
        return f"{number}: {escape(say('removed as a duplicate'))}"
    reasons = escape(phrase_reasons(row.verdict.reasons))
    said = f"{number} {render_chip(row.verdict.category)} {reasons}"
    if OWN_REASONS & set(row.verdict.reasons):
        said += f" <strong>{escape(say('Decided by your lists.'))}</strong>"
    return said
