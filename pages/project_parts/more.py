"""What else there is about a finished project, a tab each: only the open one is worked out."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from components.data_drift import draw_data_drift
from components.error_boundary import fragment
from components.input_summary import tell_apart
from components.notices import draw_notice_list, find_quiet
from components.policy_comparison import PolicyQuestions, draw_policy_comparison
from components.project_duplicates import draw_project_duplicates
from components.project_head import draw_compare_link
from components.recheck_notes import draw_rhythm
from components.sender_report import draw_sender_link
from components.suppressions import draw_suppressions, title_suppressions
from pages.project_parts.view import OpenedProject, go_to
from winnow.core.tasks.task import KeyType, TaskState
from winnow.words import say

TOKEN_REFRESH_SECONDS = 240  # an upload token is good for ten minutes


@fragment()
def draw_more(view: OpenedProject) -> None:
    """Draw the tabs; what is chosen in one redraws it alone."""
    st.header(say("More about this list"))
    parts: dict[str, Callable[[OpenedProject], None]] = {
        say("Duplicates"): tell_duplicates,
        say("Do-not-mail files"): forbid,
        say("Compare policies"): compare_policies,
        say("Over time"): look_over_time,
    }
    if find_quiet(view.task.notices):
        parts[say("Notes about the file")] = tell_notes
    for tab, draw in zip(
        st.tabs(list(parts), key="more", on_change="rerun"), parts.values(), strict=True
    ):
        if tab.open:
            with tab:
                draw(view)


def compare_policies(view: OpenedProject) -> None:
    """Draw what each policy keeps and loses."""
    analysis = view.services.column_analysis
    questions = PolicyQuestions(
        view.bind(analysis.measure),
        view.bind(analysis.differ),
        view.bind(analysis.list_columns),
        view.bind(analysis.split),
        view.bind(analysis.add_up),
    )
    policies = view.services.policies
    make_default = partial(policies.make_default, view.account)
    draw_policy_comparison(policies.list(view.account), questions, make_default)


def tell_duplicates(view: OpenedProject) -> None:
    """Show some duplicates, and offer another rule."""
    draw_project_duplicates(
        view.task,
        tell_apart(view.task.plan.columns),
        view.bind(view.services.duplicates.look_back),
        view.bind(view.services.duplicates.run_again),
        go_to,
    )


@fragment(run_every=TOKEN_REFRESH_SECONDS)
def forbid(view: OpenedProject) -> None:
    """Take do-not-mail files; drawn anew from time to time so that its token never gets old."""
    desk = view.services
    files = view.bind(desk.suppressions.list_of_task)()
    with st.container(key="do_not_mail", gap="small"):
        st.markdown(f"**{title_suppressions(files)}**")
        if draw_suppressions(
            files,
            beside="projects",
            list_id=view.task.task_id,
            token=desk.uploads.issue_token(view.account),
            free_bytes=desk.usage.storage(view.account).free_bytes,
            remove=partial(desk.suppressions.remove, view.account),
        ):
            st.rerun()


def look_over_time(view: OpenedProject) -> None:
    """Offer to check the list again by itself, and to compare it with an earlier one."""
    schedule = view.services.recheck_schedule
    if view.task.key_type is not KeyType.SANDBOX:  # has no data that could move on
        draw_rhythm(view.bind(schedule.find_rhythm)(), view.bind(schedule.choose))
    with st.container(horizontal=True):
        _offer_comparison(view)
        draw_sender_link()


def tell_notes(view: OpenedProject) -> None:
    """Say what was noticed as the file was read."""
    draw_notice_list(view.task.notices, view.task.plan.file_format)


def tell_drift(view: OpenedProject) -> None:
    """Say when the data has moved on since, and offer to check the list again."""
    rechecks = view.services.rechecks
    draw_data_drift(view.bind(rechecks.find_drift), view.bind(rechecks.check_again), go_to)


def _offer_comparison(view: OpenedProject) -> None:
    """Lead to the comparison where there is a list from before this one."""
    earlier = (
        one
        for one in view.services.tasks.list(view.account)
        if one.state is TaskState.COMPLETED and one.submitted_at < view.task.submitted_at
    )
    if next(earlier, None) is not None:
        draw_compare_link(view.task)
