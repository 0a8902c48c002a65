"""Download links of a completed project's files."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import streamlit as st

from winnow.core.accounts import DownloadLink
from winnow.core.figures import show_duration, show_size
from winnow.core.lists.cleaning import CleaningEffect
from winnow.core.lists.exports import NO_LIMITS, NOTHING_CHOSEN, DownloadChoice, Export, FileLimits
from winnow.core.lists.file_format import FileFormat, name_format
from winnow.core.lists.rows import Variant
from winnow.core.tasks.task import Summary, Task
from winnow.words import format_number, say, say_many


class SmallFile(Protocol):
    """A small file, whole in memory."""

    @property
    def file_name(self) -> str:
        """Its name."""

    @property
    def media_type(self) -> str:
        """Its media type."""

    @property
    def content(self) -> bytes:
        """Its bytes."""


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
    """Return a button's text: what is in the file, how many rows, in which format."""
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


@dataclass(frozen=True, slots=True)
class ListFiles:
    """The files of a completed project, by what is removed and how they look.

    ``effect`` is what the choice does to the rows; ``issue`` makes a fresh link to a file.
    """

    task: Task
    effect: CleaningEffect
    issue: Callable[[Export], DownloadLink]
    choice: DownloadChoice = NOTHING_CHOSEN
    split: FileLimits = NO_LIMITS

    def make_link(self, variant: Variant) -> DownloadLink:
        """Return a fresh link to a file."""
        return self.issue(Export(variant, self.choice, split=self.split))


def draw_other_files(files: ListFiles) -> None:
    """Draw the links to the other lists."""
    for variant in OTHERS:
        _draw_link(files, variant)


def draw_all_downloads(
    task: Task, summary: Summary, issue: Callable[[Export], DownloadLink], *, link_seconds: int
) -> None:
    """Draw the link to every list, one below the other, without a choice.

    Args:
        task: A completed task.
        summary: Its counts.
        issue: Makes a fresh link.
        link_seconds: How long a link is valid.
    """
    files = ListFiles(task, _sum_up(summary), issue)
    _draw_link(files, Variant.CLEANED, main=True)
    draw_other_files(files)
    draw_copy(files, link_seconds)


def _sum_up(summary: Summary) -> CleaningEffect:
    """Return the counts of a choice that removes only black rows."""
    black = summary.by_category.get("black", 0)
    grey = summary.by_category.get("grey", 0)
    return CleaningEffect(summary.rows_out, summary.rows_out - black, grey, {}, {})


def name_kind(task: Task, choice: DownloadChoice) -> str:
    """Return the name of a file's format."""
    own = task.plan.file_format.result
    if choice.keeps_format(own):
        return say("{format} like yours", format=name_format(own))
    return name_format(_format(task, choice))


def _format(task: Task, choice: DownloadChoice) -> FileFormat:
    return choice.file_format or task.plan.file_format.result


def draw_copy(files: ListFiles, link_seconds: int) -> None:
    """Draw a link to the cleaned list to share; nothing where there is no file."""
    kept = files.effect.kept
    if not kept or say_too_many(files.task, kept, files.choice, files.split):
        return
    st.caption(
        say(
            "For {time}, anyone with this link can download the cleaned list:",
            time=show_duration(link_seconds),
        )
    )
    link = files.make_link(Variant.CLEANED)
    st.code(make_absolute(link.path), language=None, wrap_lines=True)


def _draw_link(files: ListFiles, variant: Variant, *, main: bool = False) -> None:
    task, effect, choice, split = files.task, files.effect, files.choice, files.split
    label = describe_variant(task, effect, variant, choice)
    too_many = say_too_many(task, count_rows(effect, variant), choice, split)
    is_there = not too_many and count_rows(effect, variant) > 0
    link = files.make_link(variant) if is_there else None
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
    """Return a button's text with the number of files, if there are several."""
    count = -(-row_count // split.rows) if split.rows else 1
    if count < 2:
        return label
    return say("{file}, in {count} files", file=label, count=format_number(count))


def say_too_many(task: Task, row_count: int, choice: DownloadChoice, split: FileLimits) -> str:
    """Return the warning that a sheet cannot hold so many rows; empty if the file can."""
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
    """Return an absolute link, with the scheme and host of the browser's URL."""
    from urllib.parse import urlsplit

    here = urlsplit(st.context.url or "")
    return f"{here.scheme}://{here.netloc}{path}" if here.netloc else path
