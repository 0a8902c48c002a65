"""Deletions with undo, and retention: what has expired is removed."""

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from shutil import disk_usage

from winnow.core.blobs import TABLE_NAME, BlobKind
from winnow.core.identities import Event, Role
from winnow.core.ports import Blobs
from winnow.core.settings import Settings
from winnow.core.tasks.task import UNDO_LIFE, Deletion, Task
from winnow.services.accounts.audit_log import KEPT_FOR
from winnow.services.tasks.tasks import REMEMBERED_AFTER_DELETION
from winnow.services.use_cases import use_case
from winnow.services.watches import Watches
from winnow.storage.blobs.garbage_collection import remove_rubbish
from winnow.storage.database import tables
from winnow.storage.database.database import Database
from winnow.storage.repositories import deletions as deletion_rows
from winnow.storage.repositories.network_answers import forget_old_answers
from winnow.storage.repositories.own_files import delete_missing_files
from winnow.storage.repositories.people import forget_old_entries
from winnow.storage.repositories.seen_clock import read_seen_clock, write_seen_clock
from winnow.storage.repositories.tasks import (
    StoredTask,
    delete_expired_tasks,
    forget_deleted_tasks,
)
from winnow.storage.repositories.uploads import remove_stale_uploads

UPLOAD_LIFE = timedelta(hours=24)
FREE_LEAST_BYTES = 1 << 30  # with less the disk is short: tables of cells are removed
READINGS_APART = timedelta(hours=1)  # of the clock, in the database
OWN_FILE_PATIENCE = timedelta(hours=1)  # one is read in seconds; an older one was interrupted

_LONG_PAST = datetime.fromtimestamp(0, UTC)  # before anything was made
_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class Retention:
    """Removes what has expired; expiry itself is enforced at every read.

    After a leap of the clock nothing is removed by its age until the clock is believed
    (``SeenClock``): a dead battery must not delete every project.
    """

    database: Database
    blobs: Blobs
    settings: Settings
    remove_unfinished_backups: Callable[[], int]

    def sweep(self, now: datetime) -> None:
        """Remove what has expired. Every step is a transaction of its own and repeatable.

        ``now`` is read from the machine's clock, not counted on from an earlier reading.
        """
        former = read_seen_clock(self.database)
        seen = former.read(now)
        is_news = seen.waits_until != former.waits_until
        if is_news or abs(now - former.last_at) >= READINGS_APART:
            write_seen_clock(self.database, seen)
        now = _LONG_PAST if seen.waits_until else now
        long_ago = now - REMEMBERED_AFTER_DELETION
        retention = timedelta(days=self.settings.retention_days)
        remove_until = self.database.remove_until
        counts = {
            "projects expired": delete_expired_tasks(self.database, now),
            "uploads dropped": remove_stale_uploads(
                self.database, self.blobs, created_before=now - UPLOAD_LIFE
            ),
            "own files dropped": delete_missing_files(
                self.database, self.blobs, begun_before=now - OWN_FILE_PATIENCE
            ),
            "files removed": remove_rubbish(self.database, self.blobs, now, retention=retention),
            "unfinished backups removed": self.remove_unfinished_backups(),
            "tables removed": self._remove_tables(),
            "projects forgotten": forget_deleted_tasks(self.database, deleted_before=long_ago),
            "bans lapsed": remove_until(tables.bans.c.lapses_at, now),
            "sign-ins lapsed": remove_until(tables.desk_sessions.c.expires_at, now),
            "audit entries forgotten": forget_old_entries(self.database, now - KEPT_FOR),
            "network answers forgotten": forget_old_answers(self.database, now),
        }
        found = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        if found:
            _log.info("swept: %s", found)

    @use_case(Role.READER)
    def find_wait(self) -> datetime | None:
        """Return until when nothing is removed by its age; None: the clock is believed."""
        return read_seen_clock(self.database).waits_until

    def _remove_tables(self) -> int:
        """Remove tables of projects' cells, which can be made again, while the disk is short."""
        removed = 0
        for stored in self.blobs.list(BlobKind.RESULT):
            table = stored.key.with_part(TABLE_NAME)
            with suppress(OSError):  # it has none, or was just deleted
                path = self.blobs.fetch(table)
                if disk_usage(path.parent).free >= FREE_LEAST_BYTES:
                    break
                removed += self.blobs.delete(table)
        return removed


@dataclass(eq=False, repr=False)
class Deletions:
    """Hides projects, restores them, deletes them when the time for undo is over.

    A hidden project is in no list, is not worked on, and its downloads stop; it keeps its space.
    The database stores the time of final deletion, so that a restart changes nothing.
    Synchronous and thread-safe.
    """

    database: Database
    blobs: Blobs
    remove_unfinished_backups: Callable[[], int]
    wake_workers: Callable[[], None]
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._watches = Watches()

    @use_case(Role.MEMBER, Event.DELETED, subject="result.task_ids")
    def delete(self, account: str, task_ids: Collection[str]) -> Deletion | None:
        """Delete projects until undo; their processing and downloads stop.

        Unknown, foreign and deleted projects are left out; None: no project is left.
        """
        now = self.clock()
        until = now + UNDO_LIFE
        hidden = deletion_rows.set_aside(self.database, account, task_ids, now, until)
        for task_id in hidden:
            self._watches.notify(task_id)
        if not hidden:
            return None
        _log.info("%d projects deleted, for 60 seconds with a way back", len(hidden))
        projects = (task for task in self._list(account) if task.task_id in hidden)
        return Deletion(tuple(projects), until)

    @use_case(Role.READER)
    def list(self, account: str) -> tuple[Deletion, ...]:
        """Return the deletions that can still be undone, the latest first."""
        by_press = groupby(self._list(account), key=lambda task: task.undo_until)
        return tuple(
            Deletion(tuple(projects), until) for until, projects in by_press if until is not None
        )

    @use_case(Role.MEMBER, Event.RESTORED, subject="result")
    def undo(self, account: str, task_ids: Collection[str]) -> frozenset[str]:
        """Restore deleted projects; return which ones, because the time may be over.

        Processing starts again from the beginning. Links that have not expired work again.
        """
        back = deletion_rows.restore(self.database, account, task_ids, self.clock())
        if back:
            _log.info("%d deleted projects brought back", len(back))
            self.wake_workers()
        return back

    @use_case(Role.MEMBER, Event.ERASED, subject="result")
    def finish(self, account: str, task_ids: Collection[str]) -> frozenset[str]:
        """Make deletions final before the time for undo is over; return which, to free their space.

        Projects that are not deleted stay as they are.
        """
        ended = deletion_rows.finish(self.database, account, task_ids, self.clock())
        self._remove(ended)
        return frozenset(stored.task.task_id for stored in ended)

    def sweep(self, now: datetime) -> None:
        """Make due deletions final; files that cannot be removed now are removed by retention."""
        if deletion_rows.is_any_due(self.database, now):
            self._remove(deletion_rows.delete_due(self.database, self.clock))

    def _remove(self, ended: Collection[StoredTask]) -> None:
        for stored in ended:
            self.blobs.delete(stored.input_key)
            self.blobs.delete(stored.result_key)
        if ended:
            self.remove_unfinished_backups()
            _log.info("%d deletions can be undone no more", len(ended))

    @contextmanager
    def watch(self, task_ids: Collection[str], notify: Callable[[], object]) -> Iterator[None]:
        """Call ``notify``, in any thread, when a project is deleted while the context is open."""
        with ExitStack() as watching:
            for task_id in task_ids:
                watching.enter_context(self._watches.watch(task_id, notify))
            if deletion_rows.is_any_deleted(self.database, task_ids):  # just before
                notify()
            yield

    def _list(self, account: str) -> tuple[Task, ...]:
        return deletion_rows.list_set_aside(self.database, account, self.clock())
