"""Leases of workers on tasks, with the attempt as a fence that every write must name.

An attempt starts its list from the beginning, so the progress of a new attempt begins again. An
attempt that is lost (its process died, its lease ran out) without coming further than any before
it counts as stalled; the task fails at the third. Released leases do not count.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from msgspec import to_builtins
from sqlalchemy import ColumnElement, Connection, and_, case, or_, select, update

from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.errors import FenceLost
from winnow.core.lists.notices import Notice
from winnow.core.tasks.task import Phase, Progress, Summary, Task, TaskState
from winnow.storage.database.database import Database
from winnow.storage.database.tables import tasks
from winnow.storage.repositories import quota
from winnow.storage.repositories.hooks import queue_delivery
from winnow.storage.repositories.tasks import UNCLAIMED, fail_task, is_present, task_from_row
from winnow.storage.repositories.usage import charge_task

LEASE_SECONDS = 30  # six missed heartbeats
STALLED_ATTEMPTS_ALLOWED = 3
MARKS_PER_PHASE = 20  # progress under a twentieth of a phase is not "further"

WORKER_LOST = {
    "code": "worker_lost",
    "title": "The list could not be worked through",
    "detail": "Cleaning ended unexpectedly three times without progress.",
    "hint": "It may need more memory than this machine has. Split the list, or report it.",
}

_PHASES = tuple(Phase)
_CLAIM_ORDER = (tasks.c.attempt, tasks.c.created_at, tasks.c.task_id)


@dataclass(frozen=True, slots=True)
class Lease:
    """A worker's claim on a task; ``attempt`` is the fence.

    ``key_prefix`` is the API key that the task is charged to.
    """

    task: Task
    upload_id: str
    attempt: int
    key_prefix: str | None = None

    @property
    def input_key(self) -> BlobKey:
        """Where the list is."""
        return BlobKey(BlobKind.INPUT, self.upload_id)

    @property
    def result_key(self) -> BlobKey:
        """Where this attempt's result goes."""
        return BlobKey(BlobKind.RESULT, f"{self.task.task_id}.{self.attempt}")


def claim_task(database: Database, owner: str, now: datetime) -> Lease | None:
    """Claim the next task: fewest attempts first, then oldest; one statement in one transaction.

    Expired leases are lost first, in the same transaction. None if there is nothing to do.
    """
    if not is_any_waiting(database, now):
        return None
    waiting = _find_waiting(now)
    first = (
        select(tasks.c.task_id).where(*waiting).order_by(*_CLAIM_ORDER).limit(1).scalar_subquery()
    )
    with database.writing() as connection:
        _lose(connection, and_(tasks.c.owner.is_not(None), tasks.c.lease_until <= now), now)
        row = connection.execute(
            update(tasks)
            .where(tasks.c.task_id == first)
            .values(
                attempt=tasks.c.attempt + 1,
                owner=owner,
                lease_until=now + timedelta(seconds=LEASE_SECONDS),
                mark=0,
                phase=Phase.READING.value,
                rows_done=0,
                rows_total=None,
                bytes_done=0,
            )
            .returning(*tasks.c)
        ).first()
    if row is None:
        return None
    return Lease(task_from_row(row), row.upload_id, row.attempt, row.key_prefix)


def is_any_waiting(database: Database, now: datetime) -> bool:
    """Return whether there is a task to claim."""
    waiting = select(tasks.c.task_id).where(*_find_waiting(now)).limit(1)
    return database.first(waiting) is not None


def extend_lease(database: Database, lease: Lease, now: datetime) -> None:
    """Extend a lease: the worker is alive.

    Raises:
        FenceLost: The task was cancelled or deleted, or belongs to another attempt.
    """
    with database.writing() as connection:
        _write(connection, lease, lease_until=now + timedelta(seconds=LEASE_SECONDS))


def report_progress(
    database: Database,
    lease: Lease,
    progress: Progress,
    now: datetime,
    *,
    written_bytes: int = 0,
) -> None:
    """Record how far this attempt is, and extend the lease.

    ``written_bytes`` is what it has written of its result.

    Raises:
        FenceLost: As ``extend_lease``; nothing was recorded.
        QuotaExceeded: It wrote more than was reserved, and there is no space for it.
    """
    with database.writing() as connection:
        _write(
            connection,
            lease,
            lease_until=now + timedelta(seconds=LEASE_SECONDS),
            mark=measure_mark(progress),
            phase=progress.phase.value,
            rows_done=progress.rows_done,
            rows_total=progress.rows_total,
            bytes_done=progress.bytes_done,
            bytes_total=progress.bytes_total,
        )
        quota.hold_at_least(connection, lease.task.account, lease.upload_id, written_bytes)


def finish_task(
    database: Database,
    lease: Lease,
    summary: Summary,
    notices: tuple[Notice, ...],
    result_bytes: int,
    now: datetime,
    *,
    remember: Callable[[Connection], object] = lambda connection: None,
) -> None:
    """Complete a task with a published result: state, counts, charge, space and hook at once.

    One transaction: visible, charged and counted as used together, or not at all. ``remember`` is
    a step of it: what the list says comes on the never-mail list.

    Raises:
        FenceLost: As ``extend_lease``; nothing was changed or charged.
        QuotaExceeded: The result is larger than was reserved, and there is no space for it.
    """
    with database.writing() as connection:
        _write(
            connection,
            lease,
            state=TaskState.COMPLETED.value,
            owner=None,
            lease_until=None,
            phase=Phase.INDEXING.value,
            rows_done=summary.rows_in,
            rows_total=summary.rows_in,
            bytes_done=tasks.c.bytes_total,
            summary=to_builtins(summary),
            notices=[asdict(one) for one in notices],
            result=lease.result_key.name,
            result_bytes=result_bytes,
            completed_at=now,
        )
        task = lease.task
        quota.hold(connection, task.account, lease.upload_id, 0, used=result_bytes)
        charge_task(connection, task.task_id, task.account, summary.charged, now, lease.key_prefix)
        queue_delivery(connection, task.task_id, now)
        remember(connection)


def fail_lease(database: Database, lease: Lease, error: dict[str, Any], now: datetime) -> None:
    """End a task as failed, uncharged; its result's space becomes free, its input stays.

    Raises:
        FenceLost: As ``extend_lease``; nothing was changed.
    """
    with database.writing() as connection:
        if not fail_task(connection, _fence(lease), error, now):
            raise FenceLost("Another attempt owns this task.")


def release_lease(database: Database, lease: Lease) -> None:
    """Release a lease: the task waits again, and the attempt does not count as stalled.

    Does nothing if the fence is lost.
    """
    database.run(update(tasks).where(_fence(lease)).values(UNCLAIMED))


def release_all_leases(database: Database) -> int:
    """Release every lease at a server's start, when the folder's lock proves that no other runs.

    Workers of the former server may still run for a moment: their fence is void. Nothing counts
    as stalled, because the server ended. Return how many.
    """
    return database.run(
        update(tasks)
        .where(tasks.c.state == TaskState.PROCESSING.value, tasks.c.owner.is_not(None))
        .values(UNCLAIMED)
    )


def lose_leases(database: Database, owner: str, now: datetime) -> None:
    """Take back the leases of a worker whose process is known to be dead; may fail a task."""
    if database.first(select(tasks.c.task_id).where(tasks.c.owner == owner)) is None:
        return
    with database.writing() as connection:
        _lose(connection, tasks.c.owner == owner, now)


def measure_mark(progress: Progress) -> int:
    """Return the progress of a task as one number that grows by twentieths of a phase."""
    done, total = progress.rows_done, progress.rows_total or 0
    if not total:
        done, total = progress.bytes_done, progress.bytes_total
    share = min(MARKS_PER_PHASE - 1, done * MARKS_PER_PHASE // total) if total else 0
    return _PHASES.index(progress.phase) * MARKS_PER_PHASE + share


def _find_waiting(now: datetime) -> tuple[ColumnElement[bool], ...]:
    is_free = or_(tasks.c.owner.is_(None), tasks.c.lease_until <= now)
    return tasks.c.state == TaskState.PROCESSING.value, *is_present(now), is_free


def _lose(connection: Connection, where: ColumnElement[bool], now: datetime) -> None:
    stalled = tasks.c.stalled_attempts + case((tasks.c.mark <= tasks.c.best_mark, 1), else_=0)
    lost = connection.execute(
        update(tasks)
        .where(where, tasks.c.state == TaskState.PROCESSING.value)
        .values(
            **UNCLAIMED,
            stalled_attempts=stalled,
            best_mark=case(
                (tasks.c.mark > tasks.c.best_mark, tasks.c.mark), else_=tasks.c.best_mark
            ),
        )
        .returning(tasks.c.task_id, tasks.c.stalled_attempts)
    ).all()
    for task_id, count in lost:
        if count >= STALLED_ATTEMPTS_ALLOWED:
            fail_task(connection, tasks.c.task_id == task_id, WORKER_LOST, now)


def _fence(lease: Lease) -> ColumnElement[bool]:
    return and_(
        tasks.c.task_id == lease.task.task_id,
        tasks.c.attempt == lease.attempt,
        tasks.c.state == TaskState.PROCESSING.value,
        tasks.c.owner.is_not(None),
        tasks.c.deleted_at.is_(None),
        tasks.c.undo_until.is_(None),
    )


def _write(connection: Connection, lease: Lease, **values: Any) -> None:
    written = connection.execute(update(tasks).where(_fence(lease)).values(**values))
    if written.rowcount != 1:
        raise FenceLost("Another attempt owns this task.")
