"""Worker processes are replaced when they end, woken, and asked to leave by their input."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from winnow.core.errors import StorageFull
from winnow.services.tasks.supervisor import Supervisor

PATIENCE_SECONDS = 30.0

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
def supervise(script: str, notes: Path, taken_back: list[str], **more: int) -> Iterator[Supervisor]:
    command = (sys.executable, "-c", script.format(notes=str(notes), **more))
    supervisor = Supervisor(command, {"PYTHONUTF8": "1"}, 1, taken_back.append)
    supervisor.start()
    try:
        yield supervisor
    finally:
        supervisor.stop()


def wait_for_notes(notes: Path, count: int) -> list[list[str]]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        lines = notes.read_text().splitlines() if notes.exists() else []
        if len(lines) >= count:
            return [line.split() for line in lines]
        time.sleep(0.01)
    raise AssertionError


def test_a_worker_that_dies_is_replaced_and_its_leases_taken_back(tmp_path: Path) -> None:
    taken_back: list[str] = []
    with supervise(DIES, tmp_path / "notes", taken_back, code=1):
        notes = wait_for_notes(tmp_path / "notes", 3)
    ids = [note[1] for note in notes]
    assert len(set(ids)) == len(ids)
    assert taken_back[:2] == ids[:2]


def test_leases_that_cannot_be_taken_back_end_no_supervision(tmp_path: Path) -> None:
    def refuse(worker_id: str) -> None:
        raise StorageFull("The disk is full.")

    command = (sys.executable, "-c", DIES.format(notes=str(tmp_path / "notes"), code=1))
    supervisor = Supervisor(command, {"PYTHONUTF8": "1"}, 1, refuse)
    supervisor.start()
    try:
        wait_for_notes(tmp_path / "notes", 3)
    finally:
        supervisor.stop()


def test_a_worker_that_ends_well_is_replaced_at_once(tmp_path: Path) -> None:
    with supervise(DIES, tmp_path / "notes", [], code=0):
        wait_for_notes(tmp_path / "notes", 6)


def test_workers_are_woken_and_leave_when_their_input_ends(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    taken_back: list[str] = []
    with supervise(LISTENS, notes, taken_back) as supervisor:
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


def test_the_first_worker_waits_until_it_is_wanted(tmp_path: Path) -> None:
    supervisor = build_patient(tmp_path / "notes", first_wait_seconds=PATIENCE_SECONDS * 100)
    supervisor.start()
    try:
        assert supervisor.list_process_ids() == ()
        supervisor.wake()
        wait_for_notes(tmp_path / "notes", 1)
    finally:
        supervisor.stop()


def test_a_worker_wanted_before_the_start_does_not_wait(tmp_path: Path) -> None:
    supervisor = build_patient(tmp_path / "notes", first_wait_seconds=PATIENCE_SECONDS * 100)
    supervisor.wake()
    supervisor.start()
    try:
        wait_for_notes(tmp_path / "notes", 1)
    finally:
        supervisor.stop()


def test_a_worker_that_nobody_wants_begins_after_a_while(tmp_path: Path) -> None:
    supervisor = build_patient(tmp_path / "notes", first_wait_seconds=0.05)
    supervisor.start()
    try:
        wait_for_notes(tmp_path / "notes", 1)
    finally:
        supervisor.stop()


def test_a_stop_ends_the_wait_and_begins_no_worker(tmp_path: Path) -> None:
    supervisor = build_patient(tmp_path / "notes", first_wait_seconds=PATIENCE_SECONDS * 100)
    supervisor.start()
    supervisor.stop()
    assert not (tmp_path / "notes").exists()


def build_patient(notes: Path, *, first_wait_seconds: float) -> Supervisor:
    taken_back: list[str] = []
    return Supervisor(
        (sys.executable, "-c", LISTENS.format(notes=str(notes))),
        {"PYTHONUTF8": "1"},
        1,
        taken_back.append,
        first_wait_seconds=first_wait_seconds,
    )
