"""Worker processes are replaced when they end, woken, and asked to leave by their input."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.waiting import wait_until
from winnow.core.errors import StorageFull
from winnow.services.tasks.supervisor import Supervisor

LONG_SECONDS = 3000.0

REMEMBER = """
import pathlib, sys
notes = pathlib.Path({notes!r})
def note(text):
    with notes.open("a") as file:
        file.write(text + " " + sys.argv[1] + chr(10))
"""
DIES = REMEMBER + "note('started'); sys.exit({code})"
LISTENS = (
    REMEMBER
    + """
note('started')
while line := sys.stdin.buffer.read(1):
    note('woken')
note('left')
"""
)


@contextmanager
def supervise(
    script: str,
    notes: Path,
    take_back: Callable[[str], None] = [].append,
    *,
    is_wanted: bool = False,
    code: int = 0,
    first_wait_seconds: float = 0.0,
) -> Iterator[Supervisor]:
    """Supervise one worker that runs a script; it may be woken before the start."""
    command = (sys.executable, "-c", script.format(notes=str(notes), code=code))
    supervisor = Supervisor(
        command, {"PYTHONUTF8": "1"}, 1, take_back, first_wait_seconds=first_wait_seconds
    )
    if is_wanted:
        supervisor.wake()
    supervisor.start()
    try:
        yield supervisor
    finally:
        supervisor.stop()


def wait_for_notes(notes: Path, count: int) -> list[list[str]]:
    def read() -> list[str]:
        return notes.read_text().splitlines() if notes.exists() else []

    wait_until(lambda: len(read()) >= count)
    return [line.split() for line in read()]


def test_a_worker_that_dies_is_replaced_and_its_leases_taken_back(tmp_path: Path) -> None:
    taken_back: list[str] = []

    def take_back(worker_id: str) -> None:
        taken_back.append(worker_id)
        raise StorageFull("The disk is full.")  # which ends no supervision

    with supervise(DIES, tmp_path / "notes", take_back, code=1) as supervisor:
        notes = wait_for_notes(tmp_path / "notes", 3)
        wait_until(lambda: supervisor.is_down)
    ids = [note[1] for note in notes]
    assert len(set(ids)) == len(ids)
    assert taken_back[:2] == ids[:2]


def test_a_worker_that_ends_well_is_replaced_at_once(tmp_path: Path) -> None:
    with supervise(DIES, tmp_path / "notes") as supervisor:
        wait_for_notes(tmp_path / "notes", 6)
        assert not supervisor.is_down


def test_workers_are_woken_and_leave_when_their_input_ends(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    taken_back: list[str] = []
    with supervise(LISTENS, notes, taken_back.append) as supervisor:
        wait_for_notes(notes, 1)
        assert len(supervisor.list_process_ids()) == 1
        supervisor.wake()
        supervisor.wake()
        wait_for_notes(notes, 3)
    assert [note[0] for note in wait_for_notes(notes, 4)] == ["started", "woken", "woken", "left"]
    assert supervisor.list_process_ids() == ()
    supervisor.wake()
    assert taken_back == []


def test_a_command_that_cannot_be_started_is_no_crash(tmp_path: Path) -> None:
    supervisor = Supervisor((str(tmp_path / "nothing"),), {}, 1, [].append)
    supervisor.start()
    supervisor.stop()
    assert supervisor.list_process_ids() == ()


@pytest.mark.parametrize(
    ("is_wanted", "first_wait_seconds"),
    [
        pytest.param(True, LONG_SECONDS, id="wanted-before-the-start"),
        pytest.param(False, 0.05, id="after-a-while-though-nobody-wants-it"),
        pytest.param(None, LONG_SECONDS, id="wanted-later"),
    ],
)
def test_the_first_worker_begins(
    tmp_path: Path, is_wanted: bool | None, first_wait_seconds: float
) -> None:
    options = {"is_wanted": bool(is_wanted), "first_wait_seconds": first_wait_seconds}
    with supervise(LISTENS, tmp_path / "notes", **options) as supervisor:
        if is_wanted is None:
            assert supervisor.list_process_ids() == ()
            supervisor.wake()
        wait_for_notes(tmp_path / "notes", 1)


def test_a_stop_ends_the_wait_and_begins_no_worker(tmp_path: Path) -> None:
    with supervise(LISTENS, tmp_path / "notes", first_wait_seconds=LONG_SECONDS):
        pass
    assert not (tmp_path / "notes").exists()
