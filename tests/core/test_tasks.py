"""Tasks: the options of a run as the store keeps them, and how projects are found."""

import json

import pytest
from msgspec import convert

from tests.applications import make_task
from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.lists.merging import Merge, MergedFile
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
from winnow.core.tasks.run_options import USUAL, RunOptions
from winnow.core.tasks.task import find_projects
from winnow.storage.repositories.tasks import options_to_row


@pytest.mark.parametrize(
    "options",
    [
        USUAL,
        RunOptions(repair=RepairChoice()),
        RunOptions(
            keep=KeepRule(Keep.NEWEST, 3, joins_aliases=True),
            made_from="task",
            merge=Merge((MergedFile("a.csv", 3),), 1),
            repair=RepairChoice(
                frozenset({RepairKind.DOTS, RepairKind.SEVERAL}),
                {"gmial.com": "gmail.com"},
                {"ana@kurz,de": "ana@kurz.de", "\uff41na@kurz.de": None},
                RepairPlace.REPLACE,
            ),
        ),
    ],
    ids=["usual", "no-repair", "everything"],
)
def test_options_come_back_from_the_store(options: RunOptions) -> None:
    stored = json.loads(json.dumps(options_to_row(options)))
    assert convert(stored or {}, RunOptions) == options
    assert (stored is None) == (options == USUAL)


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
