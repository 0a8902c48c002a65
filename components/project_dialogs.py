"""What opens over the list of projects: its files, and the question before it is deleted."""

from collections.abc import Callable

import streamlit as st

from components.downloads import Issue, draw_all_downloads
from components.error_boundary import dialog, guard
from components.local_time import show_local
from components.markdown import escape_markdown
from winnow.core.figures import show_size
from winnow.core.tasks.deletion import UNDO_SECONDS
from winnow.core.tasks.task import Task
from winnow.words import format_number, mark, say, say_many


@dialog(mark("Download"), width="medium")
def open_downloads(task: Task, issue: Issue, link_seconds: int) -> None:
    """Offer a completed project's files."""
    st.markdown(f"**{escape_markdown(task.project_name)}**")
    if task.summary is not None:
        draw_all_downloads(task, task.summary, issue, link_seconds=link_seconds)


@dialog(mark("Delete this project?"))
def confirm_delete(task: Task, delete: Callable[[], object]) -> None:
    """Ask once: name the project, say what goes."""
    name = escape_markdown(task.project_name)
    when = show_local(task.submitted_at)
    st.markdown(say("**{name}**, submitted {when}", name=name, when=when))
    size = show_size(task.input_bytes + task.result_bytes)
    if task.summary is None:
        text = say("This deletes the uploaded file and every download link ({size}).", size=size)
    else:
        text = say_many(
            task.summary.rows_out,
            "This deletes the uploaded file, the result of {count} row and every download link "
            "({size}).",
            "This deletes the uploaded file, the result of {count} rows and every download link "
            "({size}).",
            size=size,
        )
    st.markdown(text)
    st.markdown(
        say("You can undo this for {seconds} seconds.", seconds=format_number(UNDO_SECONDS))
    )
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button(say("Keep the project"), key="delete_no"):
            st.rerun()
        label = say("Delete {name}", name=name)
        if st.button(label, key="delete_yes", type="primary", on_click=guard(delete)):
            st.rerun()
