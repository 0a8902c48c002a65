"""A data folder with compiled knowledge, and the processes on it."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.applications import submit
from tests.faults.held_worker import HOLD
from tests.faults.lists import MadeList, name_project
from tests.faults.processes import Servers, kill, list_processes_on
from tests.faults.small_server import HELD_WORKER
from tests.waiting import wait_until
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.settings import Settings
from winnow.core.tasks.task import Task, TaskState
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.services.tasks.supervisor import Supervisor
from winnow.serving import choose_worker_environ
from winnow.storage.repositories.leases import lose_leases
from winnow.wiring import Application, build_application, read_clock


@dataclass(slots=True)
class Desk:
    """An application beside whatever processes a test starts, and what it has submitted."""

    application: Application
    submitted: dict[str, MadeList] = field(default_factory=dict)

    def submit(self, made: MadeList) -> Task:
        """Submit a list."""
        task = submit(self.application, made.content, project_name=name_project(made))
        self.submitted[task.task_id] = made
        return task

    def get(self, task: Task) -> Task:
        """Return a task as it is now."""
        return self.application.services.tasks.get(LOCAL_ACCOUNT, task.task_id)

    def submit_held(self, made: MadeList) -> Task:
        """Submit a list, and wait until a worker stands still in the middle of it."""
        (self.application.settings.data_dir / HOLD).touch()
        task = self.submit(made)
        wait_until(lambda: self.get(task).progress.bytes_done > 0, lambda: self.get(task))
        assert self.get(task).state is TaskState.PROCESSING
        return task

    def let_go(self) -> None:
        """Let workers go on."""
        (self.application.settings.data_dir / HOLD).unlink()

    def wait_until_ended(self, task: Task) -> Task:
        """Wait until a task has ended and return it."""
        wait_until(lambda: self.get(task).state is not TaskState.PROCESSING, lambda: self.get(task))
        return self.get(task)


@pytest.fixture
def opened(data_dir: Path, knowledge: Knowledge) -> Iterator[Application]:
    """An open application on the real clock."""
    built = build_application(Settings(data_dir=data_dir), open_knowledge=lambda: knowledge)
    yield built
    built.database.close()
    for process_id in list_processes_on(data_dir):
        kill(process_id)


@pytest.fixture
def desk(opened: Application) -> Desk:
    return Desk(opened)


def supervise(opened: Application, **options: float) -> Supervisor:
    """Make a supervisor of one worker, which can be held."""
    return Supervisor(
        HELD_WORKER,
        choose_worker_environ(os.environ, opened.settings),
        1,
        lambda worker_id: lose_leases(opened.database, worker_id, read_clock()),
        **options,
    )


@pytest.fixture
def supervisor(opened: Application) -> Iterator[Supervisor]:
    """One supervised worker, which can be held."""
    built = supervise(opened)
    built.start()
    yield built
    built.stop()


@pytest.fixture
def servers(opened: Application) -> Iterator[Servers]:
    built = Servers(opened.settings, "tests.faults.small_server")
    yield built
    built.end_all()
