"""The files a completed project offers, through links that live for an hour."""

from collections.abc import Callable

import streamlit as st

from backend.core.accounts import DownloadLink
from backend.core.rows import Variant
from backend.core.tasks import FileFormat, Summary, Task
from components.figures import count_things, show_duration, show_size

Issue = Callable[[Variant], DownloadLink]

_KINDS = {FileFormat.CSV: "CSV", FileFormat.TSV: "TSV", FileFormat.XLSX: "Excel"}


def count_rows(summary: Summary, variant: Variant) -> int:
    """Return how many rows a file holds."""
    black = summary.by_category.get("black", 0)
    return {
        Variant.AUGMENTED: summary.rows_out,
        Variant.CLEANED: summary.rows_out - black,
        Variant.BLACK: black,
        Variant.GREY: summary.by_category.get("grey", 0),
    }[variant]


def describe_variant(task: Task, summary: Summary, variant: Variant) -> str:
    """Return a button's words: what is in the file, how many rows, in which format."""
    rows = count_things(count_rows(summary, variant), "row")
    kind = f"{_KINDS[task.plan.file_format]} like yours"
    words = {
        Variant.CLEANED: f"Cleaned list, without black: {rows}, {kind}",
        Variant.AUGMENTED: f"Whole list with category and domain type: {rows}",
        Variant.BLACK: f"Only black rows: {rows}",
        Variant.GREY: f"Only grey rows, for review: {rows}",
    }
    return words[variant]


def draw_downloads(
    task: Task,
    summary: Summary,
    issue: Issue,
    make_report: Callable[[], tuple[str, str, bytes]],
    *,
    link_seconds: int,
) -> None:
    """Draw the main download as a big button and the others behind a second one.

    Args:
        task: A completed task.
        summary: Its counts.
        issue: Makes a fresh link.
        make_report: Makes the report: its file name, media type and content.
        link_seconds: How long a link lives.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="downloads"):
        _draw_link(task, summary, Variant.CLEANED, issue, main=True)
        with st.popover("Other files", icon=":material/more_horiz:", on_change="rerun") as menu:
            if menu.open:
                for variant in (Variant.AUGMENTED, Variant.BLACK, Variant.GREY):
                    _draw_link(task, summary, variant, issue)
                _draw_report(make_report)
                _draw_copy(issue, link_seconds)


def draw_all_downloads(task: Task, summary: Summary, issue: Issue, *, link_seconds: int) -> None:
    """Draw every file one under the other; arguments are those of ``draw_downloads``."""
    for variant in (Variant.CLEANED, Variant.AUGMENTED, Variant.BLACK, Variant.GREY):
        _draw_link(task, summary, variant, issue, main=variant is Variant.CLEANED)
    _draw_copy(issue, link_seconds)


def _draw_report(make_report: Callable[[], tuple[str, str, bytes]]) -> None:
    file_name, media_type, content = make_report()
    st.download_button(
        "Report: the counts as an Excel workbook, no addresses",
        content,
        file_name=file_name,
        mime=media_type,
        icon=":material/bar_chart:",
        on_click="ignore",
        key="download_report",
    )


def _draw_copy(issue: Issue, link_seconds: int) -> None:
    st.caption(
        f"A link works for {show_duration(link_seconds)} and needs no key: whoever has it has "
        "the file. To pass the cleaned list on, copy its link:"
    )
    st.code(make_absolute(issue(Variant.CLEANED).path), language=None, wrap_lines=True)


def _draw_link(
    task: Task, summary: Summary, variant: Variant, issue: Issue, *, main: bool = False
) -> None:
    label = describe_variant(task, summary, variant)
    empty = count_rows(summary, variant) == 0
    link = None if empty else issue(variant)
    if link is not None and link.size_bytes is not None:
        label += f", {show_size(link.size_bytes)}"
    st.link_button(
        label,
        link.path if link is not None else "#",
        type="primary" if main else "secondary",
        icon=":material/download:",
        disabled=empty,
        key=f"download_{variant.value}",
        wrap=True,
    )


def make_absolute(path: str) -> str:
    """Return a link that works outside this page: the address bar's scheme and host before it."""
    from urllib.parse import urlsplit

    here = urlsplit(st.context.url or "")
    return f"{here.scheme}://{here.netloc}{path}" if here.netloc else path
