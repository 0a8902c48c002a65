"""What goes by itself, with a clock that is moved."""

import os
from pathlib import Path
from uuid import uuid4

import pytest

from tests.houses import Clock, complete, open_test_house, stage, submit
from winnow.bootstrap import House
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import Gone, TaskUnknown
from winnow.services.integrity import find_faults


def sweep(house: House) -> None:
    house.services.retention.sweep(house.services.clock())


def files_in(house: House) -> int:
    folders = (house.folder.inputs, house.folder.results, house.folder.variants)
    return sum(len(list(folder.iterdir())) for folder in folders)


@pytest.mark.parametrize("is_swept", [True, False], ids=["swept", "not-swept-yet"])
def test_a_project_expires_to_the_second_and_is_forgotten_30_days_later(
    house: House, clock: Clock, is_swept: bool
) -> None:
    task = complete(house)
    clock.advance(days=30, seconds=-1)
    sweep(house)
    assert house.services.tasks.get(LOCAL_ACCOUNT, task.task_id) == task
    clock.advance(seconds=1)
    if is_swept:
        sweep(house)
        assert files_in(house) == 0
        assert house.services.usage.storage(LOCAL_ACCOUNT).used_bytes == 0
    for _ in range(2):
        with pytest.raises(Gone):
            house.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
        with pytest.raises(Gone):
            house.services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
        assert house.services.tasks.list(LOCAL_ACCOUNT) == ()
        clock.advance(days=30, seconds=-1)
    clock.advance(seconds=2 - 30 * 86400)
    clock.advance(days=0)
    with pytest.raises(TaskUnknown):
        house.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    sweep(house)
    with pytest.raises(TaskUnknown):
        house.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    assert find_faults(house.database, house.folder) == ()


def test_a_clock_that_went_wrong_and_back_revives_nothing(house: House, clock: Clock) -> None:
    task = complete(house)
    clock.advance(days=31)
    sweep(house)
    clock.advance(days=-31)
    with pytest.raises(Gone):
        house.services.tasks.get(LOCAL_ACCOUNT, task.task_id)


def test_a_clock_set_back_takes_nothing(house: House, clock: Clock) -> None:
    task = complete(house)
    clock.advance(days=-31)
    sweep(house)
    assert house.services.tasks.get(LOCAL_ACCOUNT, task.task_id) == task
    assert complete(house).summary is not None


def test_a_task_that_waits_past_its_retention_is_not_run(house: House, clock: Clock) -> None:
    task = submit(house)
    clock.advance(days=30)
    assert complete(house).summary is not None
    with pytest.raises(Gone):
        house.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    sweep(house)
    assert house.services.usage.storage(LOCAL_ACCOUNT).reserved_bytes == 0


def test_retention_follows_the_setting(tmp_path: Path, clock: Clock) -> None:
    house = open_test_house(tmp_path, clock, retention_days=2)
    task = complete(house)
    clock.advance(days=2)
    with pytest.raises(Gone):
        house.services.tasks.get(LOCAL_ACCOUNT, task.task_id)


def test_uploads_that_nobody_came_back_for_go_after_a_day(house: House, clock: Clock) -> None:
    upload = stage(house)
    writer = house.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", 100)
    writer.write(b"x" * 100)
    clock.advance(hours=24)
    sweep(house)
    assert files_in(house) == 2
    clock.advance(seconds=1)
    sweep(house)
    assert files_in(house) == 0
    use = house.services.usage.storage(LOCAL_ACCOUNT)
    assert (use.used_bytes, use.reserved_bytes) == (0, 0)
    with pytest.raises(Gone):
        house.services.uploads.get(LOCAL_ACCOUNT, upload.upload_id)
    with pytest.raises(Gone):
        writer.finish()
    assert find_faults(house.database, house.folder) == ()


def test_what_a_task_has_given_up_is_rubbish(house: House) -> None:
    task = complete(house)
    waiting = submit(house)
    stage(house)
    kept = files_in(house)
    for name in (f"{task.task_id}.0", f"{waiting.task_id}.7.tmp"):
        (house.folder.results / name).mkdir()
        (house.folder.results / name / "result").write_bytes(b"x")
    running = house.folder.results / f"{waiting.task_id}.0.tmp"
    running.mkdir()
    (house.folder.variants / f"{'0' * 64}.1.cleaned.xlsx").touch()
    (house.folder.variants / f"{'0' * 64}.1.cleaned.tmp.strings").touch()
    sweep(house)
    assert running.exists()
    assert files_in(house) == kept + 1
    assert find_faults(house.database, house.folder) == ()


def test_what_the_database_does_not_know_stays_as_long_as_a_project(
    house: House, clock: Clock
) -> None:
    """The database may be an older copy, and the newer one be put back."""
    unknown = [house.folder.inputs / str(uuid4()), house.folder.results / f"{uuid4()}.1"]
    unknown[0].write_bytes(b"x")
    unknown[1].mkdir()
    now = clock.now.timestamp()
    for path in unknown:
        os.utime(path, (now, now))
    clock.advance(days=30)
    sweep(house)
    assert files_in(house) == 2
    (fault,) = find_faults(house.database, house.folder)
    assert fault.startswith("2 files are unknown")
    clock.advance(seconds=1)
    sweep(house)
    assert files_in(house) == 0


def test_an_older_copy_of_the_database_erases_nothing(
    house: House, tmp_path: Path, clock: Clock
) -> None:
    house.database.copy_to(tmp_path / "older.db")
    task = complete(house)
    newer = house.folder.database.read_bytes()
    house.database.close()
    house.folder.database.write_bytes((tmp_path / "older.db").read_bytes())
    restored = open_test_house(tmp_path, clock)
    sweep(restored)
    restored.database.close()
    house.folder.database.write_bytes(newer)
    again = open_test_house(tmp_path, clock)
    sweep(again)
    assert again.services.tasks.get(LOCAL_ACCOUNT, task.task_id) == task
    assert find_faults(again.database, again.folder) == ()
    again.database.close()


def test_a_preview_that_was_broken_off_goes_and_one_at_work_stays(
    house: House, clock: Clock
) -> None:
    old, new = (house.folder.variants / f"preview-{name}" for name in ("abcd_012", "efgh_345"))
    for path, minutes in ((old, 61), (new, 59)):
        path.mkdir()
        (path / "decoded").write_bytes(b"x")
        at = clock.now.timestamp() - minutes * 60
        os.utime(path, (at, at))
    sweep(house)
    assert list(house.folder.variants.iterdir()) == [new]


def test_missing_and_changed_files_are_found(house: House) -> None:
    task = complete(house)
    stage(house).path.unlink()
    (house.folder.results / f"{task.task_id}.1" / "result").write_bytes(b"cut")
    faults = find_faults(house.database, house.folder)
    assert len(faults) == 2
    assert task.task_id in faults[1]
