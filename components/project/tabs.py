"""Tabs of a finished project: rows, breakdown, duplicates, history; only the open one is drawn."""

from functools import partial

import streamlit as st

from components.frame import page_urls
from components.frame.error_boundary import fragment
from components.kit.notices import draw_notice_list, find_quiet
from components.kit.tabs import draw_tabs
from components.project.breakdown import draw_breakdown
from components.project.project_duplicates import draw_project_duplicates
from components.project.rows_tab import draw_rows
from components.project.view import OpenedProject
from winnow.core.errors import Gone, TaskUnknown
from winnow.core.tasks.task import TaskState
from winnow.words import say


@fragment()
def draw_project_tabs(view: OpenedProject) -> None:
    """Draw the tabs; a choice in one redraws only these."""
    try:
        view.services.results.require_completed(*view.ids)
    except (TaskUnknown, Gone):  # deleted in another tab: the page says so
        st.rerun()
    draw_tabs(
        {
            "rows": (say("Rows"), partial(draw_rows, view)),
            "breakdown": (say("Breakdown"), partial(draw_breakdown, view)),
            "duplicates": (say("Duplicates"), partial(draw_project_duplicates, view)),
            "history": (say("History"), partial(_draw_history, view)),
        },
        key="tabs",
    )


def _draw_history(view: OpenedProject) -> None:
    """Draw the earlier lists, and the notes about the file."""
    tasks = view.services.tasks.list(view.account)
    if any(
        one.state is TaskState.COMPLETED and one.submitted_at < view.task.submitted_at
        for one in tasks
    ):
        st.page_link(
            page_urls.COMPARE,
            label=say("Compare with an earlier list"),
            icon=":material/compare_arrows:",
            query_params={"now": view.task.task_id},
        )
    else:
        st.caption(say("There is no earlier list to compare with."))
    if find_quiet(view.task.notices):
        st.markdown(f"**{say('Notes about the file')}**")
        draw_notice_list(view.task.notices, view.task.plan.file_format)
