"""A finished project beside newer data: what would change, and the list checked again."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.houses import (
    KNOWN,
    THROWAWAY,
    Clock,
    LoudResolver,
    complete,
    open_loud_client,
    run,
    submit,
)
from winnow.bootstrap import House, build_house
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import Gone, QuotaExceeded
from winnow.core.settings import Settings
from winnow.core.tasks.task import KeyType, TaskState
from winnow.core.verdicts.facts import DomainFacts
from winnow.core.verdicts.static_knowledge import StaticKnowledge
from winnow.core.verdicts.verdict import Category
from winnow.services import rechecks

NEWS = (
    b"note,email\n"
    + b"".join(b"x,%d@fresh.example\n" % number for number in range(3))
    + b"y,one@throwaway.example\nz,two@mailboxes.example\nw,not an address\n"
)
OpenHouse = Callable[..., House]


def list_as_throwaway(domain: str) -> DomainFacts:
    return replace(THROWAWAY, domain=domain)


NEWER = {
    **KNOWN,
    "fresh.example": list_as_throwaway("fresh.example"),
    "throwaway.example": DomainFacts("throwaway.example"),
}


@pytest.fixture
def open_house(tmp_path: Path, clock: Clock) -> Iterator[OpenHouse]:
    """Open a backend on one data folder with a table of domains and its version."""
    houses = []

    def open_one(known: dict[str, DomainFacts], version: str, **settings: object) -> House:
        houses.append(
            build_house(
                Settings(data_dir=tmp_path / "data", **settings),  # type: ignore[arg-type]
                clock=clock,
                open_knowledge=lambda: StaticKnowledge(known, data_version=version),
                open_resolver=LoudResolver,
                open_client=open_loud_client,
            )
        )
        return houses[-1]

    yield open_one
    for house in houses:
        house.database.close()


def test_the_same_data_is_no_drift(open_house: OpenHouse) -> None:
    house = open_house(KNOWN, "2026-11-03.one")
    task = complete(house, NEWS)
    assert house.services.rechecks.find_drift(LOCAL_ACCOUNT, task.task_id) is None


def test_rows_that_would_change_are_counted_by_category(open_house: OpenHouse) -> None:
    task = complete(open_house(KNOWN, "2026-11-03.one"), NEWS)
    house = open_house(NEWER, "2026-11-20.two")
    drift = house.services.rechecks.find_drift(LOCAL_ACCOUNT, task.task_id)
    assert drift is not None
    assert (drift.judged_with, drift.now) == ("2026-11-03.one", "2026-11-20.two")
    assert drift.move is None  # nobody has seen what the lists gained and lost
    assert drift.rows_changed == 4
    assert drift.rows_moved == {
        (Category.WHITE, Category.BLACK): 3,
        (Category.BLACK, Category.WHITE): 1,
    }


def test_a_large_project_is_counted_when_asked(
    open_house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rechecks, "PAIRS_AT_ONCE", 2)
    task = complete(open_house(KNOWN, "2026-11-03.one"), NEWS)
    service = open_house(NEWER, "2026-11-20.two").services.rechecks
    drift = service.find_drift(LOCAL_ACCOUNT, task.task_id)
    assert drift is not None
    assert drift.rows_changed is None
    counted = service.find_drift(LOCAL_ACCOUNT, task.task_id, at_any_size=True)
    assert counted is not None
    assert counted.rows_changed == 4
    assert service.find_drift(LOCAL_ACCOUNT, task.task_id) == counted


def test_rows_of_the_own_lists_do_not_move(open_house: OpenHouse) -> None:
    task = complete(open_house(KNOWN, "2026-11-03.one"), NEWS)
    house = open_house(NEWER, "2026-11-20.two")
    house.services.own_lists.add(LOCAL_ACCOUNT, "fresh.example", Category.WHITE)
    drift = house.services.rechecks.find_drift(LOCAL_ACCOUNT, task.task_id)
    assert drift is not None
    assert drift.rows_moved == {(Category.BLACK, Category.WHITE): 1}


def test_a_sandbox_project_never_drifts(open_house: OpenHouse) -> None:
    task = complete(open_house(KNOWN, "2026-11-03.one"), NEWS, key_type=KeyType.SANDBOX)
    house = open_house(NEWER, "2026-11-20.two")
    assert house.services.rechecks.find_drift(LOCAL_ACCOUNT, task.task_id) is None


@pytest.mark.parametrize("deduplicate", [True, False])
def test_a_list_checked_again_is_another_project_of_the_same_name(
    open_house: OpenHouse, deduplicate: bool
) -> None:
    content = b"Mail;email\na@fresh.example;b@fresh.example\nA@fresh.example;c@fresh.example\n"
    task = complete(
        open_house(KNOWN, "2026-11-03.one"), content, deduplicate=deduplicate, email_column="Mail"
    )
    house = open_house(NEWER, "2026-11-20.two")
    again = house.services.rechecks.check_again(LOCAL_ACCOUNT, task.task_id)
    run(house)
    done = house.services.tasks.get(LOCAL_ACCOUNT, again.task_id)
    assert done.task_id != task.task_id
    assert (done.project_name, done.file_name) == (task.project_name, task.file_name)
    assert (done.plan, done.deduplicate) == (task.plan, deduplicate)
    assert done.state is TaskState.COMPLETED
    assert done.summary is not None
    assert done.summary.by_category == {"black": 1 if deduplicate else 2}
    assert done.summary.charged == (1 if deduplicate else 2)
    assert done.summary.data_version == "2026-11-20.two"
    before = house.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    assert before.summary == task.summary
    assert house.services.rechecks.find_drift(LOCAL_ACCOUNT, done.task_id) is None


def test_without_room_nothing_is_submitted(open_house: OpenHouse) -> None:
    task = complete(open_house(KNOWN, "2026-11-03.one"), NEWS)
    house = open_house(KNOWN, "2026-11-03.one", quota_bytes=2 * len(NEWS))
    with pytest.raises(QuotaExceeded):
        house.services.rechecks.check_again(LOCAL_ACCOUNT, task.task_id)
    assert len(house.services.tasks.list(LOCAL_ACCOUNT)) == 1
    assert len(list(house.folder.inputs.iterdir())) == 1


def test_a_deleted_project_cannot_be_checked_again(open_house: OpenHouse) -> None:
    house = open_house(KNOWN, "2026-11-03.one")
    task = submit(house, NEWS)
    house.services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
    with pytest.raises(Gone):
        house.services.rechecks.check_again(LOCAL_ACCOUNT, task.task_id)
