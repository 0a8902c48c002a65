"""Leases and fences: who may write, what counts as stalled, exactly one charge."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tests.applications import Clock, delete_for_good, measure_use, submit
from winnow.core.errors import FenceLost, QuotaExceeded
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.notices import Notice
from winnow.core.tasks.task import Phase, Progress, Summary, Task, TaskState
from winnow.storage.database.database import Database
from winnow.storage.repositories import leases
from winnow.storage.repositories.leases import LEASE_SECONDS, Lease
from winnow.wiring import Application

SUMMARY = Summary(4, 3, 1, 1, 2, {"white": 3}, {"free": 3}, {}, (("white", "free", 3),), (), "v")
NOTICES = (Notice("ragged", "Short rows.", (2, 3), 2),)


def claim(opened: Application, owner: str = "w1") -> Lease:
    lease = leases.claim_task(opened.database, owner, opened.services.clock())
    assert lease is not None
    return lease


def report(opened: Application, lease: Lease, rows_done: int) -> None:
    progress = Progress(Phase.READING, rows_done, 100)
    leases.report_progress(opened.database, lease, progress, opened.services.clock())


def finish(opened: Application, lease: Lease, result_bytes: int = 10) -> None:
    leases.finish_task(
        opened.database,
        lease,
        SUMMARY,
        NOTICES,
        result_bytes,
        opened.services.clock(),
    )


def get(opened: Application, task: Task) -> Task:
    return opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)


def count_charged(opened: Application) -> int:
    return opened.services.usage.days(LOCAL_ACCOUNT, 1)[0].batch


def lose(opened: Application) -> None:
    """End the worker ``w1``."""
    leases.lose_leases(opened.database, "w1", opened.services.clock())


def test_what_is_written_finds_room_or_ends_the_attempt(opened: Application) -> None:
    task = submit(opened)
    lease = claim(opened)
    database = Database(opened.folder.database, 100 * task.input_bytes)

    def write(written_bytes: int) -> None:
        progress, now = Progress(Phase.WRITING, written_bytes), opened.services.clock()
        leases.report_progress(database, lease, progress, now, written_bytes=written_bytes)

    for times, reserved in ((1, 2), (99, 99)):
        write(times * task.input_bytes)
        assert measure_use(opened)[1] == reserved * task.input_bytes
    with pytest.raises(QuotaExceeded):
        write(99 * task.input_bytes + 1)
    assert get(opened, task).progress.rows_done == 99 * task.input_bytes
    assert measure_use(opened)[1] == 99 * task.input_bytes


def test_fewest_attempts_first_then_the_oldest(opened: Application, clock: Clock) -> None:
    first = submit(opened)
    clock.advance(seconds=1)
    second = submit(opened)
    assert claim(opened).task.task_id == first.task_id
    clock.advance(seconds=LEASE_SECONDS)
    assert claim(opened).task.task_id == second.task_id  # though the first waits again
    again = claim(opened)
    assert (again.task.task_id, again.attempt) == (first.task_id, 2)
    assert leases.claim_task(opened.database, "w2", clock.now) is None


def test_a_held_lease_is_nobody_elses(opened: Application, clock: Clock) -> None:
    def is_waiting() -> bool:
        return leases.is_any_waiting(opened.database, clock.now)

    assert not is_waiting()
    submit(opened)
    assert is_waiting()
    lease = claim(opened)
    clock.advance(seconds=LEASE_SECONDS - 1)
    leases.extend_lease(opened.database, lease, clock.now)
    clock.advance(seconds=LEASE_SECONDS - 1)
    assert not is_waiting()
    assert leases.claim_task(opened.database, "w2", clock.now) is None
    clock.advance(seconds=1)
    assert is_waiting()
    assert claim(opened, "w2").attempt == 2


def test_workers_at_once_claim_each_task_once(opened: Application) -> None:
    for _ in range(12):
        submit(opened)

    def work(number: int) -> list[str]:
        found = []
        while lease := leases.claim_task(opened.database, str(number), opened.services.clock()):
            found.append(lease.task.task_id)
            finish(opened, lease)
        return found

    with ThreadPoolExecutor(4) as pool:
        done = [task_id for tasks in pool.map(work, range(4)) for task_id in tasks]
    assert len(done) == len(set(done)) == 12
    assert count_charged(opened) == 24


@pytest.mark.parametrize("loss", ["taken over", "cancelled", "deleted", "server gone"])
@pytest.mark.parametrize(
    "write",
    [
        lambda opened, lease: report(opened, lease, 50),
        lambda opened, lease: leases.extend_lease(opened.database, lease, opened.services.clock()),
        finish,
        lambda opened, lease: leases.fail_lease(
            opened.database, lease, {"code": "x"}, opened.services.clock()
        ),
    ],
    ids=["report", "heartbeat", "finish", "fail"],
)
def test_who_wakes_without_the_fence_can_write_nothing(
    opened: Application, clock: Clock, loss: str, write: Callable[[Application, Lease], None]
) -> None:
    task = submit(opened)
    lost = claim(opened)
    match loss:
        case "taken over":
            clock.advance(seconds=LEASE_SECONDS)
            claim(opened, "w2")
        case "cancelled":
            opened.services.tasks.cancel(LOCAL_ACCOUNT, task.task_id)
        case "deleted":
            delete_for_good(opened.services, task.task_id)
        case "server gone":
            leases.release_all_leases(opened.database)
    with pytest.raises(FenceLost):
        write(opened, lost)
    assert count_charged(opened) == 0


def test_finishing_is_all_at_once_and_once(opened: Application) -> None:
    task = submit(opened)
    lease = claim(opened)
    with pytest.raises(QuotaExceeded):  # a result without room changes nothing
        finish(opened, lease, opened.settings.quota_bytes)
    assert (get(opened, task).state, count_charged(opened)) == (TaskState.PROCESSING, 0)
    finish(opened, lease, 77)
    done = get(opened, task)
    assert (done.state, done.summary, done.notices) == (TaskState.COMPLETED, SUMMARY, NOTICES)
    assert measure_use(opened) == (task.input_bytes + 77, 0)
    with pytest.raises(FenceLost):
        finish(opened, lease, 77)
    assert count_charged(opened) == 2


def test_three_attempts_that_come_no_further_fail_the_task(opened: Application) -> None:
    task = submit(opened)
    for rows_done in (10, 20, 30, 40, 50, 60):
        report(opened, claim(opened), rows_done)
        lose(opened)
    for _ in range(3):
        assert get(opened, task).state is TaskState.PROCESSING
        report(opened, claim(opened), 61)  # less than a twentieth more is no progress
        lose(opened)
    failed = get(opened, task)
    assert failed.error is not None
    assert (failed.state, failed.error["code"]) == (TaskState.FAILED, "worker_lost")
    assert measure_use(opened)[1] == 0
    assert leases.claim_task(opened.database, "w1", opened.services.clock()) is None


def test_leases_that_run_out_count_like_dead_workers(opened: Application, clock: Clock) -> None:
    task = submit(opened)
    for _ in range(3):
        claim(opened)
        clock.advance(seconds=LEASE_SECONDS)
    assert leases.claim_task(opened.database, "w1", clock.now) is None
    assert get(opened, task).state is TaskState.FAILED


def test_leaving_in_good_order_counts_nothing(opened: Application) -> None:
    task = submit(opened)
    for _ in range(5):
        leases.release_lease(opened.database, claim(opened))
        claim(opened)
        leases.release_all_leases(opened.database)
    assert get(opened, task).state is TaskState.PROCESSING


def test_marks_grow_with_phases_and_shares() -> None:
    reading = Progress(Phase.READING, bytes_done=0, bytes_total=1000)
    steps = [
        reading,
        replace(reading, bytes_done=500),
        replace(reading, bytes_done=1000),
        Progress(Phase.LOOKING_UP),
        Progress(Phase.WRITING, rows_done=1, rows_total=1),
        Progress(Phase.INDEXING),
    ]
    marks = [leases.measure_mark(step) for step in steps]
    assert marks == sorted(set(marks))
