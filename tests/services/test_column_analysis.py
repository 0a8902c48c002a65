"""A project by its own columns, through the service; pandas counts the result file as well."""

import io
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from tests.applications import Clock, complete, open_test_application
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import TaskUnknown
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.own_columns import OwnColumn, ValueShare
from winnow.core.verdicts.domain_types import Ground
from winnow.services.results.results import Results
from winnow.wiring import Application

KEEP_ALL = CleaningPolicy(frozenset())
NO_FREE = CleaningPolicy(frozenset({Ground.BLACK, Ground.FREE_PROVIDER}))
POLICIES = (CleaningPolicy(), KEEP_ALL, NO_FREE)
COUNTRY, SOURCE, NAME = 1, 2, 4


@dataclass(frozen=True)
class Made:
    opened: Application
    task_id: str
    frame: pd.DataFrame

    @property
    def analysis(self) -> Results:
        return self.opened.services.results


def _make_list(rows: int = 4_000) -> bytes:
    rng = np.random.default_rng(3)
    lines = ["email,country,source,revenue,name"]
    for number in range(rows):
        source = str(rng.choice(["Paid Social", "Organic", "Fair", ""], p=[0.1, 0.6, 0.2, 0.1]))
        bad = rng.random() < (0.4 if source == "Paid Social" else 0.03)
        kind = "throwaway.example" if bad else rng.choice(["mailboxes.example", "firm.example"])
        country = rng.choice(["DE", "AT", "CH", *[f"C{n:02d}" for n in range(30)]])
        lines.append(
            f'u{number}@{kind},{country},{source},"{rng.integers(0, 10**6) / 100:,.2f}",N{number}'
        )
    return "\r\n".join(lines).encode()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    opened = open_test_application(tmp_path_factory.mktemp("analysis"), Clock())
    task = complete(opened, _make_list())
    stored = opened.services.results.require_completed(LOCAL_ACCOUNT, task.task_id)
    result = (opened.services.results.fetch(stored) / "result").read_bytes()
    frame = pd.read_csv(io.BytesIO(result), keep_default_na=False, thousands=",")
    yield Made(opened, task.task_id, frame)
    opened.database.close()


def _keep(frame: pd.DataFrame, policy: CleaningPolicy) -> pd.DataFrame:
    goes = pd.Series(data=False, index=frame.index)
    if Ground.BLACK in policy.grounds:
        goes |= frame["category"] == "black"
    if Ground.FREE_PROVIDER in policy.grounds:
        goes |= frame["domain_type"] == "free"
    return frame[~goes]


def test_columns_that_a_list_can_be_looked_at_by(made: Made) -> None:
    columns = made.analysis.list_own_columns(LOCAL_ACCOUNT, made.task_id)
    assert columns == (OwnColumn(COUNTRY, "country"), OwnColumn(SOURCE, "source"))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("column", [COUNTRY, SOURCE])
def test_what_a_policy_removes_by_a_column(made: Made, column: int, policy: CleaningPolicy) -> None:
    split = made.analysis.split(LOCAL_ACCOUNT, made.task_id, column, policy, most=5)
    assert split is not None
    name = split.column.name
    by_value = made.frame.groupby(name).size()
    kept = _keep(made.frame, policy).groupby(name).size()
    shown = [share.text for share in split.shares]
    assert sorted(by_value[shown], reverse=True) == [share.rows for share in split.shares]
    assert min(by_value[shown]) >= max(by_value.drop(shown), default=0)
    for share in split.shares:
        assert share.rows == by_value[share.text]
        assert share.rows - share.removed == kept.get(share.text, 0)
    others = made.frame[~made.frame[name].isin(shown)]
    assert split.rest == ValueShare("", len(others), len(others) - len(_keep(others, policy)))


@pytest.mark.parametrize("place", [0, NAME, 17, -1])
def test_a_column_without_groups_has_no_split(made: Made, place: int) -> None:
    assert made.analysis.split(LOCAL_ACCOUNT, made.task_id, place, KEEP_ALL) is None


def test_another_accounts_project_is_unknown(made: Made) -> None:
    with pytest.raises(TaskUnknown):
        made.analysis.split("other", made.task_id, SOURCE, KEEP_ALL)
