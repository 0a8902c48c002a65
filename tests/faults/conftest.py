"""A data folder with compiled knowledge, and the processes on it."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from backend.bootstrap import House, build_house, choose_worker_environ, read_clock
from backend.core.accounts import LOCAL_ACCOUNT
from backend.core.settings import Settings
from backend.core.tasks import Task, TaskState
from backend.knowledge.look_up import Knowledge
from backend.service.integrity import find_faults
from backend.service.supervisor import Supervisor
from backend.store.leases import lose_leases

PATIENCE_SECONDS = 60.0


@pytest.fixture
def house(tmp_path: Path, knowledge: Knowledge, pytestconfig: pytest.Config) -> Iterator[House]:
    """A house on the real clock, beside whatever processes a test starts."""
    assert pytestconfig.cache is not None
    data_dir = tmp_path / "data"
    shutil.copytree(pytestconfig.cache.mkdir("knowledge"), data_dir / "knowledge")
    built = build_house(Settings(data_dir=data_dir), open_knowledge=lambda: knowledge)
    yield built
    built.database.close()


@pytest.fixture
def supervisor(house: House) -> Iterator[Supervisor]:
    """One supervised worker."""
    built = Supervisor(
        (sys.executable, "-m", "backend", "worker"),
        choose_worker_environ(os.environ, house.settings),
        1,
        lambda worker_id: lose_leases(house.database, worker_id, read_clock()),
    )
    built.start()
    yield built
    built.stop()


class Servers:
    """Starts small servers and ends what is left of them."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._started: list[subprocess.Popen[str]] = []

    def start(self) -> subprocess.Popen[str]:
        """Start a server and wait until it serves.

        Raises:
            AssertionError: It ended instead, or was refused; the message is its errors.
        """
        process = self.launch()
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise AssertionError(process.communicate()[1][-4000:])
        return process

    def launch(self) -> subprocess.Popen[str]:
        """Start a server and do not wait for it."""
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.small_server"],
            env=choose_worker_environ(os.environ, self._house.settings),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._started.append(process)
        return process

    def kill(self) -> None:
        """Kill the newest server."""
        self._started[-1].kill()
        self._started[-1].communicate()

    def stop(self) -> None:
        """Let the newest server leave in good order."""
        self._started[-1].communicate("")

    @property
    def newest(self) -> subprocess.Popen[str]:
        """The server started last."""
        return self._started[-1]

    def end_all(self) -> None:
        """Kill what still runs; workers leave by themselves."""
        for process in self._started:
            process.kill()
            if process.stdout is not None and not process.stdout.closed:
                process.communicate()


@pytest.fixture
def servers(house: House) -> Iterator[Servers]:
    built = Servers(house)
    yield built
    built.end_all()


def wait_until(condition: Callable[[], bool]) -> None:
    """Poll until a condition holds.

    Raises:
        AssertionError: It does not within a minute.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited for a minute"
        time.sleep(0.01)


def get(house: House, task: Task) -> Task:
    """Return a task as it is now."""
    return house.services.tasks.get(LOCAL_ACCOUNT, task.task_id)


def wait_until_busy(house: House, task: Task) -> None:
    """Wait until a worker is well into a task."""
    wait_until(lambda: get(house, task).progress.bytes_done > 0)
    assert get(house, task).state is TaskState.PROCESSING


def wait_until_ended(house: House, task: Task) -> Task:
    """Wait until a task has ended and return it."""
    wait_until(lambda: get(house, task).state is not TaskState.PROCESSING)
    return get(house, task)


def is_alive(process_id: int) -> bool:
    """Say whether a process exists and is no zombie."""
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def list_children(process_id: int) -> list[int]:
    """Return the ids of a process's children."""
    children = Path(f"/proc/{process_id}/task").glob("*/children")
    return [int(child) for path in children for child in path.read_text().split()]


def kill(process_id: int) -> None:
    """End a process at once."""
    os.kill(process_id, signal.SIGKILL)


def pause_between_writes(house: House, process_id: int) -> None:
    """Stop a process where it holds no lock on the database.

    A process stopped inside a write transaction keeps its lock, and everyone else waits for it:
    that is the database's promise, not a fault. Until a lock can be had, the process goes on.
    """

    def is_paused() -> bool:
        os.kill(process_id, signal.SIGSTOP)
        try:
            with closing(sqlite3.connect(house.database.path, timeout=0)) as connection:
                connection.execute("BEGIN EXCLUSIVE").close()
                connection.rollback()
        except sqlite3.OperationalError:
            os.kill(process_id, signal.SIGCONT)
            return False
        return True

    wait_until(is_paused)


def require_sound(house: House, expected: dict[str, bytes], charged: int | None) -> None:
    """Hold the folder to what must be true after any crash.

    Args:
        house: Nothing runs on it any more.
        expected: The result's bytes by task, for every task that must be completed.
        charged: The sum of the ledger; None where deleted lists may have been charged.
    """
    house.services.retention.sweep(house.services.clock())
    assert find_faults(house.database, house.folder) == ()
    use = house.services.usage.storage(LOCAL_ACCOUNT)
    assert use.reserved_bytes == 0
    ledger = sum(day.batch for day in house.services.usage.days(LOCAL_ACCOUNT, 2))
    assert charged is None or ledger == charged
    for task_id, content in expected.items():
        link = house.services.downloads.issue(LOCAL_ACCOUNT, task_id)
        path = house.services.downloads.open(link.path.rpartition("/")[2]).path
        assert path is not None
        assert path.read_bytes() == content
    live = {task.task_id for task in house.services.tasks.list(LOCAL_ACCOUNT)}
    left = {path.name.partition(".")[0] for path in house.folder.results.iterdir()}
    assert left == set(expected) <= live
    assert not list(house.folder.results.glob("*.tmp"))
