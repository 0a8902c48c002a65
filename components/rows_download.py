"""What is seen of the rows as a file: those that the filters leave, or those that are ticked."""

from collections.abc import Callable

import streamlit as st

from components.downloads import name_kind, name_parts, say_too_many
from components.error_boundary import guard
from components.ticks import TableTicks, clear_ticks, tick_all
from winnow.core.accounts import DownloadLink
from winnow.core.figures import show_size
from winnow.core.lists.download_choice import DownloadChoice
from winnow.core.lists.exports import FileLimits
from winnow.core.lists.rows import TICKED_MAX, RowFilter, Ticked
from winnow.core.tasks.task import Task
from winnow.words import say, say_many

IssueRows = Callable[[RowFilter | Ticked], DownloadLink]


def draw_rows_download(
    task: Task,
    row_filter: RowFilter,
    matching: int,
    ticks: TableTicks,
    ticked_count: int,
    draw_links: Callable[[], None],
) -> None:
    """Draw the download of the rows that are seen, and what ticks more or fewer of them.

    Args:
        task: A completed task.
        row_filter: What the page shows.
        matching: How many rows that are.
        ticks: What is ticked.
        ticked_count: How many rows that are.
        draw_links: Draws the rows as files; may be drawn anew by itself.
    """
    draw_links()
    with st.container(horizontal=True, vertical_alignment="center", key="rows_ticks"):
        st.caption(
            say("Select rows in the table to download only those."),
            width="content",
            help=say(
                "Tick the boxes at the left, or press Shift and Space on a row. What is selected "
                "stays while you page and filter."
            ),
        )
        if matching != ticked_count:
            st.button(
                say_many(matching, "Select the {count} row", "Select all {count} rows"),
                key="tick_all",
                type="tertiary",
                icon=":material/select_check_box:",
                on_click=guard(tick_all),
                args=(task.task_id, row_filter),
                help=say("All rows that the filters leave, on every page of the table."),
            )
        if not ticks.is_empty:
            st.button(
                say("Deselect all"),
                key="clear_ticks",
                type="tertiary",
                icon=":material/close:",
                on_click=guard(clear_ticks),
                args=(task.task_id,),
            )
    if ticks.is_full:
        st.warning(
            say_many(
                TICKED_MAX,
                "At most {count} row can be selected one by one. Filter, then select all of them.",
                "At most {count} rows can be selected one by one. Filter, then select all of them.",
            )
        )


def draw_rows_link(
    task: Task,
    choice: DownloadChoice,
    count: int,
    rows: RowFilter | Ticked,
    issue: IssueRows,
    split: FileLimits,
) -> None:
    """Draw the link to rows as a file in the form of the page's other files.

    Args:
        task: A completed task.
        choice: How the file looks.
        count: How many rows it holds.
        rows: Which: those that the filters leave, or those that are ticked.
        issue: Makes a fresh link.
        split: Where the file is split.
    """
    too_many = say_too_many(task, count, choice, split)
    link = issue(rows) if count and not too_many else None
    kind = name_kind(task, choice)
    if isinstance(rows, Ticked):
        label = say_many(
            count,
            "Download the {count} selected row, {format}",
            "Download the {count} selected rows, {format}",
            format=kind,
        )
    else:
        label = say_many(
            count,
            "Download this {count} row, {format}",
            "Download these {count} rows, {format}",
            format=kind,
        )
    label = name_parts(label, count, split)
    if link is not None and link.size_bytes is not None:
        label = say("{file}, {size}", file=label, size=show_size(link.size_bytes))
    st.link_button(
        label,
        link.path if link is not None else "#",
        icon=":material/download:",
        disabled=link is None,
        key="download_selection",
        wrap=True,
        help=say("In the order of your list, in the file format chosen above."),
    )
    if too_many:
        st.caption(too_many)
