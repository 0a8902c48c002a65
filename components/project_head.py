"""The head of a project's page, and the states in which it has no rows to show."""

from collections.abc import Callable
from datetime import datetime

import streamlit as st

from components import page_urls
from components.frame import name_tab
from components.html import render_facts
from components.local_time import show_local, show_local_date
from components.markdown import escape_markdown
from components.notices import draw_error
from winnow.core.errors import Gone, ResultLost, WinnowError
from winnow.core.figures import show_days_left, show_size
from winnow.core.tasks.task import Task


def draw_project_head(task: Task, now: datetime) -> None:
    """Draw the name and what is known of the file."""
    name_tab(task.project_name)
    size = task.input_bytes + task.result_bytes
    with st.container(gap=None):
        st.title(escape_markdown(task.project_name))
        st.html(
            render_facts(
                [
                    task.file_name,
                    f"Submitted {show_local(task.submitted_at, exact=True)}",
                    show_size(size) if size else "",
                    f"Kept until {show_local_date(task.expires_at)}, "
                    f"{show_days_left(task.expires_at, now)}",
                    "Sandbox answers" if task.key_type.value == "sandbox" else "",
                    f"Domain data {task.summary.data_version}" if task.summary else "",
                ]
            )
        )


def draw_compare_link(task: Task) -> None:
    """Lead to what changed since an earlier list."""
    st.page_link(
        page_urls.COMPARE,
        label="Compare with an earlier list",
        icon=":material/compare_arrows:",
        query_params={"now": task.task_id},
    )


def draw_lost_result(
    loss: ResultLost, check_again: Callable[[], Task], go_to: Callable[[Task], None]
) -> None:
    """Say that a finished project has lost its files, and offer to make them anew.

    Args:
        loss: What is missing.
        check_again: Queues the project's list anew; may raise WinnowError.
        go_to: Shows another project in this one's place.
    """
    st.error(
        "**The result of this project is missing.**  \n"
        "It was finished, but its files are no longer in Winnow's data folder: they were moved or "
        "removed by something else, or the folder was put back from a copy without them."
    )
    if not loss.has_list:
        st.markdown("The list that was uploaded is missing as well. Upload it again.")
        st.page_link(page_urls.CLEAN, label="Clean a list", icon=":material/upload_file:")
        return
    st.markdown("The list that was uploaded is still there. Checked again, it is a new project.")
    if st.button("Check the list again", icon=":material/refresh:", type="primary"):
        try:
            made = check_again()
        except WinnowError as error:
            draw_error(error, kept="Nothing was submitted.")
        else:
            go_to(made)


def draw_no_project(error: WinnowError | None) -> None:
    """Say why there is nothing to see, and where to go."""
    if error is None:
        st.title("No project chosen")
        st.markdown("This page shows one project; its address names which.")
    elif isinstance(error, Gone):
        st.title("This project is gone")
        st.markdown(
            "It was deleted, or its time was over. Its files and links went with it; nothing "
            "can bring them back."
        )
    else:
        st.title("There is no such project")
        st.markdown("The address may be incomplete, or it belongs to another account.")
    with st.container(horizontal=True):
        st.page_link(page_urls.PROJECTS, label="See all projects", icon=":material/folder:")
        st.page_link(page_urls.CLEAN, label="Clean a list", icon=":material/upload_file:")
