"""Deletions that can be undone for 60 seconds, with a clock that is moved."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.applications import Clock, OpenApplication, complete, follow, measure_use, run, submit
from tests.applications import sweep as sweep_expired
from winnow.core.errors import FenceLost, Gone, TaskUnknown
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.tasks.task import Phase, Progress, Task, TaskState
from winnow.services.tasks.integrity import find_faults
from winnow.storage.repositories.deletions import restore
from winnow.storage.repositories.leases import claim_task, extend_lease, report_progress
from winnow.storage.repositories.tasks import cancel_task
from winnow.wiring import Application


def delete(opened: Application, *tasks: Task) -> None:
    ids = [task.task_id for task in tasks]
    assert opened.services.deletions.delete(LOCAL_ACCOUNT, ids) is not None


def undo(opened: Application, *tasks: Task) -> bool:
    """Return whether all are back; none is otherwise."""
    ids = {task.task_id for task in tasks}
    back = opened.services.deletions.undo(LOCAL_ACCOUNT, ids)
    assert back in (ids, frozenset())
    return bool(back)


def sweep(opened: Application) -> None:
    opened.services.deletions.sweep(opened.services.clock())


def test_what_is_deleted_is_hidden_at_once_and_back_whole_also_after_a_restart(
    open_application: OpenApplication, clock: Clock
) -> None:
    opened = open_application()
    task, link_of = complete(opened), opened.services.downloads
    link = link_of.issue(LOCAL_ACCOUNT, task.task_id)
    used = measure_use(opened)
    delete(opened, task)
    assert opened.services.tasks.list(LOCAL_ACCOUNT) == ()
    for call in (
        lambda: opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id),
        lambda: link_of.issue(LOCAL_ACCOUNT, task.task_id),
        lambda: follow(opened, link),
        lambda: opened.services.results.columns(LOCAL_ACCOUNT, task.task_id),
    ):
        with pytest.raises(Gone):
            call()
    kept = opened.services.tasks.get_kept(LOCAL_ACCOUNT, task.task_id)
    assert (kept.state, kept.summary) == (TaskState.COMPLETED, task.summary)
    assert measure_use(opened) == used
    clock.advance(seconds=59.9)
    opened.database.close()
    opened = open_application()
    sweep(opened)
    assert len(opened.services.deletions.list(LOCAL_ACCOUNT)) == 1
    assert undo(opened, task)
    assert opened.services.tasks.list(LOCAL_ACCOUNT) == (task,)
    assert follow(opened, link).path is not None
    clock.advance(minutes=5)
    sweep(opened)
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id) == task


def test_a_sweep_that_read_the_clock_before_a_deletion_leaves_its_undo(
    opened: Application, clock: Clock
) -> None:
    task, read_before = complete(opened), clock.now
    clock.advance(milliseconds=1)
    delete(opened, task)
    opened.services.deletions.sweep(read_before)
    assert undo(opened, task)


@pytest.mark.parametrize("is_swept", [True, False], ids=["swept", "not-swept-yet"])
@pytest.mark.parametrize(
    ("before", "after"),
    [({}, {"seconds": 60}), ({}, {"days": -31}), ({"days": 30, "seconds": -5}, {"seconds": 5})],
    ids=["60-seconds-later", "clock-set-back", "days-of-the-project-are-over"],
)
def test_it_is_gone_and_its_space_is_free(
    opened: Application,
    clock: Clock,
    before: dict[str, int],
    after: dict[str, int],
    is_swept: bool,
) -> None:
    task = complete(opened, project_name="a telling name")
    failed = submit(opened)
    cancel_task(
        opened.database, failed.task_id, {"detail": "The sheet telling is broken."}, clock()
    )
    clock.advance(**before)
    delete(opened, task, failed)
    clock.advance(**after)
    if is_swept:
        sweep_expired(opened)
        sweep(opened)
    assert not undo(opened, task)
    assert opened.services.deletions.list(LOCAL_ACCOUNT) == ()
    with pytest.raises(Gone):
        opened.services.tasks.get_kept(LOCAL_ACCOUNT, task.task_id)
    sweep_expired(opened)
    sweep(opened)
    assert measure_use(opened) == (0, 0)
    assert [*opened.folder.inputs.iterdir(), *opened.folder.results.iterdir()] == []
    opened.database.close()  # a write-ahead log is folded in
    assert not re.search(rb"throwaway|mailboxes|telling", opened.folder.database.read_bytes())


def test_a_worker_stops_at_once_and_begins_again_after_an_undo(
    opened: Application, clock: Clock
) -> None:
    task = submit(opened)
    lease = claim_task(opened.database, "w1", clock())
    assert lease is not None
    report_progress(opened.database, lease, Progress(Phase.WRITING, 2, 4), clock())
    delete(opened, task)
    kept = opened.services.tasks.get_kept(LOCAL_ACCOUNT, task.task_id)
    assert kept.state is TaskState.PROCESSING
    assert (kept.progress.phase, kept.progress.rows_done) == (Phase.QUEUED, 0)
    assert claim_task(opened.database, "w2", clock()) is None
    with pytest.raises(FenceLost):
        extend_lease(opened.database, lease, clock())
    assert undo(opened, task)
    with pytest.raises(FenceLost):  # the lease that was lost stays lost
        extend_lease(opened.database, lease, clock())
    run(opened)
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id).summary is not None
    assert opened.services.usage.days(LOCAL_ACCOUNT, 1)[0].batch == 2


def test_deleting_what_is_processing_gives_its_room_back_in_the_end(
    opened: Application, clock: Clock
) -> None:
    delete(opened, submit(opened))
    assert measure_use(opened)[1] > 0
    clock.advance(seconds=60)
    sweep(opened)
    assert measure_use(opened) == (0, 0)
    assert opened.services.usage.days(LOCAL_ACCOUNT, 1)[0].batch == 0


def test_several_are_one_press_and_one_undo(opened: Application, clock: Clock) -> None:
    one, two, three = (complete(opened, project_name=name) for name in ("one", "two", "three"))
    delete(opened, one, two)
    clock.advance(seconds=1)
    delete(opened, three)
    latest, earlier = opened.services.deletions.list(LOCAL_ACCOUNT)
    assert (latest.task_ids, set(earlier.task_ids)) == (
        (three.task_id,),
        {one.task_id, two.task_id},
    )
    assert undo(opened, one, two)
    assert len(opened.services.tasks.list(LOCAL_ACCOUNT)) == 2
    opened.services.deletions.finish(LOCAL_ACCOUNT, latest.task_ids)
    assert not undo(opened, three)
    assert measure_use(opened)[0] == sum(
        task.input_bytes + task.result_bytes for task in (one, two)
    )
    assert opened.services.usage.days(LOCAL_ACCOUNT, 1)[0].batch == 6  # the charge stays
    clock.advance(days=30)
    with pytest.raises(TaskUnknown):
        opened.services.tasks.get(LOCAL_ACCOUNT, three.task_id)


def test_another_accounts_project_is_neither_deleted_nor_brought_back(opened: Application) -> None:
    opened.services.accounts.create("other")
    task, deletions = complete(opened), opened.services.deletions
    assert deletions.delete("other", [task.task_id]) is None
    deletions.finish(LOCAL_ACCOUNT, [task.task_id])  # nothing is deleted that cannot be undone
    delete(opened, task)
    assert deletions.delete(LOCAL_ACCOUNT, [task.task_id]) is None
    assert deletions.list("other") == ()
    assert deletions.undo("other", [task.task_id]) == frozenset()
    deletions.finish("other", [task.task_id])
    assert undo(opened, task)


def test_the_same_submission_again_takes_the_key_and_leaves_the_undo(opened: Application) -> None:
    first = submit(opened, idempotency_key="k1")
    delete(opened, first)
    second = submit(opened, idempotency_key="k1")
    assert second != first
    assert undo(opened, first)
    assert submit(opened, idempotency_key="k1") == second


def test_an_undo_and_the_end_of_its_time_never_both_happen(
    opened: Application, clock: Clock
) -> None:
    """At the last moment, from two threads: it is whole, or it is gone."""
    for _ in range(10):
        task = complete(opened)
        delete(opened, task)
        last = opened.services.deletions.list(LOCAL_ACCOUNT)[0].undo_until
        with ThreadPoolExecutor(2) as threads:
            ids = [task.task_id]
            back = threads.submit(restore, opened.database, LOCAL_ACCOUNT, ids, clock())
            swept = threads.submit(opened.services.deletions.sweep, last)
        swept.result()
        is_back = task in opened.services.tasks.list(LOCAL_ACCOUNT)
        assert is_back == bool(back.result())
        assert find_faults(opened.database, opened.blobs) == ()
        assert (measure_use(opened)[0] > 0) == is_back
        opened.services.deletions.finish(LOCAL_ACCOUNT, ids)


def test_whoever_downloads_is_told_at_once(opened: Application) -> None:
    task, told, watch = complete(opened), list[str](), opened.services.deletions.watch
    with watch([task.task_id], lambda: told.append("while")):
        assert told == []
        delete(opened, task)
        assert told == ["while"]
    with watch([task.task_id], lambda: told.append("before")):
        assert told == ["while", "before"]
