"""Leases and fences: who may write, what counts as stalled, exactly one charge."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tests.houses import Clock, submit
from winnow.bootstrap import House
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import FenceLost, QuotaExceeded
from winnow.core.tasks.task import Notice, Phase, Progress, Summary, Task, TaskState
from winnow.storage.repositories import leases
from winnow.storage.repositories.leases import LEASE_SECONDS, Lease

SUMMARY = Summary(4, 3, 1, 1, 2, {"white": 3}, {"free": 3}, {}, (("white", "free", 3),), (), "v")
NOTICES = (Notice("ragged", "Short rows.", (2, 3), 2),)


def claim(house: House, owner: str = "w1") -> Lease:
    lease = leases.claim_task(house.database, owner, house.services.clock())
    assert lease is not None
    return lease


def report(house: House, lease: Lease, rows_done: int) -> None:
    progress = Progress(Phase.READING, rows_done, 100)
    leases.report_progress(house.database, lease, progress, house.services.clock())


def finish(house: House, lease: Lease, result_bytes: int = 10) -> None:
    leases.finish_task(
        house.database,
        lease,
        SUMMARY,
        NOTICES,
        result_bytes,
        house.services.clock(),
        limit=house.settings.quota_bytes,
    )


def get(house: House, task: Task) -> Task:
    return house.services.tasks.get(LOCAL_ACCOUNT, task.task_id)


def test_fewest_attempts_first_then_the_oldest(house: House, clock: Clock) -> None:
    first = submit(house)
    clock.advance(seconds=1)
    second = submit(house)
    assert claim(house).task.task_id == first.task_id
    clock.advance(seconds=LEASE_SECONDS)
    assert claim(house).task.task_id == second.task_id  # though the first waits again
    again = claim(house)
    assert (again.task.task_id, again.attempt) == (first.task_id, 2)
    assert leases.claim_task(house.database, "w2", clock.now) is None


def test_a_held_lease_is_nobody_elses(house: House, clock: Clock) -> None:
    submit(house)
    lease = claim(house)
    clock.advance(seconds=LEASE_SECONDS - 1)
    leases.extend_lease(house.database, lease, clock.now)
    clock.advance(seconds=LEASE_SECONDS - 1)
    assert leases.claim_task(house.database, "w2", clock.now) is None
    clock.advance(seconds=1)
    assert claim(house, "w2").attempt == 2


def test_a_task_waits_while_nobody_holds_it(house: House, clock: Clock) -> None:
    assert not leases.is_any_waiting(house.database, clock.now)
    submit(house)
    assert leases.is_any_waiting(house.database, clock.now)
    claim(house)
    assert not leases.is_any_waiting(house.database, clock.now)
    clock.advance(seconds=LEASE_SECONDS)
    assert leases.is_any_waiting(house.database, clock.now)


def test_workers_at_once_claim_each_task_once(house: House) -> None:
    for _ in range(12):
        submit(house)

    def work(number: int) -> list[str]:
        found = []
        while lease := leases.claim_task(house.database, str(number), house.services.clock()):
            found.append(lease.task.task_id)
            finish(house, lease)
        return found

    with ThreadPoolExecutor(4) as pool:
        done = [task_id for tasks in pool.map(work, range(4)) for task_id in tasks]
    assert len(done) == len(set(done)) == 12
    assert house.services.usage.days(LOCAL_ACCOUNT, 1)[0].batch == 24


@pytest.mark.parametrize("loss", ["taken over", "cancelled", "deleted", "server gone"])
@pytest.mark.parametrize(
    "write",
    [
        lambda house, lease: report(house, lease, 50),
        lambda house, lease: leases.extend_lease(house.database, lease, house.services.clock()),
        finish,
        lambda house, lease: leases.fail_lease(
            house.database, lease, {"code": "x"}, house.services.clock()
        ),
    ],
    ids=["report", "heartbeat", "finish", "fail"],
)
def test_who_wakes_without_the_fence_can_write_nothing(
    house: House, clock: Clock, loss: str, write: Callable[[House, Lease], None]
) -> None:
    task = submit(house)
    lost = claim(house)
    match loss:
        case "taken over":
            clock.advance(seconds=LEASE_SECONDS)
            claim(house, "w2")
        case "cancelled":
            house.services.tasks.cancel(LOCAL_ACCOUNT, task.task_id)
        case "deleted":
            house.services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
        case "server gone":
            leases.release_all_leases(house.database)
    with pytest.raises(FenceLost):
        write(house, lost)
    assert house.services.usage.days(LOCAL_ACCOUNT, 1)[0].batch == 0


def test_finishing_is_all_at_once_and_once(house: House) -> None:
    task = submit(house)
    lease = claim(house)
    finish(house, lease, 77)
    done = get(house, task)
    assert (done.state, done.summary, done.notices) == (TaskState.COMPLETED, SUMMARY, NOTICES)
    use = house.services.usage.storage(LOCAL_ACCOUNT)
    assert (use.used_bytes, use.reserved_bytes) == (task.input_bytes + 77, 0)
    with pytest.raises(FenceLost):
        finish(house, lease, 77)
    assert house.services.usage.days(LOCAL_ACCOUNT, 1)[0].batch == 2


def test_a_result_without_room_changes_nothing(house: House) -> None:
    task = submit(house)
    lease = claim(house)
    with pytest.raises(QuotaExceeded):
        finish(house, lease, house.settings.quota_bytes)
    assert get(house, task).state is TaskState.PROCESSING
    assert house.services.usage.days(LOCAL_ACCOUNT, 1)[0].batch == 0
    finish(house, lease, 10)


def test_a_new_attempt_begins_its_progress_again(house: House) -> None:
    task = submit(house)
    lease = claim(house)
    report(house, lease, 40)
    assert get(house, task).progress.rows_done == 40
    leases.release_lease(house.database, lease)
    assert get(house, task).progress.phase is Phase.QUEUED
    claim(house)
    assert get(house, task).progress.rows_done == 0


def test_three_attempts_that_come_no_further_fail_the_task(house: House, clock: Clock) -> None:
    task = submit(house)
    report(house, claim(house, "w1"), 30)
    leases.lose_leases(house.database, "w1", clock.now)
    for _ in range(3):
        report(house, claim(house, "w1"), 30)
        assert get(house, task).state is TaskState.PROCESSING
        leases.lose_leases(house.database, "w1", clock.now)
    failed = get(house, task)
    assert failed.state is TaskState.FAILED
    assert failed.error is not None
    assert failed.error["code"] == "worker_lost"
    assert house.services.usage.storage(LOCAL_ACCOUNT).reserved_bytes == 0
    assert leases.claim_task(house.database, "w1", clock.now) is None


def test_leases_that_run_out_count_like_dead_workers(house: House, clock: Clock) -> None:
    task = submit(house)
    for _ in range(3):
        claim(house)
        clock.advance(seconds=LEASE_SECONDS)
    assert leases.claim_task(house.database, "w1", clock.now) is None
    assert get(house, task).state is TaskState.FAILED


def test_attempts_that_come_further_count_nothing(house: House, clock: Clock) -> None:
    task = submit(house)
    for rows_done in (10, 20, 30, 40, 50, 60):
        report(house, claim(house, "w1"), rows_done)
        leases.lose_leases(house.database, "w1", clock.now)
    assert get(house, task).state is TaskState.PROCESSING
    for _ in range(3):
        report(house, claim(house, "w1"), 61)  # less than a twentieth more is no progress
        leases.lose_leases(house.database, "w1", clock.now)
    assert get(house, task).state is TaskState.FAILED


def test_leaving_in_good_order_counts_nothing(house: House) -> None:
    task = submit(house)
    for _ in range(5):
        leases.release_lease(house.database, claim(house))
        claim(house)
        leases.release_all_leases(house.database)
    assert get(house, task).state is TaskState.PROCESSING


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
