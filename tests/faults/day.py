"""A day of work on one installation: everything that writes, once; what was said is kept."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from pathlib import Path

from sqlalchemy.exc import OperationalError

from tests.applications import run, stage, submit
from tests.faults.invariants import require_sound
from tests.faults.lists import Made, MadeList, MadeWorkbook, name_project, read_project
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import WinnowError
from winnow.core.lists.exports import Export
from winnow.core.lists.rows import Variant
from winnow.core.ports import StaticKnowledge
from winnow.core.settings import Settings
from winnow.core.tasks.task import KeyType, Task, TaskState
from winnow.core.verdicts.facts import DomainFacts, Listing
from winnow.storage.repositories.leases import release_all_leases
from winnow.storage.repositories.uploads import remove_unfinished_uploads
from winnow.wiring import Application, build_application

WORKBOOK = MadeWorkbook(20, 2)
KNOWN = {
    "gmail.com": DomainFacts("gmail.com", free=Listing("free", "free", "gmail.com")),
    "mailinator.com": DomainFacts(
        "mailinator.com",
        listings=(
            Listing("one", "family one", "mailinator.com", date(2026, 3, 2)),
            Listing("two", "family two", "mailinator.com", date(2026, 3, 2)),
        ),
    ),
}


def open_day(data_dir: Path) -> Application:
    """Open a folder, as a server that starts on it does."""
    opened = build_application(
        Settings(data_dir=data_dir), open_knowledge=lambda: StaticKnowledge(KNOWN)
    )
    release_all_leases(opened.database)
    remove_unfinished_uploads(opened.database, opened.blobs)
    return opened


@cache
def make_content(made: MadeList | MadeWorkbook) -> bytes:
    """Return a list's bytes, made once."""
    return made.content


@dataclass(slots=True)
class Day:
    """One day on one folder. ``undecided`` are errors that no caller could have expected."""

    application: Application
    acknowledged: dict[str, Made] = field(default_factory=dict)
    cancelled: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    undecided: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        make_content(WORKBOOK)  # while the disk is whole: making it takes a file

    def pass_by(self) -> None:
        """Do everything; what fails is given up, and the next thing is tried."""
        first = self._try(lambda: self._submit(MadeList(300, 1)))
        self._try(lambda: run(self.application))
        self._try(self._break_off_an_upload)
        self._try(self._discard_an_upload)
        book = self._try(lambda: self._submit(WORKBOOK))
        self._try(lambda: run(self.application))
        if book is not None:
            self._try(lambda: self._download(book))
        self._try(lambda: self.application.services.keys.create(LOCAL_ACCOUNT, "key", KeyType.LIVE))
        self._try(lambda: self.application.services.checks.check(LOCAL_ACCOUNT, "ana@gmail.com"))
        last = self._try(lambda: self._submit(MadeList(30, 3)))
        if last is not None:
            self._try(lambda: self._cancel(last))
        if first is not None:
            self._try(lambda: self._delete(first))
        self._try(self._sweep)
        self._try(lambda: self._submit(MadeList(30, 4)))
        self._try(lambda: run(self.application))

    def judge(self, reopened: Application) -> None:
        """Work off what is left on an application opened anew, and hold it to the promises.

        Raises:
            AssertionError: One is broken.
        """
        run(reopened)
        for task in reopened.services.tasks.list(LOCAL_ACCOUNT):
            self.acknowledged.setdefault(task.task_id, read_project(task.project_name))
        reopened.services.retention.sweep(reopened.services.clock() + timedelta(hours=25))
        require_sound(reopened, self.acknowledged, cancelled=self.cancelled, deleted=self.deleted)
        assert self.undecided == [], self.undecided

    def _try(self, step: Callable[[], Task | object]) -> Task | None:
        try:
            made = step()
        except (WinnowError, OperationalError, sqlite3.OperationalError):
            return None  # decided: 507, or 500 with nothing written
        except Exception as error:
            self.undecided.append(repr(error))
            return None
        return made if isinstance(made, Task) else None

    def _submit(self, made: MadeList | MadeWorkbook) -> Task:
        name = "list.xlsx" if isinstance(made, MadeWorkbook) else "list.csv"
        content, project = make_content(made), name_project(made)
        task = submit(self.application, content, name=name, project_name=project)
        self.acknowledged[task.task_id] = made
        return task

    def _break_off_an_upload(self) -> None:
        with self.application.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", 5000) as writer:
            writer.write(b"x" * 1000)

    def _discard_an_upload(self) -> None:
        self.application.services.uploads.discard(LOCAL_ACCOUNT, stage(self.application).upload_id)

    def _download(self, task: Task) -> None:
        downloads = self.application.services.downloads
        link = downloads.issue(LOCAL_ACCOUNT, task.task_id, Export(Variant.REMOVED))
        opened = downloads.open(link.path.rpartition("/")[2])
        assert opened.path is not None
        opened.path.read_bytes()

    def _cancel(self, task: Task) -> None:
        after = self.application.services.tasks.cancel(LOCAL_ACCOUNT, task.task_id)
        if after.state is TaskState.FAILED:
            self.cancelled.add(task.task_id)

    def _delete(self, task: Task) -> None:
        self.application.services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
        self.deleted.add(task.task_id)

    def _sweep(self) -> None:
        self.application.services.retention.sweep(self.application.services.clock())
