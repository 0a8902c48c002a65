"""What else can be done with a finished project: duplicates, do-not-mail files, later checks."""

from functools import partial

import streamlit as st

from components.data_drift import draw_data_drift
from components.error_boundary import fragment
from components.input_summary import tell_apart
from components.project_duplicates import draw_project_duplicates
from components.project_head import draw_compare_link
from components.recheck_notes import draw_rhythm
from components.suppressions import draw_suppressions, title_suppressions
from pages.project_parts.view import ProjectView, go_to
from winnow.core.tasks.task import KeyType, TaskState

TOKEN_REFRESH_SECONDS = 240  # an upload token is good for ten minutes


@fragment(run_every=TOKEN_REFRESH_SECONDS)
def forbid(view: ProjectView) -> None:
    """Take do-not-mail files; drawn anew from time to time so that its token never gets old."""
    desk = view.services
    files = view.bind(desk.suppressions.list_of_task)()
    with st.expander(title_suppressions(files), icon=":material/block:", key="do_not_mail"):
        if draw_suppressions(
            files,
            beside="projects",
            list_id=view.task.task_id,
            token=desk.uploads.issue_token(view.account),
            free_bytes=desk.usage.storage(view.account).free_bytes,
            remove=partial(desk.suppressions.remove, view.account),
        ):
            st.rerun()


@fragment()
def tell_duplicates(view: ProjectView) -> None:
    """Show some duplicates, and offer another rule; what is chosen there redraws it alone."""
    draw_project_duplicates(
        view.task,
        tell_apart(view.task.plan.columns),
        view.bind(view.services.duplicates.look_back),
        view.bind(view.services.duplicates.run_again),
        go_to,
    )


def offer_recheck(view: ProjectView) -> None:
    """Say when the data has moved on since, and offer to check the list again."""
    rechecks, schedule = view.services.rechecks, view.services.recheck_schedule
    draw_data_drift(view.bind(rechecks.find_drift), view.bind(rechecks.check_again), go_to)
    if view.task.key_type is not KeyType.SANDBOX:  # has no data that could move on
        draw_rhythm(view.bind(schedule.find_rhythm)(), view.bind(schedule.choose))


def offer_comparison(view: ProjectView) -> None:
    """Lead to the comparison where there is a list from before this one."""
    earlier = (
        one
        for one in view.services.tasks.list(view.account)
        if one.state is TaskState.COMPLETED and one.submitted_at < view.task.submitted_at
    )
    if next(earlier, None) is not None:
        draw_compare_link(view.task)
