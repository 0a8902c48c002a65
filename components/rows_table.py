"""The table of rows: the analyst's own columns, the verdict, the reason in words."""

import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from components.error_boundary import guard
from components.filters import Filters
from components.verdict import verdict_column
from winnow.core.figures import show_count
from winnow.core.lists.row_order import IN_FILE, RowOrder, SortBy
from winnow.core.lists.rows import Row, RowPage
from winnow.core.verdicts.words import name_action, phrase_reasons
from winnow.words import mark, say

ROWS_PER_PAGE = 50
SORTS_ONE_PAGE = mark("A click on a column's name sorts this page only.")
_SORT_BY, _SORT_DOWN = "rows_sort_by", "rows_sort_down"
_SORT_WORDS: Mapping[SortBy, str] = {
    SortBy.FILE: mark("Row in your list"),
    SortBy.DOMAIN: mark("Domain"),
    SortBy.VERDICT: mark("Verdict"),
    SortBy.DOMAIN_TYPE: mark("Domain type"),
    SortBy.REASON: mark("Reasons"),
}
_EMAIL_PX = 340
_REASON_PX = 300
_MOST_ROWS_IN_FULL = 15
_TALLEST_PX = 580
_MOST_COLUMNS = 40  # a table wider than this helps nobody; the downloads have every column


@dataclass(frozen=True, slots=True)
class Ticking:
    """Which rows of the page are ticked, and who hears of a click: of all that are from then on."""

    numbers: Collection[int]
    on_click: Callable[[Sequence[int]], None]


def draw_page(
    page: RowPage,
    filters: Filters,
    columns: Sequence[str],
    email_column: int,
    on_change: Callable[[Filters], None],
    ticking: Ticking,
) -> Row | None:
    """Draw one page of rows with its paging; a change of page goes to ``on_change``.

    Returns:
        The row whose reasons were asked for, None when none was.
    """
    if not page.matching:
        st.info(say("No row matches. Clear a filter to see more."))
        return None
    _draw_order(filters, columns, email_column, on_change)
    with st.container(key="rows_table"):  # desk.css hides what would export or search one page
        asked = _draw_rows(page.rows, columns, email_column, ticking, filters.order.by)
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
        st.caption(f"{shown}. {say(SORTS_ONE_PAGE)}" if pages > 1 else shown, width="stretch")
        if pages > 1:
            key = f"rows_page_{filters.page}_{page.matching}"  # anew with every change of filter
            st.pagination(
                pages,
                default=min(filters.page, pages),
                key=key,
                on_change=guard(lambda: on_change(replace(filters, page=st.session_state[key]))),
            )
    return None if asked is None else page.rows[asked]


def ask_for_row(first: Row, last_number: int, find: Callable[[int], Row | None]) -> Row | None:
    """Offer to explain any row of a result by its number for people; return the row.

    Args:
        first: The first row that is shown.
        last_number: The largest that may be asked for.
        find: Returns the row of a number; None where the result has none.
    """
    in_file = first.file_number is not None
    label = say("Row number in your list") if in_file else None
    number = draw_row_question(last_number, first.shown_number, label)
    row = None if number is None else find(number)
    if number is not None and row is None:
        text = say(
            "Row {number} of your list is not in the result: it is blank, stands above the list, "
            "or went as a duplicate.",
            number=show_count(number),
        )
        st.info(text)
    return row


def draw_row_question(row_count: int, first: int, label: str | None = None) -> int | None:
    """Offer to explain any row by its number, which keys alone can do; return the number."""
    with (
        st.form("row_question", border=False, enter_to_submit=True),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        number = st.number_input(
            label or say("Row number"),
            min_value=1,
            max_value=row_count,
            value=min(first, row_count),
            step=1,
            key="row_number",
            width=190,
        )
        is_asked = st.form_submit_button(say("Show why"), key="row_show", icon=":material/help:")
    return int(number) if is_asked and number is not None else None


def _draw_order(
    filters: Filters,
    columns: Sequence[str],
    email_column: int,
    on_change: Callable[[Filters], None],
) -> None:
    """Draw what all rows are sorted by, on every page of the table."""
    own = [place for place in range(min(len(columns), _MOST_COLUMNS)) if place != email_column]
    options: list[SortBy | int] = [*SortBy, *own]
    order = filters.order if filters.order.by in options else IN_FILE
    state = st.session_state
    state[_SORT_BY], state[_SORT_DOWN] = order.by, order.descending

    def word(by: SortBy | int) -> str:
        if isinstance(by, int) or by is SortBy.ADDRESS:
            place = by if isinstance(by, int) else email_column
            return _name(columns[place], place)
        return say(_SORT_WORDS[by])

    def changed() -> None:
        down = order.descending if state[_SORT_DOWN] is None else bool(state[_SORT_DOWN])
        on_change(replace(filters, page=1, order=RowOrder(state[_SORT_BY], down)))

    with st.container(horizontal=True, vertical_alignment="bottom", key="rows_sort"):
        st.selectbox(
            say("Sort all rows by"),
            options,
            format_func=word,
            key=_SORT_BY,
            on_change=guard(changed),
            width=240,
        )
        st.segmented_control(
            say("Direction"),
            [False, True],
            format_func=lambda down: say("Descending") if down else say("Ascending"),
            key=_SORT_DOWN,
            on_change=guard(changed),
            label_visibility="collapsed",
        )
        if order != IN_FILE:
            st.caption(
                say("Empty cells come last. Downloads keep the order of your list."),
                width="content",
            )


def _draw_rows(
    rows: Sequence[Row],
    columns: Sequence[str],
    email_column: int,
    ticking: Ticking,
    sorted_by: SortBy | int,
) -> int | None:
    import pandas as pd

    shown = zlib.crc32(repr([row.number for row in rows]).encode())
    key = f"rows_{shown}"  # what is ticked on another page is not this one's
    ticked = [place for place, row in enumerate(rows) if row.number in ticking.numbers]
    st.session_state[key] = {"selection": {"rows": ticked, "columns": [], "cells": []}}

    def clicked() -> None:
        places = st.session_state[key]["selection"]["rows"]
        ticking.on_click([rows[place].number for place in places if place < len(rows)])

    own = [position for position in range(len(columns)) if position != email_column]
    own = own[: _MOST_COLUMNS - 1]
    beside = [position for position in own if position == sorted_by]
    data: dict[str, object] = {
        "number": [row.shown_number for row in rows],
        "category": [[name_action(row.verdict.category)] for row in rows],
        "email": [row.email for row in rows],
        **{f"own-{position}": [_cell(row, position) for row in rows] for position in beside},
        "type": [say(row.verdict.domain_type.words) for row in rows],
        "reason": [phrase_reasons(row.verdict.reasons) for row in rows],
        "why": [say("Why")] * len(rows),
    }
    if any(row.verdict.both for row in rows):
        data["other"] = [_name_other(row) for row in rows]
    for position in own:
        data.setdefault(f"own-{position}", [_cell(row, position) for row in rows])
    st.dataframe(
        pd.DataFrame(data),
        hide_index=True,
        height=_TALLEST_PX if len(rows) > _MOST_ROWS_IN_FULL else "content",
        alt=say("The rows that match, with their verdicts"),
        key=key,
        on_select=guard(clicked),
        selection_mode="multi-row",
        column_config={
            "why": st.column_config.ButtonColumn(say("Evidence"), key="row_why", width="small"),
            "number": st.column_config.NumberColumn(
                say("Row"),
                format="localized",
                width="small",
                help=explain_number(rows[0]),
            ),
            "email": st.column_config.TextColumn(
                _name(columns[email_column], email_column), width=_EMAIL_PX
            ),
            "category": verdict_column(),
            "type": st.column_config.TextColumn(say("Domain type"), width=150),
            "other": verdict_column(say("Other address")),
            "reason": st.column_config.TextColumn(say("Reasons"), width=_REASON_PX),
            **{
                f"own-{position}": st.column_config.TextColumn(_name(columns[position], position))
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
    """Say where the numbers of a result's rows are counted."""
    if row.file_number is None:
        return say(
            "Counted in the result, from 1 below the header. Check the list again to see the row "
            "numbers of your list."
        )
    return say(
        "The row in your list as a spreadsheet shows it: the header and blank rows count too."
    )


def _name_other(row: Row) -> list[str]:
    both = row.verdict.both
    return [] if both is None or both.other is None else [name_action(both.other)]


def _cell(row: Row, position: int) -> str:
    return row.cells[position] if position < len(row.cells) else ""


def _name(name: str, position: int) -> str:
    return name.strip() or say("column {number}", number=position + 1)
