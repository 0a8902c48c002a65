"""Projects: all of them, what they hold, how long they stay."""

from collections.abc import Collection
from datetime import datetime
from functools import partial

import streamlit as st

from components import page_urls
from components.decision_pages import draw_request_link
from components.deletions import draw_deletions, tell_deletions
from components.error_boundary import fragment
from components.project_dialogs import confirm_delete, open_downloads
from components.project_list import (
    draw_compare_link,
    draw_project_body,
    draw_project_card,
    draw_storage,
)
from components.sign_in import read_identity, read_token
from winnow.core.tasks.task import Task, TaskState
from winnow.wiring import services
from winnow.words import say, say_many

PROJECTS_PER_PAGE = 20
desk = services()
account = read_identity().account


undo = partial(desk.deletions.undo, account)
finish = partial(desk.deletions.finish, account)


def delete(task_ids: Collection[str]) -> None:
    """Delete projects, with a way back; those that went by themselves are gone as well."""
    desk.deletions.delete(account, task_ids)


@fragment(run_every=1)
def offer_undo(shown: frozenset[datetime]) -> None:
    """Count down what can still be undone; when that changes, draw the whole list anew."""
    deletions = desk.deletions.list(account)
    draw_deletions(deletions, desk.clock(), undo, finish)
    if {deletion.undo_until for deletion in deletions} != shown:
        st.rerun()


def draw_body(task: Task) -> None:
    """Draw what is known of a project now."""
    place = desk.tasks.queue_places(account).get(task.task_id) if task.is_waiting else None
    draw_project_body(task, desk.clock(), place)


@fragment(run_every=2)
def follow(task_id: str) -> None:
    """Keep a processing project's line fresh; when it ends, draw the whole list anew."""
    task = desk.tasks.get(account, task_id)
    if task.state is not TaskState.PROCESSING:
        st.rerun()
    draw_body(task)


def draw_list() -> None:
    """Draw one page of projects and answer what was pressed."""
    tasks = desk.tasks.list(account)
    draw_storage(desk.usage.storage(account))
    if not tasks:
        st.markdown(
            say_many(
                desk.settings.retention_days,
                "No project yet. Each list that you clean becomes a project and stays here for "
                "{count} day.",
                "No project yet. Each list that you clean becomes a project and stays here for "
                "{count} days.",
            )
        )
        if st.button(say("Clean a list"), type="primary", key="first_list"):
            st.switch_page(page_urls.CLEAN)
        return
    if sum(task.state is TaskState.COMPLETED for task in tasks) > 1:
        draw_compare_link()
    pages = -(-len(tasks) // PROJECTS_PER_PAGE)
    page = st.pagination(pages, key="projects_page") if pages > 1 else 1
    start = (page - 1) * PROJECTS_PER_PAGE
    for task in map(desk.own_effects.present, tasks[start : start + PROJECTS_PER_PAGE]):
        is_busy = task.state is TaskState.PROCESSING
        body = partial(follow, task.task_id) if is_busy else partial(draw_body, task)
        pressed = draw_project_card(task, body)
        if pressed == "delete":
            confirm_delete(task, partial(delete, (task.task_id,)))
        elif pressed == "download":
            session = desk.sign_in.name_session(read_token())
            open_downloads(
                task,
                partial(desk.downloads.issue, account, task.task_id, session=session),
                desk.settings.link_seconds,
            )


st.title(say("Projects"))
if deleted := desk.deletions.list(account):
    offer_undo(frozenset(deletion.undo_until for deletion in deleted))
else:
    tell_deletions()
draw_list()
draw_request_link()
