"""The files a completed project offers, through links that live for an hour."""

from collections.abc import Callable, Sequence
from typing import Protocol

import streamlit as st

from winnow.core.accounts import DownloadLink
from winnow.core.figures import count_things, show_count, show_duration, show_size
from winnow.core.lists.cleaning import CleaningEffect, CleaningPolicy
from winnow.core.lists.download_choice import NOTHING_CHOSEN, DownloadChoice
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Variant
from winnow.core.tasks.task import Summary, Task

Issue = Callable[[Variant, DownloadChoice], DownloadLink]


class SmallFile(Protocol):
    """A small file, whole in memory."""

    @property
    def file_name(self) -> str:
        """Its name."""

    @property
    def media_type(self) -> str:
        """What it is."""

    @property
    def content(self) -> bytes:
        """Its bytes."""


MakeReport = Callable[[], SmallFile]
ListReports = Callable[[bool], Sequence[tuple[str, MakeReport]]]
"""Names the reports and how each is made; given whether removed addresses are to be listed."""

LISTED_MAX = 1_000  # removed addresses in a report
OTHERS = (Variant.REMOVED, Variant.REVIEW, Variant.AUGMENTED, Variant.PACK)


def count_rows(effect: CleaningEffect, variant: Variant) -> int:
    """Return how many rows a file holds; a zip counts as its largest file."""
    return {
        Variant.CLEANED: effect.kept,
        Variant.REMOVED: effect.lost,
        Variant.REVIEW: effect.review,
    }.get(variant, effect.rows)


def describe_variant(
    task: Task, effect: CleaningEffect, variant: Variant, choice: DownloadChoice
) -> str:
    """Return a button's words: what is in the file, how many rows, in which format."""
    if variant is Variant.PACK:
        return "All lists in one zip, with the reports"
    rows = count_things(count_rows(effect, variant), "row")
    if variant is Variant.CLEANED:
        return f"{_name_kept(choice)}: {rows}, {_name_kind(task, choice)}"
    words = {
        Variant.REMOVED: "Suppression list, the rows that go",
        Variant.REVIEW: "Review list, the grey rows that stay",
        Variant.AUGMENTED: "Whole list with category and domain type",
    }
    return f"{words[variant]}: {rows}"


def draw_downloads(
    task: Task,
    effect: CleaningEffect,
    choice: DownloadChoice,
    issue: Issue,
    list_reports: ListReports,
    *,
    link_seconds: int,
) -> None:
    """Draw the main download as a big button and the others behind a second one.

    Args:
        task: A completed task.
        effect: What the choice does to its rows.
        choice: What goes and how the files look.
        issue: Makes a fresh link.
        list_reports: Names the reports and how each is made.
        link_seconds: How long a link lives.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="downloads"):
        _draw_link(task, effect, Variant.CLEANED, choice, issue, main=True)
        with st.popover(
            "Other files", icon=":material/more_horiz:", on_change="rerun", key="other_files"
        ) as menu:
            if not menu.open:
                return
            for variant in OTHERS:
                _draw_link(task, effect, variant, choice, issue)
            for words, make_report in list_reports(_read_wish()):
                _draw_report(words, make_report)
            _draw_wish(effect)
            _draw_copy(task, effect, choice, issue, link_seconds)


def draw_all_downloads(task: Task, summary: Summary, issue: Issue, *, link_seconds: int) -> None:
    """Draw every list one under the other, as they are without a choice.

    Args:
        task: A completed task.
        summary: Its counts.
        issue: Makes a fresh link.
        link_seconds: How long a link lives.
    """
    effect = _sum_up(summary)
    for variant in (Variant.CLEANED, *OTHERS):
        is_main = variant is Variant.CLEANED
        _draw_link(task, effect, variant, NOTHING_CHOSEN, issue, main=is_main)
    _draw_copy(task, effect, NOTHING_CHOSEN, issue, link_seconds)


def _sum_up(summary: Summary) -> CleaningEffect:
    """Return what goes when nothing but black does."""
    black = summary.by_category.get("black", 0)
    grey = summary.by_category.get("grey", 0)
    return CleaningEffect(summary.rows_out, summary.rows_out - black, grey, {}, {})


def _name_kept(choice: DownloadChoice) -> str:
    if choice.policy == CleaningPolicy():
        return "Cleaned list, without black"
    return "Cleaned list" if choice.policy.takes_black else "Kept list, black rows among them"


def _name_kind(task: Task, choice: DownloadChoice) -> str:
    own = task.plan.file_format.result
    if choice.keeps_format(own):
        return f"{own.traits.name} like yours"
    return _format(task, choice).traits.name


def _format(task: Task, choice: DownloadChoice) -> FileFormat:
    return choice.file_format or task.plan.file_format.result


def _draw_report(words: str, make_report: MakeReport) -> None:
    report = make_report()
    st.download_button(
        words,
        report.content,
        file_name=report.file_name,
        mime=report.media_type,
        icon=":material/bar_chart:",
        on_click="ignore",
        key=f"download_report_{report.file_name.rpartition('.')[2]}",
        wrap=True,
    )


def _read_wish() -> bool:
    """Return whether addresses are wanted in the page; never kept in the address bar."""
    return bool(st.session_state.get(_WISH))


def _draw_wish(effect: CleaningEffect) -> None:
    st.checkbox(
        f"With the removed addresses (first {show_count(LISTED_MAX)})",
        key=_WISH,
        disabled=not effect.lost,
    )
    st.caption(
        "No address is in a report unless you ask for it here. Then the page lists rows that go, "
        "each with its reason; give it only to people who may see them. The workbook never "
        "holds any."
    )


_WISH = "report_addresses"


def _draw_copy(
    task: Task, effect: CleaningEffect, choice: DownloadChoice, issue: Issue, link_seconds: int
) -> None:
    if not effect.kept or not _fits(task, effect, Variant.CLEANED, choice):
        return
    st.caption(
        f"A link works for {show_duration(link_seconds)} and needs no key: whoever has it has "
        "the file. To pass the cleaned list on, copy its link:"
    )
    link = issue(Variant.CLEANED, choice)
    st.code(make_absolute(link.path), language=None, wrap_lines=True)


def _draw_link(
    task: Task,
    effect: CleaningEffect,
    variant: Variant,
    choice: DownloadChoice,
    issue: Issue,
    *,
    main: bool = False,
) -> None:
    label = describe_variant(task, effect, variant, choice)
    fits = _fits(task, effect, variant, choice)
    is_there = fits and count_rows(effect, variant) > 0
    link = issue(variant, choice) if is_there else None
    if link is not None and link.size_bytes is not None:
        label += f", {show_size(link.size_bytes)}"
    st.link_button(
        label,
        link.path if link is not None else "#",
        type="primary" if main else "secondary",
        icon=":material/folder_zip:" if variant is Variant.PACK else ":material/download:",
        disabled=link is None,
        key=f"download_{variant.value}",
        wrap=True,
    )
    if not fits:
        traits = _format(task, choice).traits
        st.caption(
            f"An {traits.name} sheet holds {count_things(traits.most_rows or 0, 'row')} below its "
            f"header; this file has {show_count(count_rows(effect, variant))}. Choose CSV."
        )


def _fits(task: Task, effect: CleaningEffect, variant: Variant, choice: DownloadChoice) -> bool:
    most_rows = _format(task, choice).traits.most_rows
    return most_rows is None or count_rows(effect, variant) <= most_rows


def make_absolute(path: str) -> str:
    """Return a link that works outside this page: the address bar's scheme and host before it."""
    from urllib.parse import urlsplit

    here = urlsplit(st.context.url or "")
    return f"{here.scheme}://{here.netloc}{path}" if here.netloc else path
