"""Deletions by hand while they can be undone: projects hidden, restored, or deleted for good.

``undo_until`` is the time at which a deletion becomes final. Each function is one transaction, so
that a deletion is either undone or made final.
"""

from collections.abc import Callable, Collection
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, or_, select, update

from winnow.core.tasks.task import UNDO_LIFE, Task, TaskState
from winnow.storage.database.database import Database
from winnow.storage.database.tables import tasks
from winnow.storage.repositories.tasks import (
    UNCLAIMED,
    StoredTask,
    delete_row,
    is_present,
    task_from_row,
    to_stored,
)


def set_aside(
    database: Database, account: str, task_ids: Collection[str], now: datetime, until: datetime
) -> frozenset[str]:
    """Hide an account's projects, and void the fence of those that are worked on.

    Their rows, files and space stay. One that is processing waits, from its beginning. Returns
    which were hidden: deleted, expired or hidden ones are left out.
    """
    with database.writing() as connection:
        present = (
            tasks.c.account == account,
            tasks.c.task_id.in_(task_ids),
            *is_present(now),
        )
        connection.execute(
            update(tasks)
            .where(*present, tasks.c.state == TaskState.PROCESSING.value)
            .values(UNCLAIMED | {"rows_done": 0, "rows_total": None, "bytes_done": 0})
        )
        hidden = connection.execute(
            update(tasks).where(*present).values(undo_until=until).returning(tasks.c.task_id)
        )
        return frozenset(hidden.scalars())


def list_set_aside(database: Database, account: str, now: datetime) -> tuple[Task, ...]:
    """Return the deletions that can still be undone, the latest first."""
    latest_first = tasks.c.undo_until.desc(), tasks.c.created_at.desc(), tasks.c.task_id
    # Without the account, whose index SQLite would take, and read all of its projects.
    found = database.fetch(select(tasks).where(*_can_return(now)).order_by(*latest_first))
    return tuple(task_from_row(row) for row in found if row.account == account)


def restore(
    database: Database, account: str, task_ids: Collection[str], now: datetime
) -> frozenset[str]:
    """Restore hidden projects; return which ones, because the time may be over."""
    wanted = (tasks.c.account == account, tasks.c.task_id.in_(task_ids), *_can_return(now))
    with database.writing() as connection:
        back = connection.execute(
            update(tasks).where(*wanted).values(undo_until=None).returning(tasks.c.task_id)
        )
        return frozenset(back.scalars())


def is_any_deleted(database: Database, task_ids: Collection[str]) -> bool:
    """Return whether one of these was deleted by hand or for good."""
    is_gone = or_(tasks.c.deleted_at.is_not(None), tasks.c.undo_until.is_not(None))
    gone = select(tasks.c.task_id).where(tasks.c.task_id.in_(task_ids), is_gone)
    return database.first(gone) is not None


def is_any_due(database: Database, now: datetime) -> bool:
    """Return whether there is a deletion to make final."""
    due = select(tasks.c.task_id).where(_is_due(now)).limit(1)
    return database.first(due) is not None


def delete_due(database: Database, clock: Callable[[], datetime]) -> tuple[StoredTask, ...]:
    """Make every due deletion final, each dated to the time at which its undo ended.

    The clock is read inside the transaction: a deletion committed since an earlier reading would
    look like one from before the clock was set back, and would be final at once.
    """
    with database.writing() as connection:
        now = clock()
        return _finish(connection, _is_due(now), now)


def finish(
    database: Database, account: str, task_ids: Collection[str], now: datetime
) -> tuple[StoredTask, ...]:
    """Make the deletion of an account's hidden projects final; others stay as they are."""
    hidden = (tasks.c.account == account) & tasks.c.task_id.in_(task_ids)
    with database.writing() as connection:
        return _finish(connection, hidden & tasks.c.undo_until.is_not(None), now)


def _finish(
    connection: Connection, where: ColumnElement[bool], now: datetime
) -> tuple[StoredTask, ...]:
    ended = connection.execute(select(tasks).where(where)).all()
    for row in ended:
        delete_row(connection, row.task_id, min(row.undo_until, now))
    return tuple(map(to_stored, ended))


def _can_return(now: datetime) -> tuple[ColumnElement[bool], ...]:
    return (
        tasks.c.undo_until > now,
        tasks.c.undo_until <= now + UNDO_LIFE,
        tasks.c.deleted_at.is_(None),
        tasks.c.expires_at > now,
    )


def _is_due(now: datetime) -> ColumnElement[bool]:
    """Later than the whole time from now: the clock was set back since."""
    is_due = or_(tasks.c.undo_until <= now, tasks.c.undo_until > now + UNDO_LIFE)
    return tasks.c.undo_until.is_not(None) & is_due  # the former has SQLite take its index
