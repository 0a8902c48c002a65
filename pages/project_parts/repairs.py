"""Repairs of a finished project: offered, told, undone."""

import streamlit as st

from components.error_boundary import fragment
from components.repair_offer import draw_repair_offer
from components.repaired_list import draw_repaired
from pages.project_parts.view import OpenedProject, go_to
from winnow.core.errors import Gone, TaskUnknown
from winnow.core.tasks.task import Task


@fragment()
def offer_repairs(view: OpenedProject) -> None:
    """Offer to fix addresses; what is chosen there redraws it alone."""
    repairs = view.services.repairs
    draw_repair_offer(
        view.task.task_id,
        view.bind(repairs.find),
        view.bind(repairs.page),
        view.bind(repairs.run),
        go_to,
    )


@fragment()
def tell_repairs(view: OpenedProject) -> None:
    """Say what was repaired, and lead back."""

    def undo() -> None:
        before = view.bind(view.services.repairs.undo)()
        st.query_params.from_dict({"task": before.task_id})

    list_repaired = view.bind(view.services.repairs.list_repaired)
    draw_repaired(view.task, _find_origin(view), list_repaired, undo)


def _find_origin(view: OpenedProject) -> Task | None:
    """Return the project that a repaired one was made from, where it is still there."""
    made_from = view.task.options.made_from
    if made_from is None:
        return None
    try:
        return view.services.tasks.get(view.account, made_from)
    except (TaskUnknown, Gone):
        return None
