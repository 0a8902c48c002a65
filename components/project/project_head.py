"""Head of a project's page, and the states without rows to show."""

from collections.abc import Callable
from datetime import datetime

import streamlit as st

from components.clean.clean_merge import word_merge
from components.frame import page_urls
from components.frame.frame import name_tab
from components.kit.html import render_facts
from components.kit.local_time import show_local, show_local_date
from components.kit.markdown import escape_markdown
from components.kit.notices import draw_error
from components.project.data_drift import describe_version
from winnow.core.errors import Gone, ResultLost, WinnowError
from winnow.core.figures import show_days_left, show_size
from winnow.core.tasks.task import KeyType, Task
from winnow.words import say


def draw_project_name(task: Task) -> None:
    """Draw the project's name."""
    name_tab(task.project_name)
    st.title(escape_markdown(task.project_name))


def draw_project_facts(task: Task, now: datetime) -> None:
    """Draw the file's properties in one line."""
    size = task.input_bytes + task.result_bytes
    st.html(
        render_facts(
            [
                task.file_name,
                say("Submitted {when}", when=show_local(task.submitted_at)),
                show_size(size) if size else "",
                say(
                    "Kept until {day}, {left}",
                    day=show_local_date(task.expires_at),
                    left=show_days_left(task.expires_at, now),
                ),
                say("Sandbox: test answers") if task.key_type is KeyType.SANDBOX else "",
                _describe_data(task),
            ]
        )
    )
    if task.options.merge is not None:
        st.caption(word_merge(task.options.merge))


def _describe_data(task: Task) -> str:
    if task.summary is None:
        return ""
    return say("Domain lists of {day}", day=describe_version(task.summary.data_version))


def draw_lost_result(
    loss: ResultLost, check_again: Callable[[], Task], go_to: Callable[[Task], None]
) -> None:
    """Draw that a finished project has lost its files, and offer to make them again.

    Args:
        loss: What is missing.
        check_again: Queues the project's list again; may raise WinnowError.
        go_to: Shows another project in this one's place.
    """
    st.error(
        f"**{say('The result of this project is missing.')}**  \n"
        + say(
            "Cleaning had finished, but the files are no longer in Winnow's data folder. Somebody "
            "or another program moved or deleted them, or the folder was restored from an "
            "incomplete copy."
        )
    )
    if not loss.has_list:
        st.markdown(say("The uploaded list is missing as well. Upload it again."))
        st.page_link(page_urls.CLEAN, label=say("Clean a list"), icon=":material/upload_file:")
        return
    st.markdown(say("The uploaded list is still there. Checking it again makes a new project."))
    draw_run_again(check_again, go_to)


def draw_run_again(check_again: Callable[[], Task], go_to: Callable[[Task], None]) -> None:
    """Offer to clean a project's uploaded list again; parameters as for ``draw_lost_result``."""
    if st.button(
        say("Check the list again"), icon=":material/refresh:", type="primary", key="run_again"
    ):
        try:
            made = check_again()
        except WinnowError as error:
            draw_error(error, kept=say("No new project was made."))
        else:
            go_to(made)


def draw_no_project(error: WinnowError | None) -> None:
    """Draw why there is nothing to see, and a link to the projects."""
    if error is None:
        st.title(say("No project chosen"))
        st.markdown(say("This page shows one project. Choose it under Projects."))
    elif isinstance(error, Gone):
        st.title(say("This project is gone"))
        st.markdown(
            say(
                "It was deleted, or the time it is kept for is over. Its files and download links "
                "were deleted with it."
            )
        )
    else:
        st.title(say("There is no such project"))
        st.markdown(say("The link may be incomplete, or the project belongs to another account."))
    with st.container(horizontal=True):
        st.page_link(page_urls.PROJECTS, label=say("See all projects"), icon=":material/folder:")
        st.page_link(page_urls.CLEAN, label=say("Clean a list"), icon=":material/upload_file:")
