"""What opens over the list of projects: files, names, tags, and the question before deleting."""

from collections.abc import Callable, Collection, Sequence

import streamlit as st

from components.downloads import Issue, draw_all_downloads
from components.error_boundary import dialog, guard
from components.local_time import show_local
from components.markdown import escape_markdown
from components.notices import draw_error
from winnow.core.accounts import DownloadLink
from winnow.core.errors import WinnowError
from winnow.core.figures import show_size
from winnow.core.tasks.deletion import UNDO_SECONDS
from winnow.core.tasks.project_table import list_tags
from winnow.core.tasks.task import Task
from winnow.words import format_number, mark, say, say_many

NAMED_MAX = 5
_PROBLEM = "project_form_problem"


@dialog(mark("Download"), width="medium")
def open_downloads(task: Task, issue: Issue, link_seconds: int) -> None:
    """Offer a completed project's files."""
    st.markdown(f"**{escape_markdown(task.project_name)}**")
    if task.summary is not None:
        draw_all_downloads(task, task.summary, issue, link_seconds=link_seconds)


@dialog(mark("Download"), width="medium")
def open_packs(tasks: Sequence[Task], issue: Callable[[Task], DownloadLink]) -> None:
    """Offer one zip with every file of each of several completed projects."""
    st.markdown(say("One zip for each project, with all its files and reports."))
    for task in tasks:
        try:
            link = issue(task)
        except WinnowError as error:
            draw_error(error)
            continue
        st.link_button(
            escape_markdown(link.file_name),
            link.path,
            icon=":material/folder_zip:",
            width="stretch",
        )


@dialog(mark("Rename this project"))
def open_rename(task: Task, rename: Callable[[str], None]) -> None:
    """Ask for another name; what cannot be one stays to be mended."""

    def send() -> None:
        _try(lambda: rename(st.session_state["rename_to"]))

    with st.form("rename", border=False):
        st.text_input(say("Name"), value=task.project_name, max_chars=50, key="rename_to")
        is_sent = st.form_submit_button(say("Rename"), type="primary", on_click=guard(send))
    if is_sent:
        _close()


@dialog(mark("Tags"))
def open_tags(
    tasks: Sequence[Task],
    known: Sequence[str],
    change: Callable[[Collection[str], Collection[str]], object],
) -> None:
    """Ask which tags projects have.

    Args:
        tasks: One or several.
        known: Every tag there is.
        change: Gives the first tags to them and takes the second off.
    """
    if len(tasks) == 1:
        st.markdown(f"**{escape_markdown(tasks[0].project_name)}**")
    else:
        st.markdown(say_many(len(tasks), "**{count} project**", "**{count} projects**"))
    common = [tag for tag in list_tags(tasks) if all(tag in task.tags for task in tasks)]
    some = [tag for tag in list_tags(tasks) if tag not in common]

    def send() -> None:
        chosen = st.session_state["tags_all"]
        kept = (*chosen, *st.session_state.get("tags_some", ()))
        gone = [tag for tag in (*common, *some) if tag not in kept]
        _try(lambda: change([tag for tag in chosen if tag not in common], gone))

    with st.form("tags", border=False):
        st.multiselect(
            say("Tags") if len(tasks) == 1 else say("Tags that all of them have"),
            known,
            default=common,
            accept_new_options=True,
            placeholder=say("Choose a tag, or type a new one and press Enter"),
            key="tags_all",
        )
        if some:
            st.multiselect(say("Tags that some of them have"), some, default=some, key="tags_some")
        is_sent = st.form_submit_button(say("Save tags"), type="primary", on_click=guard(send))
    if is_sent:
        _close()


def _try(act: Callable[[], object]) -> None:
    """Do what a form asks for; what is wrong with it is told below the form."""
    try:
        act()
    except WinnowError as error:
        st.session_state[_PROBLEM] = error


def _close() -> None:
    """Close a form that was sent, or say what is wrong and leave it open."""
    problem = st.session_state.pop(_PROBLEM, None)
    if problem is None:
        st.rerun()
    draw_error(problem)


@dialog(mark("Delete?"))
def confirm_delete(tasks: Sequence[Task], delete: Callable[[], object]) -> None:
    """Ask once: name the projects, say what goes."""
    lines = [
        say(
            "**{name}**, submitted {when}",
            name=escape_markdown(task.project_name),
            when=show_local(task.submitted_at),
        )
        for task in tasks[:NAMED_MAX]
    ]
    more = len(tasks) - NAMED_MAX
    if more > 0:
        lines.append(say_many(more, "and {count} more", "and {count} more"))
    st.markdown("  \n".join(lines))
    size = show_size(sum(task.input_bytes + task.result_bytes for task in tasks))
    rows = sum(task.summary.rows_out for task in tasks if task.summary is not None)
    if len(tasks) > 1:
        text = say_many(
            rows,
            "This deletes the uploaded files, results of {count} row and every download link "
            "({size}).",
            "This deletes the uploaded files, results of {count} rows and every download link "
            "({size}).",
            size=size,
        )
    elif tasks[0].summary is None:
        text = say("This deletes the uploaded file and every download link ({size}).", size=size)
    else:
        text = say_many(
            rows,
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
        keep = say_many(len(tasks), "Keep the project", "Keep the projects")
        if st.button(keep, key="delete_no"):
            st.rerun()
        label = say_many(
            len(tasks),
            "Delete {name}",
            "Delete {count} projects",
            name=escape_markdown(tasks[0].project_name),
        )
        if st.button(label, key="delete_yes", type="primary", on_click=guard(delete)):
            st.rerun()
