"""The files a completed project offers, through links that live for an hour."""

from collections.abc import Callable, Sequence
from typing import Protocol

import streamlit as st

from winnow.core.accounts import DownloadLink
from winnow.core.figures import show_duration, show_size
from winnow.core.lists.cleaning import CleaningEffect
from winnow.core.lists.download_choice import NOTHING_CHOSEN, DownloadChoice
from winnow.core.lists.exports import NO_LIMITS, FileLimits
from winnow.core.lists.file_format import FileFormat, name_format
from winnow.core.lists.rows import Variant
from winnow.core.tasks.task import Summary, Task
from winnow.words import format_number, say, say_many

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
        return say("Everything in one zip file, with the reports")
    count = count_rows(effect, variant)
    if variant is Variant.CLEANED:
        return _describe_cleaned(count, choice, name_kind(task, choice))
    if variant is Variant.REMOVED:
        return say_many(
            count,
            "Removed rows, as a suppression list: {count} row",
            "Removed rows, as a suppression list: {count} rows",
        )
    if variant is Variant.REVIEW:
        return say_many(count, "Rows to review: {count} row", "Rows to review: {count} rows")
    return say_many(
        count,
        "Whole list with category and domain type: {count} row",
        "Whole list with category and domain type: {count} rows",
    )


def _describe_cleaned(count: int, choice: DownloadChoice, kind: str) -> str:
    if choice.policy.takes_black:
        return say_many(
            count,
            "Cleaned list: {count} row, {format}",
            "Cleaned list: {count} rows, {format}",
            format=kind,
        )
    return say_many(
        count,
        "List with rows to remove still in it: {count} row, {format}",
        "List with rows to remove still in it: {count} rows, {format}",
        format=kind,
    )


def draw_cleaned(
    task: Task, effect: CleaningEffect, choice: DownloadChoice, issue: Issue, split: FileLimits
) -> None:
    """Draw the cleaned list in a form of its own as the big button.

    Args:
        task: A completed task.
        effect: What the choice does to its rows.
        choice: What goes and how the files look.
        issue: Makes a fresh link.
        split: Where files are split.
    """
    _draw_link(task, effect, Variant.CLEANED, choice, issue, split, main=True)


def draw_other_files(
    task: Task, effect: CleaningEffect, choice: DownloadChoice, issue: Issue, split: FileLimits
) -> None:
    """Draw the other lists behind a button; arguments are those of ``draw_cleaned``."""
    with st.popover(
        say("Other files"), icon=":material/more_horiz:", on_change="rerun", key="other_files"
    ) as menu:
        if menu.open:
            for variant in OTHERS:
                _draw_link(task, effect, variant, choice, issue, split)


def draw_reports(
    effect: CleaningEffect, list_reports: ListReports, draw_copy: Callable[[], None]
) -> None:
    """Draw what is handed on beside the lists behind a button: reports, and a link to share.

    Args:
        effect: What the choice does to the rows.
        list_reports: Names the reports and how each is made.
        draw_copy: Draws the link.
    """
    with st.popover(
        say("Reports and sharing"), icon=":material/ios_share:", on_change="rerun", key="reports"
    ) as menu:
        if menu.open:
            for words, make_report in list_reports(_read_wish()):
                _draw_report(words, make_report)
            _draw_wish(effect)
            draw_copy()


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
        _draw_link(task, effect, variant, NOTHING_CHOSEN, issue, NO_LIMITS, main=is_main)
    draw_copy(task, effect, NOTHING_CHOSEN, issue, NO_LIMITS, link_seconds)


def _sum_up(summary: Summary) -> CleaningEffect:
    """Return what goes when nothing but black does."""
    black = summary.by_category.get("black", 0)
    grey = summary.by_category.get("grey", 0)
    return CleaningEffect(summary.rows_out, summary.rows_out - black, grey, {}, {})


def name_kind(task: Task, choice: DownloadChoice) -> str:
    """Return how the format of a file is called."""
    own = task.plan.file_format.result
    if choice.keeps_format(own):
        return say("{format} like yours", format=name_format(own))
    return name_format(_format(task, choice))


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
        key=f"download_report_{report.file_name}",
        wrap=True,
    )


def _read_wish() -> bool:
    """Return whether addresses are wanted in the page; never kept in the address bar."""
    return bool(st.session_state.get(_WISH))


def _draw_wish(effect: CleaningEffect) -> None:
    st.checkbox(
        say("List removed addresses in the page (first {most})", most=format_number(LISTED_MAX)),
        key=_WISH,
        disabled=not effect.lost,
    )
    st.caption(
        say(
            "Reports hold no addresses unless you tick this. Then the page lists removed rows with "
            "their reasons: give it only to people who may see them. The workbook never holds any."
        )
    )


_WISH = "report_addresses"


def draw_copy(
    task: Task,
    effect: CleaningEffect,
    choice: DownloadChoice,
    issue: Issue,
    split: FileLimits,
    link_seconds: int,
) -> None:
    """Draw a link to the cleaned list that can be handed on; nothing where there is no file."""
    if not effect.kept or say_too_many(task, effect.kept, choice, split):
        return
    st.caption(
        say(
            "A link works for {time}, and anyone who has it can download the file. To share the "
            "cleaned list, copy its link:",
            time=show_duration(link_seconds),
        )
    )
    link = issue(Variant.CLEANED, choice)
    st.code(make_absolute(link.path), language=None, wrap_lines=True)


def _draw_link(
    task: Task,
    effect: CleaningEffect,
    variant: Variant,
    choice: DownloadChoice,
    issue: Issue,
    split: FileLimits,
    *,
    main: bool = False,
) -> None:
    label = describe_variant(task, effect, variant, choice)
    too_many = say_too_many(task, count_rows(effect, variant), choice, split)
    is_there = not too_many and count_rows(effect, variant) > 0
    link = issue(variant, choice) if is_there else None
    if variant is not Variant.PACK:
        label = name_parts(label, count_rows(effect, variant), split)
    if link is not None and link.size_bytes is not None:
        label = say("{file}, {size}", file=label, size=show_size(link.size_bytes))
    st.link_button(
        label,
        link.path if link is not None else "#",
        type="primary" if main else "secondary",
        icon=":material/folder_zip:" if variant is Variant.PACK else ":material/download:",
        disabled=link is None,
        key=f"download_{variant.value}",
        wrap=True,
    )
    if too_many:
        st.caption(too_many)


def name_parts(label: str, row_count: int, split: FileLimits) -> str:
    """Return a button's words with the number of files, where it is more than one."""
    count = -(-row_count // split.rows) if split.rows else 1
    if count < 2:
        return label
    return say("{file}, in {count} files", file=label, count=format_number(count))


def say_too_many(task: Task, row_count: int, choice: DownloadChoice, split: FileLimits) -> str:
    """Return what to say where a sheet cannot hold so many rows; nothing where the file can."""
    file_format = _format(task, choice)
    most_rows = file_format.traits.most_rows
    if most_rows is None or min(row_count, split.rows or row_count) <= most_rows:
        return ""
    return say(
        "A sheet of {format} holds {most} rows below its header; this file has {count}. "
        "Choose CSV instead, or split it.",
        format=name_format(file_format),
        most=format_number(most_rows),
        count=format_number(row_count),
    )


def make_absolute(path: str) -> str:
    """Return a link that works outside this page: the address bar's scheme and host before it."""
    from urllib.parse import urlsplit

    here = urlsplit(st.context.url or "")
    return f"{here.scheme}://{here.netloc}{path}" if here.netloc else path
