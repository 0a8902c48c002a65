"""What was repaired in a project: told, listed by pages, undone."""

from collections.abc import Callable, Collection, Sequence

import streamlit as st

from components import page_urls
from components.error_boundary import dialog, guard
from components.markdown import escape_markdown
from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.figures import show_count
from winnow.core.lists.repair_offers import RepairRow
from winnow.core.tasks.task import Task
from winnow.words import mark, say, say_many

ROWS_PER_PAGE = 50
_TALLEST_PX = 420


def draw_repaired(
    task: Task,
    origin: Task | None,
    list_rows: Callable[[Collection[RepairKind], int, int], tuple[Sequence[RepairRow], int]],
    undo: Callable[[], None],
) -> None:
    """Say what was repaired, list it, and offer to undo it; nothing where none was asked for.

    Args:
        task: A completed project.
        origin: The one that it was made from; None where there is none, or none any more.
        list_rows: Gives repaired rows of some kinds, from an offset on, and how many there are.
        undo: Deletes this project and shows the other.
    """
    if task.options.repair is None or task.summary is None:
        return
    repaired = task.summary.repaired
    count = sum(repaired.values())
    with st.container(border=True, key="repaired"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(_describe(task, origin, count))
            if origin is not None:
                st.page_link(
                    page_urls.PROJECT,
                    label=say("Show the project before"),
                    icon=":material/undo:",
                    query_params={"task": origin.task_id},
                )
                if st.button(say("Undo the repairs"), key="repair_undo"):
                    confirm_undo(task, origin, undo)
        if not count:
            return
        kinds = ", ".join(
            f"{say(kind.words)}: {show_count(repaired[kind.value])}"
            for kind in RepairKind
            if kind.value in repaired
        )
        st.caption(kinds[:1].upper() + kinds[1:])
        label = say_many(count, "Show {count} repaired address", "Show {count} repaired addresses")
        with st.expander(label, key="repaired_list"):
            _draw_list(count, list_rows)


@dialog(mark("Undo the repairs?"))
def confirm_undo(task: Task, origin: Task, undo: Callable[[], None]) -> None:
    """Ask once: name what is deleted and what stays."""
    st.markdown(
        say(
            "This deletes **{name}** with its files and download links. **{origin}** is as it was.",
            name=escape_markdown(task.project_name),
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
        return say_many(
            count,
            "Made from **{name}** with {count} repair.",
            "Made from **{name}** with {count} repairs.",
            name=escape_markdown(origin.project_name),
        )
    told = say_many(count, "{count} address was repaired.", "{count} addresses were repaired.")
    if task.options.made_from is None:
        return told
    return f"{told} {say('The project that this one was made from is gone.')}"


def _draw_list(
    count: int,
    list_rows: Callable[[Collection[RepairKind], int, int], tuple[Sequence[RepairRow], int]],
) -> None:
    import pandas as pd

    pages = -(-count // ROWS_PER_PAGE)
    page = int(st.session_state.get("repaired_page") or 1)
    rows, _ = list_rows(frozenset(RepairKind), (page - 1) * ROWS_PER_PAGE, ROWS_PER_PAGE)
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
