"""Rows that were filtered or ticked become a file; pandas says which rows these are."""

import io
import json
import random
import sqlite3
from dataclasses import replace

import pandas as pd

from tests.applications import complete, follow, send
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.lists.dimensions import CATEGORY, DOMAIN, DOMAIN_TYPE
from winnow.core.lists.exports import Export
from winnow.core.lists.rows import Chosen, RowFilter, Ticked, Variant
from winnow.core.tasks.task import Task
from winnow.core.verdicts.verdict import Category
from winnow.wiring import Application

DOMAINS = ("mailboxes.example", "throwaway.example", "firm-a.de", "firm-b.de", "no domain")
EMAILS = [
    f"Person{number}@{random.Random(number).choice(DOMAINS)}".replace("@no domain", "")
    for number in range(200)
]
LIST = "nr,email,note\r\n" + "".join(
    f'{number},{email},"a, {number}"\r\n' for number, email in enumerate(EMAILS)
)
SELECTED = Export(Variant.SELECTION)


def read_frame(content: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)


def read_all(opened: Application, task: Task) -> pd.DataFrame:
    return read_frame(send(opened, task, Export())[1])


FILTERS = (
    (RowFilter(), lambda all_: all_["nr"] != ""),
    (
        RowFilter(Chosen().choose(CATEGORY, Category.BLACK)),
        lambda all_: all_["category"] == "black",
    ),
    (
        RowFilter(Chosen().choose(DOMAIN_TYPE, "free", "invalid")),
        lambda all_: all_["domain_type"].isin(["free", "invalid"]),
    ),
    (
        RowFilter(Chosen().choose(CATEGORY, Category.WHITE).choose(DOMAIN, "firm-a.de")),
        lambda all_: all_["email"].str.endswith("@firm-a.de") & (all_["category"] == "white"),
    ),
    (RowFilter(text="@FIRM-"), lambda all_: all_["email"].str.contains("@firm-")),
    (RowFilter(text="nobody@nowhere.example"), lambda all_: all_["nr"] == "x"),
)


def test_the_file_has_the_rows_that_the_filter_leaves(opened: Application) -> None:
    task = complete(opened, LIST.encode())
    whole = read_all(opened, task)
    for row_filter, judge in FILTERS:
        file_name, content = send(opened, task, replace(SELECTED, rows=row_filter))
        assert file_name == "spring-selection.csv"
        expected = whole[judge(whole)].reset_index(drop=True)
        assert read_frame(content).equals(expected)
        shown = opened.services.results.rows(LOCAL_ACCOUNT, task.task_id, row_filter, 0, 1)
        assert shown.matching == len(expected)


def test_ticks_hold_whatever_is_filtered_later_and_name_rows_only(
    opened: Application,
) -> None:
    task = complete(opened, LIST.encode())
    whole = read_all(opened, task)
    black = RowFilter(Chosen().choose(CATEGORY, Category.BLACK))
    first = int(whole.index[whole["category"] == "black"][0]) + 1
    other = int(whole.index[whole["category"] == "white"][0]) + 1
    ticked = Ticked(black, frozenset({first, other}))
    _, content = send(opened, task, replace(SELECTED, rows=ticked))
    wanted = whole["category"] == "black"
    wanted[[first - 1, other - 1]] = [False, True]
    assert read_frame(content).equals(whole[wanted].reset_index(drop=True))
    asked = range(-1, len(whole) + 5)
    seen = opened.services.results.look_at_ticks(LOCAL_ACCOUNT, task.task_id, ticked, asked)
    assert seen.numbers == {row + 1 for row in wanted.index[wanted]}
    assert seen.count == wanted.sum()
    ticked = Ticked(flipped=frozenset({-3, 0, 201, 2**40}))
    assert len(read_frame(send(opened, task, replace(SELECTED, rows=ticked))[1])) == 0


def test_a_searched_address_stands_nowhere_in_clear(opened: Application) -> None:
    task = complete(opened, LIST.encode())
    searched = "person77@needle-of-mine.example"
    export = replace(SELECTED, rows=Ticked(RowFilter(text=searched), frozenset({3})))
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, export)
    assert "needle" not in link.path
    database = opened.folder.database
    with sqlite3.connect(database) as connection:
        stored = [str(row) for row in connection.execute("SELECT * FROM links")]
    assert stored
    for form in (searched, json.dumps(searched)[1:-1], "needle-of-mine", "person77"):
        assert not any(form in row for row in stored)
    assert read_frame(b"".join(follow(opened, link).read()))["nr"].tolist() == ["2"]
