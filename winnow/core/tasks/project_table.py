"""Table of projects: search and tags."""

import unicodedata
from collections.abc import Collection, Iterable, Sequence

from winnow.core.errors import BadField
from winnow.core.tasks.task import Task
from winnow.core.unicode_forms import normalise_form

TAG_MAX_CHARACTERS = 30
TAGS_MAX = 20  # of one project


def find_projects(projects: Iterable[Task], search: str, tags: Collection[str]) -> tuple[Task, ...]:
    """Return the projects that have all words and all tags, the newest first."""
    words = _fold(search).split()
    wanted = {_fold(tag) for tag in tags}
    found = [
        project
        for project in projects
        if wanted <= {_fold(tag) for tag in project.tags} and _has_words(project, words)
    ]
    found.sort(key=lambda project: (project.submitted_at, project.task_id), reverse=True)
    return tuple(found)


def list_tags(projects: Iterable[Task]) -> tuple[str, ...]:
    """Return every tag once, in alphabetical order."""
    by_key = {_fold(tag): tag for project in projects for tag in project.tags}
    return tuple(by_key[key] for key in sorted(by_key))


def read_tag(text: str) -> str:
    """Return a tag of 1 to 30 characters on one line, blanks between its words single.

    Raises:
        BadField: Empty, too long, or not text.
    """
    tag = " ".join(text.split())
    if not 1 <= len(tag) <= TAG_MAX_CHARACTERS:
        raise BadField("tag", "must have 1 to {most} characters", most=TAG_MAX_CHARACTERS)
    if any(unicodedata.category(character) in {"Cc", "Cf", "Cs"} for character in tag):
        raise BadField("tag", "must be text")
    return tag


def change_tags(
    tags: Sequence[str], add: Collection[str], take_off: Collection[str]
) -> tuple[str, ...]:
    """Return a project's tags after a change; case does not matter.

    Raises:
        BadField: There would be more than 20.
    """
    gone = {_fold(tag) for tag in take_off}
    kept = {_fold(tag): tag for tag in tags if _fold(tag) not in gone}
    for tag in add:
        kept.setdefault(_fold(tag), tag)
    if len(kept) > TAGS_MAX:
        raise BadField("tag", "may be given {most} times to one project", most=TAGS_MAX)
    return tuple(kept[key] for key in sorted(kept))


def _has_words(project: Task, words: Sequence[str]) -> bool:
    text = f"{_fold(project.project_name)}\n{_fold(project.file_name)}"
    return all(word in text for word in words)


def _fold(text: str) -> str:
    return normalise_form("NFKC", text).casefold()
