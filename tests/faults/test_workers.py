"""Workers killed, paused, and cut off at named points."""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from tests.applications import delete_for_good, run
from tests.faults.conftest import Desk, supervise
from tests.faults.crashing_worker import EXIT_CODE, POINTS, WORKER_ID
from tests.faults.held_worker import HANG
from tests.faults.invariants import count_ends, require_sound
from tests.faults.lists import MadeList
from tests.faults.processes import kill, pause_between_writes, wake
from tests.waiting import wait_until
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.tasks.task import TaskState
from winnow.limited.serving import NICENESS
from winnow.services.tasks.supervisor import Supervisor
from winnow.serving import choose_worker_environ
from winnow.storage.repositories.leases import claim_task, lose_leases, release_lease
from winnow.wiring import Application, read_clock

LIST = MadeList(30_000)
SMALL = MadeList(3_000, seed=1)
A_LONG_TIME = timedelta(hours=1)  # much more than a lease, and than any test takes


def test_a_killed_worker_is_replaced_and_the_list_is_charged_once(
    opened: Application, desk: Desk, supervisor: Supervisor
) -> None:
    task = desk.submit_held(LIST)
    (first,) = supervisor.list_process_ids()
    desk.let_go()
    kill(first)
    done = desk.wait_until_ended(task)
    assert done.state is TaskState.COMPLETED
    assert first not in supervisor.list_process_ids()
    require_sound(opened, desk.submitted)


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own there")
def test_every_thread_of_a_worker_has_the_lower_priority(
    desk: Desk, supervisor: Supervisor
) -> None:
    desk.submit_held(LIST)
    (worker,) = supervisor.list_process_ids()
    threads = [int(path.name) for path in Path(f"/proc/{worker}/task").iterdir()]
    lower = min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)
    assert {os.getpriority(os.PRIO_PROCESS, thread) for thread in threads} == {lower}
    desk.let_go()


def test_a_paused_worker_that_wakes_is_refused(
    opened: Application, desk: Desk, supervisor: Supervisor
) -> None:
    task = desk.submit_held(LIST)
    (paused,) = supervisor.list_process_ids()
    pause_between_writes(opened.folder.database, paused)
    second = claim_task(opened.database, "second", read_clock() + A_LONG_TIME)
    assert second is not None
    assert second.attempt == 2
    desk.let_go()
    wake(paused)
    other = desk.submit(SMALL)
    desk.wait_until_ended(other)  # by the worker that was paused: it has let go
    assert supervisor.list_process_ids() == (paused,)
    held = desk.get(task)
    assert (held.state, held.attempt) == (TaskState.PROCESSING, 2)
    assert held.progress.bytes_done == 0
    release_lease(opened.database, second)
    assert desk.wait_until_ended(task).attempt == 3
    require_sound(opened, desk.submitted)


def test_a_worker_that_stands_still_with_the_write_lock_is_ended(
    opened: Application, desk: Desk
) -> None:
    supervisor = supervise(opened, silence_seconds=15)
    supervisor.start()
    try:
        hang = opened.settings.data_dir / HANG
        hang.touch()
        task = desk.submit(LIST)
        wait_until(lambda: not hang.exists())
        (hung,) = supervisor.list_process_ids()
        other = desk.submit(SMALL)  # waits for the lock, and gets it when the worker is ended
        assert hung not in supervisor.list_process_ids()
        for each in (task, other):
            assert desk.wait_until_ended(each).state is TaskState.COMPLETED
    finally:
        supervisor.stop()
    require_sound(opened, desk.submitted)


@pytest.mark.parametrize("end", ["delete", "cancel"])
def test_a_task_ended_by_hand_stops_its_worker(
    opened: Application, desk: Desk, supervisor: Supervisor, end: str
) -> None:
    task = desk.submit_held(LIST)
    (worker,) = supervisor.list_process_ids()
    if end == "delete":
        delete_for_good(opened.services, task.task_id)
        assert opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes == 0
    else:
        opened.services.tasks.cancel(LOCAL_ACCOUNT, task.task_id)
    desk.let_go()
    desk.wait_until_ended(desk.submit(SMALL))
    assert supervisor.list_process_ids() == (worker,)
    which = {"cancelled" if end == "cancel" else "deleted": {task.task_id}}
    require_sound(opened, desk.submitted, **which)
    ends = {"completed": 1, "failed": int(end == "cancel"), "deleted": int(end == "delete")}
    assert count_ends(opened, desk.submitted) == ends


def crash(opened: Application, point: str) -> None:
    crashed = subprocess.run(
        [sys.executable, "-m", "tests.faults.crashing_worker", point],
        env=choose_worker_environ(os.environ, opened.settings),
        check=False,
    )
    assert crashed.returncode == EXIT_CODE


@pytest.mark.parametrize("point", POINTS)
def test_a_crash_at_any_point_loses_and_doubles_nothing(
    opened: Application, desk: Desk, point: str
) -> None:
    task = desk.submit(SMALL)
    crash(opened, point)
    if point != "after finish":
        assert desk.get(task).state is TaskState.PROCESSING
    lose_leases(opened.database, WORKER_ID, read_clock())
    run(opened)
    assert desk.get(task).state is TaskState.COMPLETED
    require_sound(opened, desk.submitted)
