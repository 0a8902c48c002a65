"""Table of rows: the list's own columns, the verdict, the reason in words, ticked rows.

Ticked rows are kept across pages and filters.
"""

import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.session import set_widget
from components.kit.project_view import OpenedProject
from components.kit.verdict import verdict_column
from components.project.filters import Filters, change_filters
from winnow.core.figures import show_count
from winnow.core.lists.rows import (
    IN_FILE,
    TICKED_MAX,
    Row,
    RowOrder,
    RowPage,
    SortBy,
    Ticked,
)
from winnow.core.verdicts.verdict import name_action, phrase_reasons
from winnow.words import say, say_many

ROWS_PER_PAGE = 50
_OWN = "own-"
_SORTS: Mapping[str, SortBy] = {
    "number": SortBy.FILE,
    "action": SortBy.ACTION,
    "email": SortBy.ADDRESS,
    "type": SortBy.DOMAIN_TYPE,
    "reason": SortBy.REASON,
}
_EMAIL_PX = 340
_REASON_PX = 300
_MOST_ROWS_IN_FULL = 15
_TALLEST_PX = 580
_MOST_COLUMNS = 40  # a wider table is not readable; the downloads have every column


def draw_page(
    view: OpenedProject, page: RowPage, filters: Filters, columns: Sequence[str], ticks: Ticked
) -> Row | None:
    """Draw one page of rows with its paging; a click on a column's name sorts the whole list.

    Args:
        view: The project.
        page: The rows, and how many match.
        filters: What the rows are filtered and sorted by.
        columns: The names of the list's columns.
        ticks: The ticked rows, of all pages.

    Returns:
        The row whose reasons were asked for, None when none was.
    """
    if not page.matching:
        st.info(say("No row matches. Clear a filter to see more."))
        return None
    with st.container(key="rows_table"):
        asked = _draw_rows(view, page.rows, filters.order, columns, ticks)
    first = (filters.page - 1) * ROWS_PER_PAGE + 1
    last = first + len(page.rows) - 1
    pages = -(-page.matching // ROWS_PER_PAGE)
    with st.container(horizontal=True, vertical_alignment="center"):
        shown = say(
            "Rows {first} to {last} of {all}",
            first=show_count(first),
            last=show_count(last),
            all=show_count(page.matching),
        )
        st.caption(shown, width="stretch")
        if pages > 1:
            key = f"rows_page_{filters.page}_{page.matching}"  # new with every change of filter

            def turn() -> None:
                change_filters(lambda now: replace(now, page=st.session_state[key]))

            st.pagination(
                pages,
                default=min(filters.page, pages),
                max_visible_pages=0,
                key=key,
                on_change=guard(turn),
            )
    return None if asked is None else page.rows[asked]


def sort_by_header(order: RowOrder, chosen: Sequence[str]) -> RowOrder:
    """Return the order after a click on a column's name: up, down, as in the file.

    Args:
        order: The present one.
        chosen: The table's chosen columns; none after a click on the one that was chosen.
    """
    by: SortBy | int | None = order.by
    if chosen:
        own = chosen[0].removeprefix(_OWN)
        by = int(own) if own != chosen[0] else _SORTS.get(own)
    if by is None:
        return order
    if by != order.by:
        return RowOrder(by)
    if order.descending:
        return IN_FILE
    return RowOrder(by, descending=True)


def _name_sorted(order: RowOrder, own: Sequence[int]) -> list[str]:
    """Return the table's column that the rows are sorted by; none for the file's order."""
    if order == IN_FILE:
        return []
    if isinstance(order.by, int):
        return [f"{_OWN}{order.by}"] if order.by in own else []
    return [name for name, by in _SORTS.items() if by is order.by]


def _draw_rows(
    view: OpenedProject,
    rows: Sequence[Row],
    order: RowOrder,
    columns: Sequence[str],
    ticks: Ticked,
) -> int | None:
    policy, task_id = view.find_choice().policy, view.task.task_id
    email_column = view.services.results.email_column(*view.ids)
    own = [position for position in range(len(columns)) if position != email_column]
    own = own[: _MOST_COLUMNS - 1]
    sorted_columns = _name_sorted(order, own)
    numbers = [row.number for row in rows]
    shown = zlib.crc32(repr((numbers, sorted_columns, order.descending)).encode())
    key = f"rows_{shown}"  # ticks of another page are not this page's
    ticked = [place for place, number in enumerate(numbers) if number in ticks]
    selection = {"rows": ticked, "columns": sorted_columns, "cells": []}
    set_widget(key, {"selection": selection})

    def clicked() -> None:
        now = st.session_state[key]["selection"]
        if list(now["columns"]) != sorted_columns:
            wanted = sort_by_header(order, now["columns"])
            change_filters(lambda before: replace(before, page=1, order=wanted))
        else:
            places = [place for place in now["rows"] if place < len(rows)]
            click_rows(task_id, numbers, [numbers[place] for place in places])

    def name(column: str, words: str) -> str:
        arrow = ("\N{UPWARDS ARROW}", "\N{DOWNWARDS ARROW}")[order.descending]
        return f"{words} {arrow}" if column in sorted_columns else words

    data: dict[str, object] = {
        "number": [row.shown_number for row in rows],
        "action": [[name_action(policy.find_action(row.verdict))] for row in rows],
        "email": [row.email for row in rows],
        "type": [say(row.verdict.domain_type.words) for row in rows],
        "reason": [phrase_reasons(policy.order_reasons(row.verdict)) for row in rows],
        "why": [say("Why")] * len(rows),
        **{f"{_OWN}{position}": [_cell(row, position) for row in rows] for position in own},
    }
    st.dataframe(
        data,
        hide_index=True,
        height=_TALLEST_PX if len(rows) > _MOST_ROWS_IN_FULL else "content",
        alt=say("The rows that match, and what to do with them"),
        key=key,
        on_select=guard(clicked),
        selection_mode=["multi-row", "single-column"],
        column_config={
            "why": st.column_config.ButtonColumn(say("Evidence"), key="row_why", width="small"),
            "number": st.column_config.NumberColumn(
                name("number", say("Row")),
                format="localized",
                width="small",
                help=explain_number(rows[0]),
            ),
            "email": st.column_config.TextColumn(
                name("email", columns[email_column]), width=_EMAIL_PX
            ),
            "action": verdict_column(name("action", say("What to do"))),
            "type": st.column_config.TextColumn(name("type", say("Domain type")), width=150),
            "reason": st.column_config.TextColumn(name("reason", say("Reasons")), width=_REASON_PX),
            **{
                f"{_OWN}{position}": st.column_config.TextColumn(
                    name(f"{_OWN}{position}", columns[position])
                )
                for position in own
            },
        },
    )
    if len(columns) > _MOST_COLUMNS:
        text = say(
            "The first {shown} of {all} columns; downloads have all.",
            shown=_MOST_COLUMNS,
            all=show_count(len(columns)),
        )
        st.caption(text)
    click = st.session_state.get("row_why")
    return int(click["row"]) if click and click["row"] < len(rows) else None


def explain_number(row: Row) -> str:
    """Return in words from where row numbers of a result are counted."""
    if row.file_number is None:
        return say(
            "Counted in the result, from 1 below the header. Check the list again to see the row "
            "numbers of your list."
        )
    return say(
        "The row in your list as a spreadsheet shows it: the header and blank rows count too."
    )


def _cell(row: Row, position: int) -> str:
    return row.cells[position] if position < len(row.cells) else ""


def read_ticks(task_id: str) -> Ticked:
    """Return the ticked rows of a project in this session."""
    ticks: Ticked = st.session_state.get(_key(task_id), Ticked())
    return ticks


def click_rows(task_id: str, here: Collection[int], now: Collection[int]) -> None:
    """Store which rows of the shown page are ticked; a click that was not drawn yet stays.

    A click that would tick more rows than may be is not stored, which a message says.

    Args:
        task_id: The project.
        here: Numbers of the page's rows.
        now: Numbers of those that are ticked now.
    """
    ticks = read_ticks(task_id).difference(here).union(now)
    if len(ticks) <= TICKED_MAX:
        st.session_state[_key(task_id)] = ticks
        return
    st.toast(
        say_many(
            TICKED_MAX,
            "At most {count} row can be selected. Filter, then download these rows.",
            "At most {count} rows can be selected. Filter, then download these rows.",
        )
    )


def clear_ticks(task_id: str) -> None:
    """Untick every row."""
    st.session_state[_key(task_id)] = Ticked()


def _key(task_id: str) -> str:
    return f"ticks_{task_id}"
