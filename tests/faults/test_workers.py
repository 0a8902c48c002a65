"""Workers killed, paused, and cut off at named points."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from threading import Event

import pytest

from backend.bootstrap import House, choose_worker_environ, read_clock
from backend.core.accounts import LOCAL_ACCOUNT
from backend.core.tasks import TaskState
from backend.service.supervisor import Supervisor
from backend.store.leases import LEASE_SECONDS, claim_task, lose_leases, release_lease
from tests.faults.conftest import (
    get,
    kill,
    pause_between_writes,
    require_sound,
    wait_until_busy,
    wait_until_ended,
)
from tests.faults.crashing_worker import EXIT_CODE, POINTS, WORKER_ID
from tests.faults.lists import count_charged, expect_list, make_list
from tests.houses import run, submit

LARGE = 450_000  # rows: about a second of work
SMALL = 3_000
SEED = 20261120


def test_a_killed_worker_is_replaced_and_the_list_is_charged_once(
    house: House, supervisor: Supervisor
) -> None:
    task = submit(house, make_list(LARGE))
    wait_until_busy(house, task)
    (first,) = supervisor.list_process_ids()
    kill(first)
    done = wait_until_ended(house, task)
    assert (done.state, done.attempt) == (TaskState.COMPLETED, 2)
    assert supervisor.list_process_ids() != (first,)
    require_sound(house, {task.task_id: expect_list(LARGE)}, count_charged(LARGE))


def test_a_paused_worker_that_wakes_is_refused(house: House, supervisor: Supervisor) -> None:
    task = submit(house, make_list(LARGE))
    wait_until_busy(house, task)
    (paused,) = supervisor.list_process_ids()
    pause_between_writes(house, paused)
    after_lease = read_clock() + timedelta(seconds=LEASE_SECONDS)
    second = claim_task(house.database, "second", after_lease)
    os.kill(paused, signal.SIGCONT)
    assert second is not None
    assert second.attempt == 2
    other = submit(house, make_list(SMALL))
    wait_until_ended(house, other)  # by the worker that was paused: it has let go
    assert supervisor.list_process_ids() == (paused,)
    held = get(house, task)
    assert (held.state, held.attempt) == (TaskState.PROCESSING, 2)
    assert held.progress.bytes_done == 0
    release_lease(house.database, second)
    assert wait_until_ended(house, task).attempt == 3
    expected = {task.task_id: expect_list(LARGE), other.task_id: expect_list(SMALL)}
    require_sound(house, expected, count_charged(LARGE) + count_charged(SMALL))


@pytest.mark.parametrize("end", ["delete", "cancel"])
def test_a_task_ended_by_hand_stops_its_worker(
    house: House, supervisor: Supervisor, end: str
) -> None:
    task = submit(house, make_list(LARGE))
    wait_until_busy(house, task)
    (worker,) = supervisor.list_process_ids()
    if end == "delete":
        house.services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
        assert house.services.usage.storage(LOCAL_ACCOUNT).used_bytes == 0
    else:
        house.services.tasks.cancel(LOCAL_ACCOUNT, task.task_id)
    other = submit(house, make_list(SMALL))
    wait_until_ended(house, other)
    assert supervisor.list_process_ids() == (worker,)
    require_sound(house, {other.task_id: expect_list(SMALL)}, count_charged(SMALL))


@pytest.mark.parametrize("point", POINTS)
def test_a_crash_at_any_point_loses_and_doubles_nothing(house: House, point: str) -> None:
    task = submit(house, make_list(SMALL))
    crashed = subprocess.run(
        [sys.executable, "-m", "tests.faults.crashing_worker", point],
        env=choose_worker_environ(os.environ, house.settings),
        check=False,
    )
    assert crashed.returncode == EXIT_CODE
    if point != "after finish":
        assert get(house, task).state is TaskState.PROCESSING
    lose_leases(house.database, WORKER_ID, read_clock())
    run(house)
    assert get(house, task).state is TaskState.COMPLETED
    require_sound(house, {task.task_id: expect_list(SMALL)}, count_charged(SMALL))


def test_a_list_that_kills_its_worker_three_times_fails(house: House) -> None:
    poison = submit(house, make_list(SMALL))
    for _ in range(3):
        subprocess.run(
            [sys.executable, "-m", "tests.faults.crashing_worker", "after claim"],
            env=choose_worker_environ(os.environ, house.settings),
            check=False,
        )
        lose_leases(house.database, WORKER_ID, read_clock())
    failed = get(house, poison)
    assert failed.error is not None
    assert failed.error["code"] == "worker_lost"
    assert house.runs.run_next("w", Event()) is None
    require_sound(house, {}, 0)
