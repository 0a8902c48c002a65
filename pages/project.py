"""One project: its progress, then its results, at its own address."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from components import page_urls
from components.deletions import draw_deletions
from components.error_boundary import fragment
from components.headline import draw_doubts, draw_headline
from components.notices import draw_loud_notices, draw_notices, draw_problem
from components.own_changes import tell_change
from components.progress import draw_progress, find_rate, measure_pace
from components.project_head import draw_lost_result, draw_no_project, draw_project_head
from components.sign_in import read_identity
from pages.project_parts.files import offer_files
from pages.project_parts.more import draw_more, tell_drift
from pages.project_parts.repairs import offer_repairs, tell_repairs
from pages.project_parts.rows import explore
from pages.project_parts.view import OpenedProject, go_to
from winnow.core.errors import Gone, ResultLost, TaskUnknown
from winnow.core.tasks.task import Task, TaskState
from winnow.wiring import services
from winnow.words import say

desk = services()
identity = read_identity()
account = identity.account


@fragment(run_every=1)
def follow(task_id: str) -> None:
    """Show a processing task once a second; when it ends, draw the whole page anew."""
    task = desk.tasks.get(account, task_id)
    if task.state is not TaskState.PROCESSING:
        st.rerun()
    seconds = desk.clock().timestamp()
    pace = measure_pace(task.progress, st.session_state.get(f"pace_{task_id}"), seconds)
    st.session_state[f"pace_{task_id}"] = pace
    place = desk.tasks.queue_places(account).get(task_id) if task.is_waiting else None
    if draw_progress(task.progress, find_rate(task.progress, pace, seconds), place):
        desk.tasks.cancel(account, task_id)
        st.rerun()


@fragment(run_every=1)
def offer_undo(task_ids: Sequence[str]) -> None:
    """Count down how long this project's deletion can be undone; then draw the page anew."""
    deletions = desk.deletions.list(account)
    here = [one for one in deletions if one.task_ids == task_ids]
    if not here:
        st.rerun()
    undo, finish = partial(desk.deletions.undo, account), partial(desk.deletions.finish, account)
    draw_deletions(here, desk.clock(), undo, finish)


def find_loss(task: Task) -> ResultLost | None:
    """Return what is missing of a finished project, if anything."""
    try:
        desk.results.require_completed(account, task.task_id)
    except ResultLost as loss:
        return loss
    return None


def show(task: Task) -> None:
    """Draw a task in the state it is in."""
    draw_project_head(task, desk.clock())
    if task.state is TaskState.PROCESSING:
        follow(task.task_id)
    elif task.state is TaskState.FAILED or task.summary is None:
        draw_problem(task.error or {})
        draw_notices(task.notices, task.plan.file_format)
        st.page_link(page_urls.CLEAN, label=say("Clean a list"), icon=":material/upload_file:")
    elif (loss := find_loss(task)) is not None:
        draw_lost_result(loss, partial(desk.rechecks.check_again, account, task.task_id), go_to)
    else:
        view = OpenedProject(desk, identity, task)
        with st.container(gap="small"):
            draw_headline(task.summary, is_charged=desk.sign_in.is_needed)
        draw_loud_notices(task.notices)
        draw_doubts(task.summary)
        tell_drift(view)
        tell_repairs(view)
        offer_repairs(view)
        offer_files(view)
        explore(view)
        draw_more(view)


task_id = st.query_params.get("task")
try:
    found = desk.tasks.get(account, task_id) if task_id else None
    found = found and desk.own_effects.present(found)
except (TaskUnknown, Gone) as error:
    deletion = next((one for one in desk.deletions.list(account) if task_id in one.task_ids), None)
    if deletion is not None:
        offer_undo(deletion.task_ids)
    draw_no_project(error)
else:
    if found is None:
        draw_no_project(None)
    else:
        show(found)
tell_change(partial(desk.own_lists.changes, account, 1), partial(desk.own_lists.undo, account))
