"""Deletions that can be undone for 60 seconds, with a clock that is moved."""

import threading

import pytest

from tests.applications import Clock, OpenApplication, complete, measure_use, run, submit
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import FenceLost, Gone
from winnow.core.tasks.task import Phase, Progress, TaskState
from winnow.services.tasks.integrity import find_faults
from winnow.storage.repositories.deletions import bring_back
from winnow.storage.repositories.leases import claim_task, extend_lease, report_progress
from winnow.wiring import Application


def delete(opened: Application, *task_ids: str) -> None:
    assert opened.services.deletions.delete(LOCAL_ACCOUNT, task_ids) is not None


def undo(opened: Application, *task_ids: str) -> frozenset[str]:
    return opened.services.deletions.undo(LOCAL_ACCOUNT, task_ids)


def sweep(opened: Application) -> None:
    opened.services.deletions.sweep(opened.services.clock())


def test_what_is_deleted_is_hidden_at_once_and_back_whole(
    opened: Application, clock: Clock
) -> None:
    task, link_of = complete(opened), opened.services.downloads
    link = link_of.issue(LOCAL_ACCOUNT, task.task_id)
    used = measure_use(opened)
    delete(opened, task.task_id)
    assert opened.services.tasks.list(LOCAL_ACCOUNT) == ()
    for call in (
        lambda: opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id),
        lambda: link_of.issue(LOCAL_ACCOUNT, task.task_id),
        lambda: link_of.open(link.path.rpartition("/")[2]),
        lambda: opened.services.results.columns(LOCAL_ACCOUNT, task.task_id),
    ):
        with pytest.raises(Gone):
            call()
    kept = opened.services.tasks.get_kept(LOCAL_ACCOUNT, task.task_id)
    assert (kept.state, kept.summary) == (TaskState.COMPLETED, task.summary)
    assert measure_use(opened) == used
    clock.advance(seconds=59.9)
    sweep(opened)
    assert undo(opened, task.task_id) == {task.task_id}
    assert opened.services.tasks.list(LOCAL_ACCOUNT) == (task,)
    assert link_of.open(link.path.rpartition("/")[2]).path is not None
    clock.advance(minutes=5)
    sweep(opened)
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id) == task
    assert find_faults(opened.database, opened.blobs) == ()


def test_a_sweep_that_read_the_clock_before_a_deletion_leaves_its_undo(
    opened: Application, clock: Clock
) -> None:
    task, read_before = complete(opened), clock.now
    clock.advance(milliseconds=1)
    delete(opened, task.task_id)
    opened.services.deletions.sweep(read_before)
    assert undo(opened, task.task_id) == {task.task_id}


@pytest.mark.parametrize("is_swept", [True, False], ids=["swept", "not-swept-yet"])
def test_after_60_seconds_it_is_gone_and_its_space_is_free(
    opened: Application, clock: Clock, is_swept: bool
) -> None:
    task = complete(opened, project_name="a telling name")
    delete(opened, task.task_id)
    clock.advance(seconds=60)
    if is_swept:
        sweep(opened)
    assert undo(opened, task.task_id) == frozenset()
    assert opened.services.deletions.list(LOCAL_ACCOUNT) == ()
    with pytest.raises(Gone):
        opened.services.tasks.get_kept(LOCAL_ACCOUNT, task.task_id)
    sweep(opened)
    assert measure_use(opened) == (0, 0)
    assert list(opened.folder.inputs.iterdir()) == list(opened.folder.results.iterdir()) == []
    assert find_faults(opened.database, opened.blobs) == ()
    opened.database.close()
    assert b"a telling name" not in opened.folder.database.read_bytes()


def test_a_worker_stops_at_once_and_begins_again_after_an_undo(
    opened: Application, clock: Clock
) -> None:
    task = submit(opened)
    lease = claim_task(opened.database, "w1", clock())
    assert lease is not None
    report_progress(opened.database, lease, Progress(Phase.WRITING, 2, 4), clock())
    delete(opened, task.task_id)
    with pytest.raises(FenceLost):
        extend_lease(opened.database, lease, clock())
    assert claim_task(opened.database, "w2", clock()) is None
    kept = opened.services.tasks.get_kept(LOCAL_ACCOUNT, task.task_id)
    assert (kept.state, kept.progress.phase, kept.progress.rows_done) == (
        TaskState.PROCESSING,
        Phase.QUEUED,
        0,
    )
    undo(opened, task.task_id)
    with pytest.raises(FenceLost):  # the lease that was lost stays lost
        extend_lease(opened.database, lease, clock())
    run(opened)
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id).summary is not None
    assert opened.services.usage.days(LOCAL_ACCOUNT, 1)[0].batch == 2
    assert find_faults(opened.database, opened.blobs) == ()


def test_deleting_what_is_processing_gives_its_room_back_in_the_end(
    opened: Application, clock: Clock
) -> None:
    task = submit(opened)
    delete(opened, task.task_id)
    assert measure_use(opened)[1] > 0
    clock.advance(seconds=60)
    sweep(opened)
    assert measure_use(opened) == (0, 0)
    assert opened.services.usage.days(LOCAL_ACCOUNT, 1)[0].batch == 0


def test_several_are_one_press_and_one_undo(opened: Application, clock: Clock) -> None:
    tasks = [complete(opened, project_name=name) for name in ("one", "two", "three")]
    delete(opened, tasks[0].task_id, tasks[1].task_id)
    clock.advance(seconds=1)
    delete(opened, tasks[2].task_id)
    latest, earlier = opened.services.deletions.list(LOCAL_ACCOUNT)
    assert latest.task_ids == (tasks[2].task_id,)
    assert set(earlier.task_ids) == {tasks[0].task_id, tasks[1].task_id}
    assert undo(opened, *earlier.task_ids) == set(earlier.task_ids)
    assert len(opened.services.tasks.list(LOCAL_ACCOUNT)) == 2
    opened.services.deletions.finish(LOCAL_ACCOUNT, latest.task_ids)
    assert undo(opened, *latest.task_ids) == frozenset()
    assert measure_use(opened)[0] == sum(one.input_bytes + one.result_bytes for one in tasks[:2])


def test_it_can_be_undone_after_a_restart(open_application: OpenApplication, clock: Clock) -> None:
    before = open_application()
    task = complete(before)
    delete(before, task.task_id)
    before.database.close()
    clock.advance(seconds=30)
    after = open_application()
    sweep(after)
    [deletion] = after.services.deletions.list(LOCAL_ACCOUNT)
    assert undo(after, *deletion.task_ids) == {task.task_id}


def test_a_clock_that_was_set_back_gives_no_more_time(opened: Application, clock: Clock) -> None:
    task = complete(opened)
    delete(opened, task.task_id)
    clock.advance(days=-31)
    assert undo(opened, task.task_id) == frozenset()
    with pytest.raises(Gone):
        opened.services.tasks.get_kept(LOCAL_ACCOUNT, task.task_id)
    sweep(opened)
    assert measure_use(opened) == (0, 0)


def test_a_project_whose_days_are_over_meanwhile_does_not_come_back(
    opened: Application, clock: Clock
) -> None:
    task = complete(opened)
    clock.advance(days=30, seconds=-5)
    delete(opened, task.task_id)
    clock.advance(seconds=5)
    assert undo(opened, task.task_id) == frozenset()
    opened.services.retention.sweep(clock())
    assert measure_use(opened) == (0, 0)
    assert find_faults(opened.database, opened.blobs) == ()


def test_another_accounts_project_is_neither_deleted_nor_brought_back(opened: Application) -> None:
    opened.services.accounts.create("other")
    task = complete(opened)
    assert opened.services.deletions.delete("other", [task.task_id]) is None
    delete(opened, task.task_id)
    assert opened.services.deletions.delete(LOCAL_ACCOUNT, [task.task_id]) is None
    assert opened.services.deletions.list("other") == ()
    assert opened.services.deletions.undo("other", [task.task_id]) == frozenset()
    opened.services.deletions.finish("other", [task.task_id])
    assert undo(opened, task.task_id) == {task.task_id}


def test_the_same_submission_again_takes_the_key_and_ends_the_way_back(
    opened: Application,
) -> None:
    first = submit(opened, idempotency_key="k1")
    delete(opened, first.task_id)
    again = submit(opened, idempotency_key="k1")
    assert again.task_id != first.task_id
    assert undo(opened, first.task_id) == frozenset()
    opened.services.retention.sweep(opened.services.clock())
    assert find_faults(opened.database, opened.blobs) == ()


def test_an_undo_and_the_end_of_its_time_never_both_happen(
    opened: Application, clock: Clock
) -> None:
    """At the last moment, from two threads: it is whole, or it is gone."""
    for _ in range(10):
        task = complete(opened)
        delete(opened, task.task_id)
        last = opened.services.deletions.list(LOCAL_ACCOUNT)[0].undo_until
        back: list[frozenset[str]] = []

        def bring(task_id: str = task.task_id, into: list[frozenset[str]] = back) -> None:
            into.append(bring_back(opened.database, LOCAL_ACCOUNT, [task_id], clock()))

        threads = [
            threading.Thread(target=bring),
            threading.Thread(target=opened.services.deletions.sweep, args=(last,)),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        is_back = task in opened.services.tasks.list(LOCAL_ACCOUNT)
        assert is_back == bool(back[0])
        assert find_faults(opened.database, opened.blobs) == ()
        assert (measure_use(opened)[0] > 0) == is_back
        opened.services.deletions.finish(LOCAL_ACCOUNT, [task.task_id])


def test_whoever_downloads_is_told_at_once(opened: Application) -> None:
    task = complete(opened)
    told: list[str] = []
    deletions = opened.services.deletions
    with deletions.watch([task.task_id], lambda: told.append("while")):
        assert told == []
        delete(opened, task.task_id)
        assert told == ["while"]
    with deletions.watch([task.task_id], lambda: told.append("before")):
        assert told == ["while", "before"]
