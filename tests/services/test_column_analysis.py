"""What a policy removes by the values of a project's own columns, and groups that are left out."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.applications import complete, send
from tests.lists.delimited_support import clean
from tests.tables import read_csv, write_csv
from winnow.core.errors import TaskUnknown
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.exports import Export
from winnow.core.lists.own_columns import ColumnSplit, ValueShare
from winnow.core.lists.rows import Variant
from winnow.core.tasks.task import Task
from winnow.core.verdicts.domain_types import Ground
from winnow.lists.result.own_values import count_values
from winnow.wiring import Application

DOMAINS = ("mailboxes.example", "throwaway.example", "firm.example")
COLUMNS = ["email", "source", "name", "joined", "note", "Unsubscribed"]
POLICIES = [
    {Ground.BLACK: "throwaway.example"},
    {},
    {Ground.BLACK: "throwaway.example", Ground.FREE_PROVIDER: "mailboxes.example"},
]


@pytest.fixture
def frame() -> pd.DataFrame:
    pick = random.Random(9)
    days = pd.Timestamp("2017-01-31") + pd.to_timedelta(range(0, 3000, 5), unit="D")
    made = [
        (
            f"u{number}@{pick.choice(DOMAINS)}",
            pick.choice(["Ads", "Ads", " Fair 2019 ", "=cmd()", ""]),
            f"N{number}",
            pick.choice(["", day.strftime("%d.%m.%Y"), day.strftime("%d.%m.%Y %H:%M")]),
            pick.choice(["ana@firm.example", "x" * 200, "a @ b", "plain"]),
            pick.choice(["", "", "x"]),
        )
        for number, day in enumerate(days)
    ]
    return pd.DataFrame(made, columns=COLUMNS)


@pytest.fixture
def task(opened: Application, frame: pd.DataFrame) -> Task:
    return complete(opened, write_csv([COLUMNS, *frame.itertuples(index=False)]))


def as_counts(split: ColumnSplit) -> dict[str, tuple[int, int]]:
    return {one.text: (one.rows, one.removed) for one in split.shares}


def by_pandas(values: pd.Series, is_removed: pd.Series) -> dict[str, tuple[int, int]]:
    found = is_removed.groupby(values.to_numpy()).agg(["size", "sum"])
    return {str(text): (int(size), int(gone)) for text, size, gone in found.itertuples()}


@pytest.mark.parametrize("gone", POLICIES)
def test_what_a_policy_removes_by_a_column(
    opened: Application, task: Task, frame: pd.DataFrame, gone: dict[Ground, str]
) -> None:
    results, policy = opened.services.results, CleaningPolicy(frozenset(gone))
    is_removed = frame["email"].str.endswith(tuple(gone.values()))

    def split(name: str, wanted: str = "") -> ColumnSplit:
        place = COLUMNS.index(name)
        return results.split(LOCAL_ACCOUNT, task.task_id, place, policy, wanted)

    source = frame["source"].str.strip()
    found = split("source")
    assert as_counts(found) == by_pandas(source, is_removed)
    assert [one.rows for one in found.shares] == sorted(source.value_counts(), reverse=True)
    assert (found.rest, found.is_whole) == (ValueShare("", 0, 0), True)
    is_fair = source.str.contains("fair", case=False)
    assert as_counts(split("source", "FAIR")) == by_pandas(source[is_fair], is_removed[is_fair])
    assert len(split("name").shares) == len(frame)
    is_hidden = ~frame["note"].isin(["a @ b", "plain"])
    assert as_counts(split("note")) == by_pandas(frame["note"][~is_hidden], is_removed[~is_hidden])
    assert split("note").rest == ValueShare("", is_hidden.sum(), is_removed[is_hidden].sum())
    months = pd.to_datetime(frame["joined"].str[:10], dayfirst=True).dt.strftime("%Y-%m").fillna("")
    assert as_counts(split("joined")) == by_pandas(months.str[:4], is_removed)
    is_2019 = months.str.startswith("2019")
    found = split("joined", "2019")
    assert as_counts(found) == by_pandas(months[is_2019], is_removed[is_2019])
    assert [one.text for one in found.shares] == sorted(set(months[is_2019]), reverse=True)
    with pytest.raises(TaskUnknown):
        results.split("other", task.task_id, 2, policy)


def test_a_table_to_hand_on_has_no_small_group_and_no_address(
    opened: Application, task: Task, frame: pd.DataFrame
) -> None:
    found = {}
    for place in range(1, 5):
        table = opened.services.results.write_split(
            LOCAL_ACCOUNT, task.task_id, place, CleaningPolicy()
        )
        assert table.startswith(b"\xef\xbb\xbf")
        assert b"@" not in table
        (title, *_), *lines = read_csv(table[3:])
        assert title == COLUMNS[place]
        assert sum(int(rows) for _, rows, _ in lines) == len(frame)
        found[title] = [text for text, *_ in lines]
    assert sorted(found["source"]) == sorted(["Ads", "Fair 2019", "'=cmd()", "(empty)"])
    assert found["name"] == ["fewer than 20 rows"]
    assert found["note"] == ["plain", "fewer than 20 rows"]


@pytest.mark.parametrize(
    ("groups", "test"),
    [
        pytest.param([(1, "Fair 2019")], lambda row: row.source.strip() == "Fair 2019", id="value"),
        pytest.param([(1, ""), (1, "=cmd()")], lambda row: row.source in ("", "=cmd()"), id="two"),
        pytest.param([(3, "2019")], lambda row: row.joined[6:10] == "2019", id="year"),
        pytest.param([(3, "2019-03")], lambda row: row.joined[3:10] == "03.2019", id="month"),
        pytest.param([(3, "")], lambda row: not row.joined, id="no-date"),
        pytest.param(
            [(1, "Ads"), (3, "2019")],
            lambda row: row.source == "Ads" or row.joined[6:10] == "2019",
            id="columns",
        ),
    ],
)
def test_a_group_that_is_left_out_is_not_suppressed_and_no_no_comes_back(
    opened: Application,
    task: Task,
    frame: pd.DataFrame,
    groups: list[tuple[int, str]],
    test: Callable[..., bool],
) -> None:
    choices = opened.services.mail_choices
    is_out = frame.apply(test, axis=1)
    removed = (frame["Unsubscribed"] == "x") | frame["email"].str.endswith("throwaway.example")

    def read(variant: Variant) -> list[str]:
        sent = read_csv(send(opened, task, Export(variant))[1])[1:]
        return sorted(row[0] for row in sent)

    before = read(Variant.CLEANED), read(Variant.REMOVED)
    assert before == (sorted(frame["email"][~removed]), sorted(frame["email"][removed]))
    choices.leave_out(LOCAL_ACCOUNT, task.task_id, groups)
    assert read(Variant.CLEANED) == sorted(frame["email"][~removed & ~is_out])
    assert read(Variant.LATER) == sorted(frame["email"][~removed & is_out])
    assert read(Variant.REMOVED) == before[1]
    choices.leave_out(LOCAL_ACCOUNT, task.task_id, [])
    assert (read(Variant.CLEANED), read(Variant.REMOVED), read(Variant.LATER)) == (*before, [])


def test_counting_stops_when_the_time_is_up(tmp_path: Path) -> None:
    rows = [(f"u{number}@firm.example", "a") for number in range(70_000)]
    run = clean(write_csv([("email", "source"), *rows]), tmp_path)
    table = run.cells.find(count_values, 1, np.zeros(len(rows), np.uint16), 1, "", -1.0)
    assert table.texts == ("a",)
    assert 0 < table.counts.sum() == table.whole.sum() < len(rows)
