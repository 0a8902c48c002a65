"""A storm of kills over a busy server; afterwards everything must add up.

The same seed draws the same kills, though never the same moments.
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.faults.client import judge_notes
from tests.faults.invariants import count_ends
from tests.faults.processes import Servers, kill, list_processes_on, list_workers
from tests.waiting import wait_until
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.settings import Settings
from winnow.core.tasks.task import Phase, TaskState
from winnow.services.uploads.uploads import SAMPLE_NAME
from winnow.storage.database.tables import uploads
from winnow.wiring import Application, build_application

KILLS = 50
LONGEST_SECONDS = 15.0  # a slow machine has fewer kills, not a longer test
ACTORS = 3
WORKERS = 2
LONGEST_PAUSE_SECONDS = 0.3
LONGEST_WAIT_SECONDS = 8.0  # for something to be at work, which a kill shall hit
MODULE = "tests.faults.busy_server"


@dataclass(slots=True)
class Spell:
    """One folder, one busy server, and its kills. ``killed`` counts processes by how they went."""

    application: Application
    servers: Servers
    quiet: Servers
    notes: Path
    draw: random.Random
    killed: Counter[str] = field(default_factory=Counter)

    def kill(self, kills: int, seconds: float) -> None:
        """Kill so many processes, at drawn moments, and start what does not start by itself.

        Args:
            kills: At least so many,
            seconds: but none so long after the first list, on a machine too busy for them.
        """
        ways: tuple[tuple[Callable[[], None], int], ...] = (
            (self._kill_a_worker, 5),
            (self._kill_all_workers, 4),
            (self._kill_the_server, 3),
            (self._cut_the_power, 3),
            (self._stop, 1),
        )
        self.servers.start()
        wait_until(lambda: self.notes.exists() and b"submitted" in self.notes.read_bytes())
        deadline = time.monotonic() + seconds
        while self.killed.total() < kills and time.monotonic() < deadline:
            self._wait_for_work()
            time.sleep(self.draw.uniform(0, LONGEST_PAUSE_SECONDS))
            (way,) = self.draw.choices([w for w, _ in ways], [weight for _, weight in ways])
            way()

    def settle(self) -> None:
        """End the storm; a quiet server works off what is left."""
        self.servers.kill()
        self.killed["server"] += 1
        self.quiet.start()
        tasks = self.application.services.tasks
        wait_until(
            lambda: all(t.state is not TaskState.PROCESSING for t in tasks.list(LOCAL_ACCOUNT)),
            lambda: [t for t in tasks.list(LOCAL_ACCOUNT) if t.state is TaskState.PROCESSING],
        )
        self.quiet.stop()
        wait_until(lambda: not list_processes_on(self.application.settings.data_dir))

    def judge(self) -> dict[str, int]:
        """Hold the folder to its promises; return how its lists ended.

        Raises:
            AssertionError: Says which promise is broken.
        """
        submitted = judge_notes(self.application, self.notes.read_text().splitlines())
        with self.application.database.reading() as connection:
            staged = set(connection.execute(select(uploads.c.file_name)).scalars())
        assert staged <= {SAMPLE_NAME}, "an upload outlived the kill that came before its task"
        return count_ends(self.application, submitted)

    def end(self) -> None:
        """Kill what is left and close the folder."""
        self.servers.end_all()
        self.quiet.end_all()
        self.application.database.close()

    def _wait_for_work(self) -> None:
        """Wait until a worker has claimed a list and the server has done some things."""
        deadline = time.monotonic() + LONGEST_WAIT_SECONDS
        done = self._count_notes() + self.draw.randint(1, 8)
        while time.monotonic() < deadline:
            tasks = self.application.services.tasks.list(LOCAL_ACCOUNT)
            is_claimed = any(
                task.state is TaskState.PROCESSING and task.progress.phase is not Phase.QUEUED
                for task in tasks
            )
            if is_claimed and self._count_notes() >= done:
                return
            time.sleep(0.02)

    def _count_notes(self) -> int:
        return self.notes.read_bytes().count(b"\n") if self.notes.exists() else 0

    def _kill_workers(self, workers: list[int], kind: str) -> None:
        for worker in workers:
            kill(worker)
            self.killed[kind] += 1

    def _kill_a_worker(self) -> None:
        workers = list_workers(self.servers.newest.pid)
        self._kill_workers(self.draw.sample(workers, min(1, len(workers))), "worker")

    def _kill_all_workers(self) -> None:
        self._kill_workers(list_workers(self.servers.newest.pid), "worker")

    def _kill_the_server(self) -> None:
        self.servers.kill()  # its workers live on for a moment, beside those of the next
        self.killed["server"] += 1
        self.servers.start()

    def _cut_the_power(self) -> None:
        workers = list_workers(self.servers.newest.pid)
        self.servers.newest.kill()
        self._kill_workers(workers, "worker with its server")
        self._kill_the_server()

    def _stop(self) -> None:
        self.servers.stop()
        self.servers.start()


@pytest.fixture
def spell(data_dir: Path) -> Iterator[Spell]:
    """A folder with compiled knowledge, and a busy server that has not started."""
    settings, draw = Settings(data_dir=data_dir, workers=WORKERS), random.Random("1")
    notes, actors_seed = data_dir.with_suffix(".notes"), str(draw.randrange(1_000_000))
    busy = Servers(settings, MODULE, str(ACTORS), actors_seed, str(notes))
    quiet = Servers(settings, MODULE, "0", "0", str(notes))
    prepared = Spell(build_application(settings), busy, quiet, notes, draw)
    yield prepared
    prepared.end()


def test_a_storm(spell: Spell) -> None:
    try:
        spell.kill(KILLS, LONGEST_SECONDS)
        spell.settle()
        ends = spell.judge()
    except AssertionError as error:
        error.add_note(spell.servers.last_words())
        raise
    assert spell.killed
    assert sum(ends.values())
