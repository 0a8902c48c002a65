"""Repairs of a project: counts, a paged list, and undo."""

import streamlit as st

from components.frame.error_boundary import dialog, fragment, guard
from components.frame.session import may
from components.kit.html import escape_markdown
from components.kit.page_params import page_params
from components.project.view import OpenedProject, go_to
from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.errors import Gone, TaskUnknown
from winnow.core.figures import show_count
from winnow.core.tasks.task import Task
from winnow.words import mark, say, say_many

ROWS_PER_PAGE = 50
_TALLEST_PX = 420


@fragment()
def draw_repaired(view: OpenedProject) -> None:
    """Draw the line of the corrections made, with their list and undo; nothing without any."""
    task = view.task
    if task.options.repair is None or task.summary is None:
        return
    repaired = task.summary.repaired
    count = sum(repaired.values())
    origin = _find_origin(view)
    with st.container(key="repaired", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(_describe(task, origin, count))
            if origin is not None:
                if st.button(say("Show the project before"), key="repair_origin", type="tertiary"):
                    go_to(origin)
                if may("repairs.undo") and st.button(
                    say("Undo the repairs"), key="repair_undo", type="tertiary"
                ):
                    confirm_undo(view, origin)
        if not count:
            return
        label = say_many(count, "Show {count} repaired address", "Show {count} repaired addresses")
        with st.expander(label, key="repaired_list", type="compact", on_change="rerun") as box:
            if box.open:
                kinds = ", ".join(
                    f"{say(kind.words)}: {show_count(repaired[kind.value])}"
                    for kind in RepairKind
                    if kind.value in repaired
                )
                st.caption(kinds[:1].upper() + kinds[1:])
                _draw_list(view, count)


def _find_origin(view: OpenedProject) -> Task | None:
    """Return the project that a repaired one was made from, if it still exists."""
    made_from = view.task.options.made_from
    if made_from is None:
        return None
    try:
        return view.services.tasks.get(view.account, made_from)
    except (TaskUnknown, Gone):
        return None


@dialog(mark("Undo the repairs?"))
def confirm_undo(view: OpenedProject, origin: Task) -> None:
    """Ask once: name what is deleted and what is kept."""

    def undo() -> None:
        page_params.replace({"task": view.services.repairs.undo(*view.ids).task_id})

    st.markdown(
        say(
            "This deletes **{name}** with its files and download links. **{origin}** is as it was.",
            name=escape_markdown(view.task.project_name),
            origin=escape_markdown(origin.project_name),
        )
    )
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button(say("Keep the repairs"), key="undo_no"):
            st.rerun()
        if st.button(say("Undo the repairs"), key="undo_yes", type="primary", on_click=guard(undo)):
            st.rerun()


def _describe(task: Task, origin: Task | None, count: int) -> str:
    if origin is not None:
        told = say_many(
            count,
            "Made from **{name}** with {count} repair.",
            "Made from **{name}** with {count} repairs.",
            name=escape_markdown(origin.project_name),
        )
        return f"{told} {_tell_removed(task)}".rstrip()
    told = say_many(count, "{count} address was repaired.", "{count} addresses were repaired.")
    if task.options.made_from is None:
        return told
    return f"{told} {say('The project that this one was made from is gone.')}"


def _tell_removed(task: Task) -> str:
    """Draw how many repaired addresses are duplicates, and so are not in the result."""
    gone = 0 if task.summary is None else task.summary.duplicates_repaired
    if not gone:
        return ""
    return say_many(
        gone,
        "{count} more repaired address was a duplicate and was removed.",
        "{count} more repaired addresses were duplicates and were removed.",
    )


def _draw_list(view: OpenedProject, count: int) -> None:
    import pandas as pd

    pages = -(-count // ROWS_PER_PAGE)
    page = int(st.session_state.get("repaired_page") or 1)
    rows, _ = view.services.repairs.list_repaired(
        *view.ids, frozenset(RepairKind), (page - 1) * ROWS_PER_PAGE, ROWS_PER_PAGE
    )
    names = {
        "number": say("Row"),
        "old": say("Before"),
        "new": say("Now"),
        "kind": say("What was wrong"),
    }
    data = {
        names[field]: [
            say(value.words) if isinstance(value, RepairKind) else value
            for value in (getattr(row, field) for row in rows)
        ]
        for field in names
    }
    st.dataframe(
        pd.DataFrame(data),
        hide_index=True,
        height=_TALLEST_PX if len(rows) > 10 else "content",
        alt=say("The addresses that were repaired, before and now"),
    )
    if pages > 1:
        st.pagination(pages, key="repaired_page")
