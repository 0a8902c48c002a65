"""Project page: progress of one project, then its results."""

import streamlit as st

from components.frame import page_urls
from components.frame.error_boundary import fragment
from components.frame.page_urls import page_params
from components.frame.session import may, read_identity
from components.kit.notices import draw_notices, draw_problem
from components.kit.progress import draw_progress, find_rate, measure_pace
from components.kit.project_view import OpenedProject
from components.project.finished import draw_finished
from components.project.project_head import (
    draw_lost_result,
    draw_no_project,
    draw_project_facts,
    draw_project_name,
    draw_run_again,
)
from components.projects.project_dialogs import offer_undo
from components.rules.own_changes import draw_change
from winnow import wiring
from winnow.core.errors import Gone, ResultLost, TaskUnknown
from winnow.core.tasks.task import Task, TaskState
from winnow.words import say

identity = read_identity()
services = wiring.services().act_as(identity)
account = identity.account


@fragment(run_every=1)
def follow(task_id: str) -> None:
    """Draw a processing task once a second; redraw the whole page when it ends."""
    task = services.tasks.get(account, task_id)
    if task.state is not TaskState.PROCESSING:
        st.rerun()
    seconds = services.clock().timestamp()
    pace = measure_pace(task.progress, st.session_state.get(f"pace_{task_id}"), seconds)
    st.session_state[f"pace_{task_id}"] = pace
    rate = find_rate(task.progress, pace, seconds)
    if draw_progress(task.progress, rate, can_cancel=may(services.tasks.cancel)):
        services.tasks.cancel(account, task_id)
        st.rerun()


def find_loss(task: Task) -> ResultLost | None:
    """Return the missing files of a finished project, if any."""
    try:
        services.results.require_completed(account, task.task_id)
    except ResultLost as loss:
        return loss
    return None


def show(task: Task) -> None:
    """Draw a task by its state."""
    view = OpenedProject(services, identity, task)
    loss = find_loss(task) if task.summary is not None else None
    if task.state is TaskState.COMPLETED and task.summary is not None and loss is None:
        draw_finished(view)
        return
    draw_project_name(task)
    draw_project_facts(task, services.clock())
    if task.state is TaskState.PROCESSING:
        follow(task.task_id)
    elif loss is not None:
        draw_lost_result(view, loss)
    else:
        draw_problem(task.error or {})
        draw_notices(task.notices, task.plan.file_format)
        if may(services.tasks.submit_again):
            draw_run_again(view)
            st.page_link(page_urls.CLEAN, label=say("Clean a list"), icon=":material/upload_file:")


task_id = page_params.get("task")
try:
    found = services.tasks.get(account, task_id) if task_id else None
    found = found and services.project_views.present(found)
except (TaskUnknown, Gone) as error:
    if deleted := [one for one in services.deletions.list(account) if task_id in one.task_ids]:
        offer_undo(services, account, deleted)
    draw_no_project(error)
else:
    if found is None:
        draw_no_project(None)
    else:
        show(found)
draw_change(services.own_lists, account)
