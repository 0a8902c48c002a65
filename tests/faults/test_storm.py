"""A storm of submissions, deletions and kills; afterwards everything adds up."""

import random
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event

import pytest

from backend.bootstrap import House
from backend.core.accounts import LOCAL_ACCOUNT
from backend.core.errors import WinnowError
from backend.core.tasks import TaskState
from backend.service.uploads import UploadWriter
from tests.faults.conftest import (
    Servers,
    kill,
    list_children,
    require_sound,
    wait_until,
)
from tests.faults.lists import count_charged, expect_list, make_list
from tests.houses import submit

STEPS = 40
ROW_COUNTS = (10, 3_000, 50_000, 200_000)
LONGEST_PAUSE_SECONDS = 0.6


@dataclass(slots=True)
class Storm:
    """What was done so far. ``lists`` are row count and seed by task."""

    house: House
    servers: Servers
    draw: random.Random
    lists: dict[str, tuple[int, int]] = field(default_factory=dict)
    writers: list[UploadWriter] = field(default_factory=list)

    def submit(self) -> None:
        row_count, seed = self.draw.choice(ROW_COUNTS), len(self.lists)
        task = submit(self.house, make_list(row_count, seed=seed))
        self.lists[task.task_id] = (row_count, seed)

    def kill_workers(self) -> None:
        for worker in list_children(self.servers.newest.pid):
            with suppress(ProcessLookupError):
                kill(worker)

    def kill_server(self) -> None:
        self.servers.kill()
        self.servers.start()

    def stop_server(self) -> None:
        self.servers.stop()
        self.servers.start()

    def delete(self) -> None:
        if self.lists:
            with suppress(WinnowError):  # deleted before
                self.house.services.tasks.delete(
                    LOCAL_ACCOUNT, self.draw.choice(sorted(self.lists))
                )

    def break_off_an_upload(self) -> None:
        writer = self.house.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", 100_000)
        writer.write(b"x" * 50_000)
        self.writers.append(writer)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1])
def test_a_storm(house: House, servers: Servers, seed: int) -> None:
    servers.start()
    storm = Storm(house, servers, random.Random(seed))
    steps = (
        storm.submit,
        storm.kill_workers,
        storm.kill_server,
        storm.stop_server,
        storm.delete,
        storm.break_off_an_upload,
    )
    for _ in range(STEPS):
        storm.draw.choices(steps, weights=(6, 8, 3, 1, 2, 2))[0]()
        Event().wait(storm.draw.uniform(0, LONGEST_PAUSE_SECONDS))
    storm.kill_server()
    tasks = house.services.tasks
    wait_until(
        lambda: all(task.state is not TaskState.PROCESSING for task in tasks.list(LOCAL_ACCOUNT))
    )
    servers.stop()
    for writer in storm.writers:  # the server has dropped them long ago
        writer.abort()
    completed = [
        task.task_id for task in tasks.list(LOCAL_ACCOUNT) if task.state is TaskState.COMPLETED
    ]
    expected = {task_id: expect_list(n, seed=s) for task_id, (n, s) in storm.lists.items()}
    require_sound(house, {task_id: expected[task_id] for task_id in completed}, None)
    for task in tasks.list(LOCAL_ACCOUNT):
        assert task.summary is not None
        assert task.summary.charged == count_charged(storm.lists[task.task_id][0])
