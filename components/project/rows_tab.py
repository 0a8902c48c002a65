"""Rows of a finished project: filters, downloads, the table, and the drawer of one row."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from html import escape

import streamlit as st

from components.frame.error_boundary import dialog, fragment, guard
from components.frame.page_urls import page_params
from components.kit.input_summary import distinguish_columns
from components.kit.project_view import OpenedProject, draw_file
from components.kit.verdict import draw_evidence, draw_explanation, draw_verdict_head
from components.project.filters import (
    build_row_filter,
    draw_active,
    draw_filter_bar,
    read_filters,
    read_search,
)
from components.project.own_columns import draw_column_choice, draw_own_values
from components.project.project_files import (
    draw_platform_file,
    find_platform,
    name_kind,
)
from components.project.rows_table import (
    ROWS_PER_PAGE,
    clear_ticks,
    draw_page,
    read_ticks,
)
from components.rules.own_changes import draw_overrule
from winnow.core.figures import capitalise, cut_text, show_count
from winnow.core.lists.rows import Row, RowFilter, Ticked, Variant
from winnow.core.verdicts.verdict import phrase_reasons
from winnow.words import format_number, say, say_many, translatable

_MENU = "rows_download"
_DRAWER_PX = 480
_CELL_MAX = 2_000  # characters shown


def draw_rows(view: OpenedProject) -> None:
    """Draw the rows that match the page's filters."""
    results, filters = view.services.results, read_filters(page_params)
    policy = view.find_choice().policy
    row_filter = build_row_filter(filters, read_search(), policy)
    offset = (filters.page - 1) * ROWS_PER_PAGE
    page = results.rows(*view.ids, row_filter, offset, ROWS_PER_PAGE, filters.order)
    if not page.rows and page.matching:
        page = results.rows(*view.ids, row_filter, 0, ROWS_PER_PAGE, filters.order)
    columns = distinguish_columns(results.columns(*view.ids))
    facets = results.facets(*view.ids, row_filter)
    draw_filter_bar(filters, facets, partial(draw_column_choice, view))
    draw_own_values(view)
    ticks = read_ticks(view.task.task_id)
    here = [row for row in page.rows if row.number in ticks]
    with st.container(horizontal=True, vertical_alignment="center", key="active_filters"):
        # each part keeps its place: a menu that moves is another one, and closes in the browser
        chips, actions, menu = (
            st.container(horizontal=True, vertical_alignment="center", width="content")
            for _ in range(3)
        )
        with chips:
            draw_active(view, filters, page.matching)
        with actions:
            asked = _draw_ticks(view.task.task_id, len(ticks), here)
        with menu:
            rows, count = (ticks, len(ticks)) if ticks else (row_filter, page.matching)
            if count:
                fragment(run_every=view.services.settings.link_refresh_seconds)(_draw_download)(
                    view, rows, count
                )
    asked = draw_page(view, page, filters, columns, ticks) or asked
    if asked is not None:
        open_row_detail(view, asked, columns)


def _draw_ticks(task_id: str, count: int, here: Sequence[Row]) -> Row | None:
    """Draw what can be done with the selected rows; return the one to explain.

    It draws no line of its own: the table below would be another one in the browser if it moved.
    """
    if not count:
        return None
    is_asked = count == len(here) == 1 and st.button(
        say("Why this row"), key="row_why_ticked", type="tertiary"
    )
    st.button(
        say("Deselect all"),
        key="clear_ticks",
        type="tertiary",
        on_click=guard(clear_ticks),
        args=(task_id,),
    )
    return here[0] if is_asked else None


def _draw_download(view: OpenedProject, rows: RowFilter | Ticked, count: int) -> None:
    """Draw the menu of the files of these rows: those to mail, and those left out."""
    form = view.find_form()
    kept = replace(form, variant=Variant.SELECTION, rows=rows)
    mailed = view.services.results.measure(*view.ids, kept)
    if not isinstance(rows, RowFilter):
        label = say_many(count, "Download the selected row", "Download {count} selected rows")
    else:
        label = say_many(count, "Download this row", "Download these {count} rows")
    if mailed < count:
        gone = show_count(count - mailed)
        label = say(
            "{download}: {mailed} to mail, {gone} left out",
            download=label,
            mailed=show_count(mailed),
            gone=gone,
        )
    with st.popover(label, icon=":material/download:", on_change="rerun", key=_MENU) as menu:
        if not menu.open:
            return
        removed = replace(form, variant=Variant.REMOVED, rows=rows)
        kind = name_kind(view.task, form.choice)
        label = say_many(
            mailed, "{count} row to mail: {kind}", "{count} rows to mail: {kind}", kind=kind
        )
        draw_file(view, label, kept, mailed, key="download_selection")
        count = view.services.results.measure(*view.ids, removed)
        if count:
            label = say_many(
                count, "{count} removed row: {kind}", "{count} removed rows: {kind}", kind=kind
            )
            draw_file(view, label, removed, count, key="download_selection_removed")
        if (platform := find_platform()) is not None:
            for use, is_suppression in (("download", False), ("suppression", True)):
                key = f"platform_{use}_rows"
                draw_platform_file(view, platform, rows, key=key, is_suppression=is_suppression)


@dialog(translatable("Why this row"), width=_DRAWER_PX, position="right")
def open_row_detail(view: OpenedProject, row: Row, columns: Sequence[str]) -> None:
    """Open the drawer of one row: its verdict, your lists, the page that explains it, its cells."""
    found = view.services.results.explain(*view.ids, row)
    policy = view.find_choice().policy
    reasons = capitalise(phrase_reasons(policy.order_reasons(row.verdict)))
    left_out = (
        say("It is left out of your cleaned list.") if policy.find_reason(row.verdict) else None
    )
    action = policy.find_action(row.verdict)
    draw_verdict_head(row.verdict, row.email, f"{reasons}.", left_out, action)
    st.markdown(f"**{say('Evidence')}**")
    draw_evidence(found.evidence, found.not_black)
    evidence = found.evidence
    if draw_overrule(view.services, view.account, row.email, row.verdict, evidence, key="row"):
        st.rerun()
    person = view.identity.person
    report = view.services.decisions.explain_row(*view.ids, row.number, policy, person)
    draw_explanation(report, key="explain_row")
    number = format_number(row.shown_number)
    title = say("Row {number} of the result", number=number)
    if row.file_number is not None:
        title = say("Row {number} of your list", number=number)
    st.markdown(f"**{title}**")
    cells = (cut_text(value, _CELL_MAX) or say("(empty)") for value in row.cells)
    pairs = zip(columns, cells, strict=False)
    shown = (f"<dt>{escape(name)}</dt><dd>{escape(cell)}</dd>" for name, cell in pairs)
    st.html(f'<dl class="w-cells">{"".join(shown)}</dl>')
