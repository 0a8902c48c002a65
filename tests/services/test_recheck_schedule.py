"""Projects judged anew at intervals, with a clock that is moved and data that moves on."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.applications import (
    DISPOSABLE,
    KNOWN,
    Clock,
    LoudResolver,
    complete,
    open_loud_client,
)
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import Gone, TaskUnknown
from winnow.core.settings import Settings
from winnow.core.tasks.recheck_notes import RecheckRhythm
from winnow.core.tasks.task import Task
from winnow.core.verdicts.facts import DomainFacts
from winnow.core.verdicts.static_knowledge import StaticKnowledge
from winnow.core.verdicts.verdict import Category
from winnow.services.integrity import find_faults
from winnow.wiring import Application, build_application

NEWS = b"email\n" + b"".join(b"%d@fresh.example\n" % number for number in range(3))
NEWER = {**KNOWN, "fresh.example": replace(DISPOSABLE, domain="fresh.example")}
FOUND = {(Category.WHITE, Category.BLACK): 3}
OpenApplication = Callable[..., Application]


@pytest.fixture
def open_application(tmp_path: Path, clock: Clock) -> Iterator[OpenApplication]:
    """Open one data folder with a table of domains and its version; network fails loudly."""
    applications = []

    def open_one(known: dict[str, DomainFacts], version: str) -> Application:
        applications.append(
            build_application(
                Settings(data_dir=tmp_path / "data"),
                clock=clock,
                open_knowledge=lambda: StaticKnowledge(known, data_version=version),
                open_resolver=LoudResolver,
                open_client=open_loud_client,
            )
        )
        return applications[-1]

    yield open_one
    for opened in applications:
        opened.database.close()


@pytest.fixture
def weekly(open_application: OpenApplication) -> Task:
    """A project that is judged anew each week, from before the data moved on."""
    opened = open_application(KNOWN, "2026-11-03.one")
    task = complete(opened, NEWS, project_name="news")
    opened.services.recheck_schedule.choose(LOCAL_ACCOUNT, task.task_id, RecheckRhythm.WEEKLY)
    return task


def sweep(opened: Application) -> list[dict[tuple[Category, Category], int]]:
    schedule = opened.services.recheck_schedule
    schedule.sweep(opened.services.clock())
    return [dict(note.rows_moved) for note in schedule.list_notes(LOCAL_ACCOUNT)]


@pytest.mark.parametrize(
    ("rhythm", "days"),
    [(RecheckRhythm.DAILY, 1), (RecheckRhythm.WEEKLY, 7), (RecheckRhythm.MONTHLY, 28)],
)
def test_a_note_comes_when_its_period_is_over_and_rows_would_change(
    open_application: OpenApplication, clock: Clock, rhythm: RecheckRhythm, days: int
) -> None:
    task = complete(open_application(KNOWN, "2026-11-03.one"), NEWS)
    opened = open_application(NEWER, "2026-11-20.two")
    schedule = opened.services.recheck_schedule
    schedule.choose(LOCAL_ACCOUNT, task.task_id, rhythm)
    assert schedule.find_rhythm(LOCAL_ACCOUNT, task.task_id) is rhythm
    clock.advance(days=days, seconds=-1)
    assert sweep(opened) == []
    clock.advance(seconds=1)
    assert sweep(opened) == [FOUND]
    [note] = schedule.list_notes(LOCAL_ACCOUNT)
    assert (note.project.task_id, note.found_at) == (task.task_id, clock())
    drift = opened.services.rechecks.find_drift(LOCAL_ACCOUNT, task.task_id)
    assert drift is not None
    assert note.rows_moved == drift.rows_moved
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id) == task


def test_the_same_data_makes_no_note(
    open_application: OpenApplication, weekly: Task, clock: Clock
) -> None:
    clock.advance(days=7)
    assert sweep(open_application(KNOWN, "2026-11-03.one")) == []


def test_what_was_dismissed_comes_again_only_when_it_is_another_finding(
    open_application: OpenApplication, weekly: Task, clock: Clock
) -> None:
    opened = open_application(NEWER, "2026-11-20.two")
    clock.advance(days=7)
    assert sweep(opened) == [FOUND]
    opened.services.recheck_schedule.dismiss(LOCAL_ACCOUNT, weekly.task_id)
    clock.advance(days=7)
    assert sweep(opened) == []
    back = open_application(KNOWN, "2026-11-30.three")  # what was listed is listed no more
    clock.advance(days=7)
    assert sweep(back) == []
    again = open_application(NEWER, "2026-12-05.four")
    clock.advance(days=7)
    assert sweep(again) == [FOUND]


def test_the_choice_survives_a_restart_and_a_clock_that_was_set_back(
    open_application: OpenApplication, weekly: Task, clock: Clock
) -> None:
    opened = open_application(NEWER, "2026-11-20.two")
    clock.advance(days=-3)
    assert sweep(opened) == []
    clock.advance(days=7)
    assert sweep(opened) == [FOUND]


def test_never_takes_the_note_and_deletion_the_plan(
    open_application: OpenApplication, weekly: Task, clock: Clock
) -> None:
    opened = open_application(NEWER, "2026-11-20.two")
    schedule = opened.services.recheck_schedule
    clock.advance(days=7)
    assert sweep(opened) == [FOUND]
    schedule.choose(LOCAL_ACCOUNT, weekly.task_id, RecheckRhythm.NEVER)
    assert sweep(opened) == []
    schedule.choose(LOCAL_ACCOUNT, weekly.task_id, RecheckRhythm.DAILY)
    clock.advance(days=1)
    assert sweep(opened) == [FOUND]
    opened.services.deletions.delete(LOCAL_ACCOUNT, [weekly.task_id])
    clock.advance(seconds=30)
    assert sweep(opened) == []
    opened.services.deletions.undo(LOCAL_ACCOUNT, [weekly.task_id])
    assert sweep(opened) == [FOUND]
    opened.services.tasks.delete(LOCAL_ACCOUNT, weekly.task_id)
    assert sweep(opened) == []
    assert schedule.find_rhythm(LOCAL_ACCOUNT, weekly.task_id) is RecheckRhythm.NEVER
    with pytest.raises(Gone):
        schedule.choose(LOCAL_ACCOUNT, weekly.task_id, RecheckRhythm.DAILY)
    clock.advance(days=31)
    opened.services.retention.sweep(clock())  # forgets the row that the plan pointed at
    assert find_faults(opened.database, opened.blobs) == ()


def test_another_account_sees_and_changes_nothing(
    open_application: OpenApplication, weekly: Task, clock: Clock
) -> None:
    opened = open_application(NEWER, "2026-11-20.two")
    opened.services.accounts.create("other")
    schedule = opened.services.recheck_schedule
    with pytest.raises(TaskUnknown):
        schedule.choose("other", weekly.task_id, RecheckRhythm.NEVER)
    assert schedule.find_rhythm("other", weekly.task_id) is RecheckRhythm.NEVER
    clock.advance(days=7)
    assert sweep(opened) == [FOUND]
    schedule.dismiss("other", weekly.task_id)
    assert schedule.list_notes("other") == ()
    assert len(schedule.list_notes(LOCAL_ACCOUNT)) == 1
