"""Tasks: the options of a run as the store keeps them, and how projects are found."""

import pytest

from tests.applications import make_task
from winnow.core.tasks.task import find_projects

PROJECTS = (
    make_task("April 10", file_name="list.csv"),
    make_task("April 9", file_name="Kundenliste.xlsx"),
    make_task("Ärzte", file_name="list.csv"),
    make_task("waiting", file_name="list.csv"),
)


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", ["April 10", "April 9", "Ärzte", "waiting"]),
        ("april", ["April 10", "April 9"]),
        ("10 APRIL", ["April 10"]),
        ("kundenliste", ["April 9"]),
        ("ärzte", ["Ärzte"]),
        ("A\u0308RZTE", ["Ärzte"]),
        (".csv", ["April 10", "Ärzte", "waiting"]),
        ("april waiting", []),
        ("%", []),
    ],
)
def test_projects_with_every_word_of_a_search_are_found(search: str, found: list[str]) -> None:
    assert [task.project_name for task in find_projects(PROJECTS, search)] == found
