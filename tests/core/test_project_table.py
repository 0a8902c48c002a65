"""The table of projects: what is found, in which order."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.applications import make_task
from winnow.core.tasks.task import Task, find_projects

START = datetime(2026, 11, 1, tzinfo=UTC)


def make(name: str, *, day: int, file_name: str = "list.csv") -> Task:
    return make_task(name, file_name=file_name, submitted_at=START + timedelta(days=day))


PROJECTS = (
    make("April 10", day=3),
    make("April 9", day=2, file_name="Kundenliste.xlsx"),
    make("Ärzte", day=1),
    make("waiting", day=4),
)


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", 4),
        ("april", 2),
        ("10 APRIL", 1),
        ("kundenliste", 1),
        ("ärzte", 1),
        ("A\u0308RZTE", 1),
        (".csv", 3),
        ("april waiting", 0),
        ("%", 0),
    ],
)
def test_every_word_of_a_search_is_found_in_name_or_file_name(search: str, found: int) -> None:
    assert len(find_projects(PROJECTS, search)) == found


def test_the_newest_is_first() -> None:
    names = [task.project_name for task in find_projects(PROJECTS, "")]
    assert names == ["waiting", "April 10", "April 9", "Ärzte"]
