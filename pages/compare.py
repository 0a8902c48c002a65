"""Compare page: new, removed and changed addresses of two projects."""

import streamlit as st

from components.frame.error_boundary import fragment
from components.frame.page_urls import page_params
from components.frame.session import name_session, read_identity
from components.kit.notices import draw_error
from components.projects.comparison import (
    ROWS_PER_PAGE,
    draw_difference_picker,
    draw_different_addresses,
    draw_lists,
    draw_pair_picker,
    draw_too_few,
)
from winnow import wiring
from winnow.core.errors import Gone, TaskUnknown, WinnowError
from winnow.core.lists.cleaning import CleaningEffect, CleaningPolicy
from winnow.core.lists.comparison import Earlier
from winnow.core.tasks.task import Task, TaskState
from winnow.words import say

identity = read_identity()
services = wiring.services().act_as(identity)
account = identity.account


def weigh(task: Task) -> CleaningEffect:
    """Return what a project's usual policy does to it."""
    policy = services.policies.find_usual(account, task).policy
    return services.results.weigh(account, task.task_id, policy)


def show(before_id: str, now: Task) -> None:
    """Draw the differences between an earlier list and a project."""
    pair = account, before_id, now.task_id
    with st.spinner(say("Comparing the two lists")):
        comparison = services.comparisons.compare(*pair)
    before = [task for task in choices if task.task_id == before_id]
    draw_lists(comparison, [(one, weigh(one)) for one in (*before, now)])
    st.header(say("Addresses"))
    explore(*pair, services.policies.find_usual(account, now).policy)


@fragment(run_every=services.settings.link_refresh_seconds)
def explore(account: str, before_id: str, now_id: str, policy: CleaningPolicy) -> None:
    """Draw the addresses that differ, redrawn before the link expires."""
    pair = account, before_id, now_id
    try:
        comparison = services.comparisons.compare(*pair)
        session = name_session(services)
        link, count = None, 0
        if before_id in {task.task_id for task in choices}:
            count = services.comparisons.count_file(*pair)
            link = services.downloads.issue(
                account, now_id, earlier_id=before_id, session=session, is_new=False
            )
        difference = draw_difference_picker(comparison, link, count)
        offset = (st.session_state.get("compare_page", 1) - 1) * ROWS_PER_PAGE
        found = services.comparisons.addresses(*pair, difference, offset, ROWS_PER_PAGE)
    except (TaskUnknown, Gone):  # deleted in another tab: the page chooses again
        st.rerun()
    draw_different_addresses(found, difference, comparison.count(difference), policy)


def list_others(now_id: str) -> list[Earlier]:
    """Return the earlier lists of a project of the URL that are no project."""
    if now_id not in {task.task_id for task in choices}:
        return []
    found = services.comparisons.list_earlier(account, now_id)
    return [one for one in found if not one.is_project]


st.title(say("Compare two projects"))
choices = [one for one in services.tasks.list(account) if one.state is TaskState.COMPLETED]
if len(choices) < 2 and not list_others(page_params.get("now", "")):
    draw_too_few()
else:
    chosen = draw_pair_picker(choices, list_others)
    if chosen is not None:
        try:
            show(*chosen)
        except WinnowError as error:
            draw_error(error, kept=say("Choose another project."))
