"""Search of projects by words of their names and files."""

from collections.abc import Iterable

from winnow.core.tasks.task import Task
from winnow.core.unicode_forms import normalise_form


def find_projects(projects: Iterable[Task], search: str) -> tuple[Task, ...]:
    """Return the projects whose names or files have all words, the newest first."""
    words = _fold(search).split()
    found = [
        project
        for project in projects
        if all(word in _fold(f"{project.project_name}\n{project.file_name}") for word in words)
    ]
    found.sort(key=lambda project: (project.submitted_at, project.task_id), reverse=True)
    return tuple(found)


def _fold(text: str) -> str:
    return normalise_form("NFKC", text).casefold()
