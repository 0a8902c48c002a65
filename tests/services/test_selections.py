"""Rows that were filtered or ticked become a file."""

import base64
import json
import random
import sqlite3
from collections.abc import Callable

import pytest

from tests.applications import complete, follow, send
from tests.tables import read_csv, write_csv
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.dimensions import CATEGORY, DOMAIN, DOMAIN_TYPE
from winnow.core.lists.exports import Export
from winnow.core.lists.rows import Chosen, RowFilter, Ticked, Variant
from winnow.core.tasks.task import Task
from winnow.core.verdicts.verdict import Category
from winnow.wiring import Application

DOMAINS = ("@mailboxes.example", "@throwaway.example", "@firm-a.de", "@firm-b.de", "")
EMAILS = [f"Person{number}{random.Random(number).choice(DOMAINS)}" for number in range(200)]
LIST = write_csv([("nr", "email", "note"), *((n, one, f"a, {n}") for n, one in enumerate(EMAILS))])
BLACK = RowFilter(Chosen().choose(CATEGORY, Category.BLACK))


@pytest.fixture
def task(opened: Application) -> Task:
    return complete(opened, LIST)


def read_selection(opened: Application, task: Task, rows: RowFilter | Ticked) -> list[list[str]]:
    """Return the rows of a selection's two files, which hold each row once, in their order."""
    file_name, content = send(opened, task, Export(Variant.SELECTION, rows=rows))
    assert file_name == "spring-selection.csv"
    kept, removed = read_csv(content)[1:], send(opened, task, Export(Variant.REMOVED, rows=rows))[1]
    assert all(row[3] != "black" for row in kept)
    return sorted([*kept, *read_csv(removed)[1:]], key=lambda row: int(row[0]))


@pytest.mark.parametrize(
    ("row_filter", "stays"),
    [
        (RowFilter(), lambda row: True),
        (BLACK, lambda row: row[3] == "black"),
        (
            RowFilter(Chosen().choose(DOMAIN_TYPE, "free", "invalid")),
            lambda row: row[4] in {"free", "invalid"},
        ),
        (
            RowFilter(Chosen().choose(CATEGORY, Category.WHITE).choose(DOMAIN, "firm-a.de")),
            lambda row: row[1].endswith("@firm-a.de"),
        ),
        (RowFilter(text="@FIRM-"), lambda row: "@firm-" in row[1]),
        (RowFilter(text="nobody@nowhere.example"), lambda row: False),
    ],
)
def test_the_file_has_the_rows_that_the_filter_leaves(
    opened: Application, task: Task, row_filter: RowFilter, stays: Callable[[list[str]], bool]
) -> None:
    whole = read_csv(send(opened, task, Export())[1])[1:]
    expected = sorted((row for row in whole if stays(row)), key=lambda row: int(row[0]))
    assert read_selection(opened, task, row_filter) == expected
    shown = opened.services.results.rows(LOCAL_ACCOUNT, task.task_id, row_filter, 0, 1)
    assert shown.matching == len(expected)


def test_ticks_hold_whatever_is_filtered_later_and_name_rows_only(
    opened: Application, task: Task
) -> None:
    whole = read_csv(send(opened, task, Export())[1])[1:]
    wanted = {number for number, row in enumerate(whole, start=1) if row[3] == "black"}
    ticked = frozenset(wanted ^ {min(wanted), next(n for n in range(1, 200) if n not in wanted)})
    assert read_selection(opened, task, ticked) == [whole[number - 1] for number in sorted(ticked)]
    assert read_selection(opened, task, frozenset({-3, 0, 201, 2**40})) == []


def test_a_searched_address_stands_nowhere_in_clear(opened: Application, task: Task) -> None:
    number = next(n for n, one in enumerate(EMAILS) if one.endswith("@firm-a.de"))
    searched = EMAILS[number]
    export = Export(Variant.SELECTION, rows=RowFilter(text=searched))
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, export)
    assert "firm-a" not in link.path
    with sqlite3.connect(opened.folder.database) as connection:
        stored = [str(row) for row in connection.execute("SELECT * FROM links")]
        choices = [choice for (choice,) in connection.execute("SELECT choice FROM links")]
    sealed = [json.loads(choice)["rows"] for choice in choices if choice]
    assert sealed
    stored += [base64.b64decode(one).decode("latin-1") for one in sealed]
    for form in (searched, json.dumps(searched)[1:-1], "firm-a", searched.partition("@")[0]):
        assert not any(form in row for row in stored)
    content = b"".join(follow(opened, link).read_content())
    assert [row[0] for row in read_csv(content)] == ["nr", str(number)]
