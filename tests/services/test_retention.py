"""What is removed by itself, with a clock that is moved."""

import os
from functools import partial
from uuid import uuid4

import pytest

from tests.applications import (
    LIST,
    Clock,
    complete,
    delete_for_good,
    follow,
    measure_use,
    stage,
    submit,
    sweep,
)
from winnow.core.blobs import TABLE_NAME
from winnow.core.errors import Gone, TaskUnknown
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.rows import RowFilter
from winnow.services.tasks import deletions
from winnow.services.tasks.integrity import find_faults
from winnow.wiring import Application


def files_in(opened: Application) -> int:
    folders = (opened.folder.inputs, opened.folder.results, opened.folder.variants)
    return sum(len(list(folder.iterdir())) for folder in folders)


@pytest.mark.parametrize("is_swept", [True, False], ids=["swept", "not-swept-yet"])
def test_a_project_expires_to_the_second_and_is_forgotten_30_days_later(
    opened: Application, clock: Clock, is_swept: bool
) -> None:
    task = complete(opened)
    get = partial(opened.services.tasks.get, LOCAL_ACCOUNT, task.task_id)
    issue = partial(opened.services.downloads.issue, LOCAL_ACCOUNT, task.task_id)
    follow_link = partial(follow, opened, issue())
    clock.advance(days=30, seconds=-1)
    sweep(opened)
    assert get() == task
    assert opened.services.tasks.list(LOCAL_ACCOUNT) == (task,)
    clock.advance(seconds=1)
    if is_swept:
        sweep(opened)
        assert files_in(opened) == 0
        assert measure_use(opened) == (0, 0)
    for seconds in (30 * 86_400 - 1, 1):
        if is_swept:
            sweep(opened)
        for call in (get, issue, follow_link):
            with pytest.raises(Gone):
                call()
        assert opened.services.tasks.list(LOCAL_ACCOUNT) == ()
        clock.advance(seconds=seconds)
    for _ in range(2):
        with pytest.raises(TaskUnknown):
            get()
        sweep(opened)


def test_a_task_that_waits_past_its_retention_is_not_run(opened: Application, clock: Clock) -> None:
    task = submit(opened)
    clock.advance(days=30)
    assert complete(opened).summary is not None
    with pytest.raises(Gone):
        opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    sweep(opened)
    assert measure_use(opened)[1] == 0


def test_uploads_that_nobody_came_back_for_go_after_a_day(
    opened: Application, clock: Clock
) -> None:
    upload = stage(opened)
    writer = opened.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", 100)
    writer.write(b"x" * 100)
    for seconds, files in ((24 * 3600, 2), (1, 0)):
        clock.advance(seconds=seconds)
        sweep(opened)
        assert files_in(opened) == files
    assert measure_use(opened) == (0, 0)
    with pytest.raises(Gone):
        opened.services.uploads.get(LOCAL_ACCOUNT, upload.upload_id)
    with pytest.raises(Gone):
        writer.finish()


def test_what_a_task_has_given_up_is_rubbish(opened: Application) -> None:
    task = complete(opened)
    waiting = submit(opened)
    stage(opened)
    kept = files_in(opened)
    for name in (f"{task.task_id}.0", f"{waiting.task_id}.7.tmp"):
        (opened.folder.results / name).mkdir()
        (opened.folder.results / name / "result").write_bytes(b"x")
    running = opened.folder.results / f"{waiting.task_id}.0.tmp"
    running.mkdir()
    (opened.folder.variants / f"{'0' * 64}.1.cleaned.xlsx").touch()
    for left in ("tmp.strings", "xlsx.tmp", "xlsx.tmp.strings", "csv.gz.tmp"):
        (opened.folder.variants / f"{'0' * 64}.1.cleaned.{left}").touch()
    sweep(opened)
    assert running.exists()
    assert files_in(opened) == kept + 1


def test_what_the_database_does_not_know_stays_as_long_as_a_project(
    opened: Application, clock: Clock
) -> None:
    """The database may be an older copy, and the newer one be put back."""
    unknown = (opened.folder.inputs / str(uuid4()), opened.folder.results / f"{uuid4()}.1")
    unknown[0].write_bytes(b"x")
    unknown[1].mkdir()
    for path in unknown:
        os.utime(path, (clock.now.timestamp(),) * 2)
    clock.advance(days=30)
    sweep(opened)
    assert files_in(opened) == 2
    (fault,) = find_faults(opened.database, opened.blobs)
    assert fault.startswith("2 files are unknown")
    clock.advance(seconds=1)
    sweep(opened)
    assert files_in(opened) == 0


def test_a_preview_that_was_broken_off_goes_and_one_at_work_stays(
    opened: Application, clock: Clock
) -> None:
    old, new = (opened.folder.variants / f"preview-{name}" for name in ("abcd_012", "efgh_345"))
    for path, minutes in ((old, 61), (new, 59)):
        path.mkdir()
        (path / "decoded").write_bytes(b"x")
        at = clock.now.timestamp() - minutes * 60
        os.utime(path, (at, at))
    sweep(opened)
    assert list(opened.folder.variants.iterdir()) == [new]


@pytest.mark.usefixtures("damages")
def test_missing_and_changed_files_are_found(opened: Application) -> None:
    cut, damaged = complete(opened), complete(opened)
    missing, changed = stage(opened), stage(opened)
    opened.blobs.delete(missing.key)
    opened.blobs.fetch(changed.key).write_bytes(LIST.upper())
    for task, name in ((cut, "result"), (damaged, "rows.json")):
        path = opened.folder.results / f"{task.task_id}.1" / name
        path.write_bytes(path.read_bytes()[1:] if task is cut else path.read_bytes().upper())
    assert sorted(find_faults(opened.database, opened.blobs)) == sorted(
        (
            f"the file of upload {missing.upload_id} is missing or has another size",
            f"the file of upload {changed.upload_id} is damaged",
            f"the result of task {cut.task_id} is missing or has another size",
            f"the result of task {damaged.task_id} is damaged",
        )
    )


def test_a_projects_table_is_removed_first_where_the_disk_is_short(
    opened: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts toward nothing, goes with the project, and is made again when it is needed."""
    task, results = complete(opened), opened.services.results
    used = measure_use(opened)
    (result,) = opened.folder.results.iterdir()
    search = partial(results.rows, LOCAL_ACCOUNT, task.task_id, RowFilter(text="@"), 0, 1)
    found = search().matching
    assert (result / TABLE_NAME).exists()
    assert measure_use(opened) == used
    sweep(opened)
    assert (result / TABLE_NAME).exists()
    monkeypatch.setattr(deletions, "FREE_LEAST_BYTES", 1 << 62)
    sweep(opened)
    assert not (result / TABLE_NAME).exists()
    results._open._values.clear()
    assert search().matching == found
    delete_for_good(opened.services, task.task_id)
    assert not result.exists()
