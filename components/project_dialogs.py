"""What opens over the list of projects: its files, and the question before it is deleted."""

from collections.abc import Callable

import streamlit as st

from components.downloads import Issue, draw_all_downloads
from components.error_boundary import dialog, guard
from components.local_time import show_local
from components.markdown import escape_markdown
from winnow.core.figures import count_things, show_size
from winnow.core.tasks.task import Task


@dialog("Download", width="medium")
def open_downloads(task: Task, issue: Issue, link_seconds: int) -> None:
    """Offer a completed project's files."""
    st.markdown(f"**{escape_markdown(task.project_name)}**")
    if task.summary is not None:
        draw_all_downloads(task, task.summary, issue, link_seconds=link_seconds)


@dialog("Delete this project?")
def confirm_delete(task: Task, delete: Callable[[], None]) -> None:
    """Ask once: name the project, say what goes."""
    name = escape_markdown(task.project_name)
    what = "the uploaded file"
    if task.summary is not None:
        what += f", the result of {count_things(task.summary.rows_out, 'row')}"
    size = show_size(task.input_bytes + task.result_bytes)
    st.markdown(
        f"**{name}**, submitted {show_local(task.submitted_at)}, goes for good: {what} "
        f"and every download link to it, {size} in all. What was charged stays charged."
    )
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Keep it", key="delete_no"):
            st.rerun()
        if st.button(f"Delete {name}", key="delete_yes", type="primary", on_click=guard(delete)):
            st.rerun()
