"""Projects page: all projects, deletions that can be undone."""

from collections.abc import Sequence

import streamlit as st

from components.frame import page_urls
from components.frame.error_boundary import fragment
from components.frame.session import may, read_identity
from components.projects.project_dialogs import draw_restored, offer_undo
from components.projects.project_table import draw_projects, draw_storage, draw_wait
from winnow import wiring
from winnow.core.tasks.task import Task, TaskState
from winnow.words import say, say_many

identity = read_identity()
services = wiring.services().act_as(identity)
account = identity.account


@fragment(run_every=2)
def follow() -> None:
    """Draw the projects again while any is being cleaned, and the whole page once none is."""
    tasks = services.tasks.list(account)
    if not is_any_cleaned(tasks):
        st.rerun()
    draw_projects(services, account, tasks)


def is_any_cleaned(tasks: Sequence[Task]) -> bool:
    """Return whether any project is being cleaned."""
    return any(task.state is TaskState.PROCESSING for task in tasks)


def draw_empty() -> None:
    """Draw what to do while there is no project."""
    st.markdown(
        say_many(
            services.settings.retention_days,
            "No project yet. Each list that you clean becomes a project and stays here for "
            "{count} day.",
            "No project yet. Each list that you clean becomes a project and stays here for "
            "{count} days.",
        )
    )
    if may(services.uploads.begin) and st.button(
        say("Clean a list"), type="primary", key="first_list"
    ):
        st.switch_page(page_urls.CLEAN)


st.title(say("Projects"))
with st.container():  # what is open below stays open while deletions come and go
    if deleted := services.deletions.list(account):
        offer_undo(services, account, deleted)
    else:
        draw_restored()
draw_storage(services.usage.storage(account))
draw_wait(services.retention.find_wait())
tasks = services.tasks.list(account)
if is_any_cleaned(tasks):
    follow()
elif tasks:
    draw_projects(services, account, tasks)
else:
    draw_empty()
