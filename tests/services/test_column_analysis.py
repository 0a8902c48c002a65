"""What a policy removes by the values of a project's own columns, through the service."""

from collections import Counter
from math import isqrt

import pytest

from tests.applications import complete
from tests.tables import write_csv
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import TaskUnknown
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.own_columns import OwnColumn, ValueShare
from winnow.core.verdicts.domain_types import Ground
from winnow.wiring import Application

DOMAINS = ("mailboxes.example", "throwaway.example", "firm.example")
ROWS = [
    (f"u{number}@{DOMAINS[number % 7 % 3]}", f"C{isqrt(number)}", source, f"N{number}")
    for number, source in enumerate(("Ads", "Ads", "Fair", "Organic", "") * 80)
]
LIST = write_csv([("email", "country", "source", "name"), *ROWS])
SHOWN = 2


@pytest.mark.parametrize(
    "gone",
    [
        {Ground.BLACK: "throwaway.example"},
        {},
        {Ground.BLACK: "throwaway.example", Ground.FREE_PROVIDER: "mailboxes.example"},
    ],
)
def test_what_a_policy_removes_by_a_column(opened: Application, gone: dict[Ground, str]) -> None:
    task, results = complete(opened, LIST), opened.services.results
    columns = results.list_own_columns(LOCAL_ACCOUNT, task.task_id)
    assert columns == (OwnColumn(1, "country"), OwnColumn(2, "source"))
    for column, policy in ((one.place, CleaningPolicy(frozenset(gone))) for one in columns):
        rows = Counter(row[column] for row in ROWS)
        removed = Counter(row[column] for row in ROWS if row[0].endswith(tuple(gone.values())))
        split = results.split(LOCAL_ACCOUNT, task.task_id, column, policy, most=SHOWN)
        assert split is not None
        assert [(one.rows, one.removed) for one in split.shares] == [
            (rows[one.text], removed[one.text]) for one in split.shares
        ]
        shown = {one.text: one.rows for one in split.shares}
        assert sorted(shown.values()) == sorted(rows.values())[-SHOWN:]
        rest = [rows.total() - sum(shown.values()), removed.total()]
        assert split.rest == ValueShare("", rest[0], rest[1] - sum(removed[one] for one in shown))
    for place in (0, 3, 17, -1):  # addresses, names, none
        assert results.split(LOCAL_ACCOUNT, task.task_id, place, policy) is None
    with pytest.raises(TaskUnknown):
        results.split("other", task.task_id, 2, policy)
