"""The projects as a table: which are found, in which order, and what they are tagged with."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from winnow.core.errors import BadField
from winnow.core.tasks.task import Task
from winnow.core.verdicts.verdict import Category

TAG_MAX_CHARACTERS = 30
TAGS_MAX = 20  # of one project

SortKey = tuple[object, ...]


class ProjectColumn(StrEnum):
    """What the table is sorted by."""

    NAME = "name"
    SUBMITTED = "submitted"
    ROWS = "rows"
    REMOVE = "remove"
    SIZE = "size"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class ProjectView:
    """What of the projects is shown: those with all words and tags, in one order."""

    search: str = ""
    tags: tuple[str, ...] = ()
    column: ProjectColumn = ProjectColumn.SUBMITTED
    is_descending: bool = True


def arrange_projects(projects: Iterable[Task], view: ProjectView) -> tuple[Task, ...]:
    """Return the projects that a view shows, in its order; of equals the newest first.

    A project that has no value in the column, such as the rows of one that failed, comes last in
    either direction.
    """
    words = _fold(view.search).split()
    wanted = {_fold(tag) for tag in view.tags}
    found = [
        project
        for project in projects
        if wanted <= {_fold(tag) for tag in project.tags} and _has_words(project, words)
    ]
    found.sort(key=lambda project: (project.submitted_at, project.task_id), reverse=True)
    read = _READERS[view.column]
    valued = [project for project in found if read(project) is not None]
    valued.sort(key=lambda project: read(project) or (), reverse=view.is_descending)
    return (*valued, *(project for project in found if read(project) is None))


def list_tags(projects: Iterable[Task]) -> tuple[str, ...]:
    """Return every tag once, by the alphabet."""
    by_key = {_fold(tag): tag for project in projects for tag in project.tags}
    return tuple(by_key[key] for key in sorted(by_key))


def read_tag(text: str) -> str:
    """Return a tag of 1 to 30 characters on one line, blanks between its words single.

    Raises:
        BadField: Empty, too long, or not text.
    """
    tag = " ".join(text.split())
    if not 1 <= len(tag) <= TAG_MAX_CHARACTERS:
        raise BadField("tag", f"must have 1 to {TAG_MAX_CHARACTERS} characters")
    if any(unicodedata.category(character) in {"Cc", "Cf", "Cs"} for character in tag):
        raise BadField("tag", "must be text")
    return tag


def change_tags(
    tags: Sequence[str], add: Collection[str], take_off: Collection[str]
) -> tuple[str, ...]:
    """Return a project's tags after a change; capital letters make no other tag.

    Raises:
        BadField: There would be more than 20.
    """
    gone = {_fold(tag) for tag in take_off}
    kept = {_fold(tag): tag for tag in tags if _fold(tag) not in gone}
    for tag in add:
        kept.setdefault(_fold(tag), tag)
    if len(kept) > TAGS_MAX:
        raise BadField("tag", f"may be given {TAGS_MAX} times to one project")
    return tuple(kept[key] for key in sorted(kept))


def _has_words(project: Task, words: Sequence[str]) -> bool:
    text = f"{_fold(project.project_name)}\n{_fold(project.file_name)}"
    return all(word in text for word in words)


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _read_name(project: Task) -> SortKey | None:
    """By the alphabet, and numbers in it by their size: "April 9" before "April 10"."""
    parts = re.split(r"(\d+)", _fold(project.project_name))
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part)


def _read_rows(project: Task) -> SortKey | None:
    return None if project.summary is None else (project.summary.rows_out,)


def _read_share_to_remove(project: Task) -> SortKey | None:
    summary = project.summary
    if summary is None or not summary.rows_out:
        return None
    return (summary.by_category.get(Category.BLACK.value, 0) / summary.rows_out,)


_READERS: dict[ProjectColumn, Callable[[Task], SortKey | None]] = {
    ProjectColumn.NAME: _read_name,
    ProjectColumn.SUBMITTED: lambda project: (project.submitted_at,),
    ProjectColumn.ROWS: _read_rows,
    ProjectColumn.REMOVE: _read_share_to_remove,
    ProjectColumn.SIZE: lambda project: (project.input_bytes + project.result_bytes,),
    ProjectColumn.LEFT: lambda project: (project.expires_at,),
}
