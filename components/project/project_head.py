"""Head of a project's page, newer domain lists, and the states without rows to show."""

from datetime import datetime
from functools import partial

import streamlit as st

from components.clean.clean_merge import word_merge
from components.frame import page_urls
from components.frame.frame import find_data_day, set_tab_title
from components.frame.html import escape_markdown, render_facts
from components.frame.session import may, show_local, show_local_date
from components.kit.project_view import OpenedProject, run_again
from winnow.core.errors import Gone, ResultLost, WinnowError
from winnow.core.figures import show_date, show_days_left, show_size
from winnow.core.tasks.task import KeyType, Task
from winnow.services.uploads.uploads import Uploads
from winnow.words import say

CHECK_AGAIN = "check_again"


def draw_project_name(task: Task) -> None:
    """Draw the project's name."""
    set_tab_title(task.project_name)
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
            ]
        )
    )
    if task.request.merge is not None:
        st.caption(word_merge(task.request.merge))


def draw_lost_result(view: OpenedProject, loss: ResultLost) -> None:
    """Draw that a finished project has lost its files, and offer to make them again."""
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
    if may(view.services.tasks.submit_again):
        st.markdown(say("The uploaded list is still there. Checking it again makes a new project."))
        draw_run_again(view)


def draw_run_again(view: OpenedProject) -> None:
    """Offer to clean a project's uploaded list again."""
    if st.button(
        say("Check the list again"), icon=":material/refresh:", type="primary", key="run_again"
    ):
        run_again(partial(view.services.tasks.submit_again, *view.ids))


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
        if may(Uploads.begin):
            st.page_link(page_urls.CLEAN, label=say("Clean a list"), icon=":material/upload_file:")


def draw_newer_lists(view: OpenedProject) -> None:
    """Draw that domain lists or Winnow have changed since, and offer to check the list again."""
    summary, now = view.task.summary, view.services.knowledge().data_version
    is_sandbox = view.task.key_type is KeyType.SANDBOX  # which is judged by no lists
    if summary is None or is_sandbox:
        return
    if not summary.do_not_mail:
        text = say(
            "Made by an earlier Winnow: people who said no in a removed row, or by another "
            "spelling, are not left out. Check the list again."
        )
    elif summary.data_version != now:
        checked_on = find_data_day(summary.data_version)
        day = show_date(checked_on) if checked_on else summary.data_version
        text = say("Checked with the domain lists of {day}, which have changed since.", day=day)
    else:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="newer_lists"):
        st.markdown(f":material/update: {text}", width="content")
        help_text = say("Makes a new project of the same name from the same file.")
        pressed = may(view.services.tasks.submit_again) and st.button(
            say("Check this list again"), key=CHECK_AGAIN, type="tertiary", help=help_text
        )
    if pressed:
        run_again(partial(view.services.tasks.submit_again, *view.ids))
