"""Deletions that can be undone for 60 seconds, one project or several with one press."""

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from itertools import groupby

from winnow.core.errors import Gone, TaskUnknown
from winnow.core.ports import Blobs
from winnow.core.tasks.deletion import UNDO_LIFE, Deletion
from winnow.core.tasks.task import Task
from winnow.services.tasks import Tasks
from winnow.services.watches import Watches
from winnow.storage.database.database import Database
from winnow.storage.repositories import deletions as rows

_log = logging.getLogger(__name__)


class Deletions:
    """Sets projects aside, brings them back, deletes them when their time is over.

    A project that is set aside is in no list, is not worked on, and none of its downloads goes on;
    it keeps its space. The database holds until when, so that a restart changes nothing.
    Synchronous and thread-safe.
    """

    def __init__(
        self,
        database: Database,
        blobs: Blobs,
        tasks: Tasks,
        wake_workers: Callable[[], None],
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._blobs = blobs
        self._tasks = tasks
        self._wake_workers = wake_workers
        self._clock = clock
        self._watches = Watches()

    def delete(self, account: str, task_ids: Collection[str]) -> Deletion | None:
        """Delete projects for now; what is processing stops, what is being downloaded breaks off.

        Unknown ones, another account's and those that are gone are left out; None: none was left.
        """
        now = self._clock()
        until = now + UNDO_LIFE
        hidden = rows.set_aside(self._database, account, task_ids, now, until)
        for task_id in hidden:
            self._watches.tell(task_id)
        if not hidden:
            return None
        _log.info("%d projects deleted, for 60 seconds with a way back", len(hidden))
        projects = (task for task in self._list(account) if task.task_id in hidden)
        return Deletion(tuple(projects), until)

    def list(self, account: str) -> tuple[Deletion, ...]:
        """Return the deletions that can be undone now, the latest first."""
        by_press = groupby(self._list(account), key=lambda task: task.undo_until)
        return tuple(
            Deletion(tuple(projects), until) for until, projects in by_press if until is not None
        )

    def undo(self, account: str, task_ids: Collection[str]) -> frozenset[str]:
        """Bring projects back as they were; return which, for the time may be over.

        What was processing is worked on again from its beginning. Links that have not expired work
        again.
        """
        back = rows.bring_back(self._database, account, task_ids, self._clock(), UNDO_LIFE)
        if back:
            _log.info("%d deleted projects brought back", len(back))
            self._wake_workers()
        return back

    def finish(self, account: str, task_ids: Collection[str]) -> None:
        """Delete projects for good, before their time; those that are gone are left out."""
        for task_id in task_ids:
            try:
                self._tasks.delete(account, task_id)
            except (Gone, TaskUnknown):
                continue

    def sweep(self, now: datetime) -> None:
        """Delete for good what can be undone no more; files that cannot go now go by retention."""
        if not rows.is_any_due(self._database, now, UNDO_LIFE):
            return
        ended = rows.delete_due(self._database, now, UNDO_LIFE)
        for key in (key for stored in ended for key in (stored.input_key, stored.result_key)):
            self._blobs.delete(key)
        _log.info("%d deletions can be undone no more", len(ended))

    @contextmanager
    def watch(self, task_ids: Collection[str], tell: Callable[[], object]) -> Iterator[None]:
        """Call ``tell``, in any thread, when one is deleted while the context is open."""
        with ExitStack() as watching:
            for task_id in task_ids:
                watching.enter_context(self._watches.watch(task_id, tell))
            if rows.is_any_deleted(self._database, task_ids):  # just before
                tell()
            yield

    def _list(self, account: str) -> tuple[Task, ...]:
        return rows.list_set_aside(self._database, account, self._clock(), UNDO_LIFE)
