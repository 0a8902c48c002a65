"""The rows of a finished project: filters, charts, the table, and the drawer of one row."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from components.breakdown import draw_breakdown
from components.decision_pages import draw_explanation
from components.error_boundary import fragment
from components.filter_bar import draw_active, draw_filter_bar, read_search
from components.filters import build_row_filter, read_filters, write_filters
from components.hotspots import draw_hotspots
from components.overrule import draw_overrule
from components.own_changes import note_change
from components.row_detail import open_row_detail
from components.rows_download import draw_rows_download
from components.rows_table import ROWS_PER_PAGE, Ticking, ask_for_row, draw_page
from components.ticks import click_rows, read_ticks, settle_ticks
from pages.project_parts.files import offer_rows
from pages.project_parts.view import OpenedProject
from winnow.core.errors import Gone, TaskUnknown
from winnow.core.lists.dimensions import CATEGORY, OWN_VALUE
from winnow.core.lists.rows import Row, RowFilter
from winnow.core.verdicts.facts import Evidence
from winnow.words import say


@fragment()
def explore(view: OpenedProject) -> None:
    """Filters, charts and the table: what is filtered redraws these alone."""
    try:
        _draw_rows(view)
    except (TaskUnknown, Gone):  # deleted in another tab: the page says so
        st.rerun()


def _draw_rows(view: OpenedProject) -> None:
    """Draw what the filters of the address leave."""
    desk, task = view.services, view.task
    rows = view.bind(desk.results.rows)
    facets = view.bind(desk.results.facets)
    filters = read_filters(st.query_params)
    row_filter = build_row_filter(filters, read_search())
    page = rows(row_filter, (filters.page - 1) * ROWS_PER_PAGE, ROWS_PER_PAGE, filters.order)
    if not page.rows and page.matching:
        filters = replace(filters, page=1)
        page = rows(row_filter, 0, ROWS_PER_PAGE, filters.order)
    keep_filters = partial(write_filters, params=st.query_params)
    st.header(say("What is in the list"))
    draw_filter_bar(filters, facets(row_filter), keep_filters)
    whole = facets(RowFilter())[CATEGORY].whole
    names = view.bind(desk.column_analysis.name_values)(filters.chosen.of(OWN_VALUE))
    draw_active(filters, page.matching, whole, keep_filters, names)
    charts, sources = st.tabs(
        [say("Charts"), say("Where the bad addresses come from")], key="looks", on_change="rerun"
    )
    if charts.open and page.matching:
        with charts:
            draw_breakdown(facets, row_filter, filters, keep_filters)
    if sources.open:
        find = partial(view.bind(desk.column_analysis.find_hotspots), view.find_choice().policy)
        with sources:
            draw_hotspots(find, filters, keep_filters)
    st.header(say("Rows"))
    columns = view.bind(desk.results.columns)()
    numbers = [row.number for row in page.rows]
    recall, keep = view.bind(desk.desk_choices.find_ticks), view.bind(desk.desk_choices.keep_ticks)
    ticks = settle_ticks(task.task_id, recall, keep)
    look = view.bind(desk.results.look_at_ticks)
    ticked = look(ticks.ticked, numbers)
    if page.matching or ticked.count:
        rows_wanted = (ticks.ticked, ticked.count) if ticked.count else (row_filter, page.matching)
        draw_links = partial(offer_rows, view, *rows_wanted)
        draw_rows_download(task, row_filter, page.matching, ticks, ticked.count, draw_links)

    def take_click(now: Sequence[int]) -> None:
        before = look(read_ticks(task.task_id).ticked, numbers).numbers
        click_rows(task.task_id, before, now)

    ticking = Ticking(ticked.numbers, take_click)
    email_column = view.bind(desk.results.email_column)()
    asked = draw_page(page, filters, columns, email_column, keep_filters, ticking)
    if page.matching:
        last, find_row = view.bind(desk.results.last_number)(), view.bind(desk.results.find_row)
        asked = ask_for_row(page.rows[0], last, find_row) or asked
    if asked is not None:
        _answer(view, asked, columns)


def _answer(view: OpenedProject, row: Row, columns: Sequence[str]) -> None:
    """Open the drawer that says why a row got its verdict."""
    found = view.bind(view.services.results.explain)(row)
    draw_more = partial(_offer_more, view, row, found.evidence)
    open_row_detail(row, columns, found.evidence, draw_more, found.not_black)


def _offer_more(view: OpenedProject, row: Row, evidence: Sequence[Evidence]) -> None:
    """Offer what else may be done with a row."""
    _overrule(view, row, evidence)
    explain = view.bind(view.services.decisions.explain_row)
    make = partial(explain, row.number, view.find_choice().policy, view.identity.person)
    draw_explanation(make, key="explain_row")


def _overrule(view: OpenedProject, row: Row, evidence: Sequence[Evidence]) -> None:
    """Offer to put a row's domain or address on an own list; what was pressed shows at once."""
    own_lists, account = view.services.own_lists, view.account
    noted = note_change(partial(own_lists.changes, account, 1))
    pressed = draw_overrule(
        row.email,
        row.verdict,
        evidence,
        noted(partial(own_lists.add, account)),
        noted(partial(own_lists.remove, account)),
        partial(view.services.own_effects.foresee, account, here=view.task.task_id),
        key="row",
    )
    if pressed:
        st.rerun()
