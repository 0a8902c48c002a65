"""The queue that all accounts share: running and waiting tasks in the order of claims."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from winnow.core.tasks.task import TaskState
from winnow.storage.database.database import Database
from winnow.storage.database.tables import tasks


@dataclass(frozen=True, slots=True)
class Queued:
    """A processing task; ``is_running`` while a worker holds its lease."""

    task_id: str
    account: str
    project_name: str
    is_running: bool


def list_queue(database: Database, now: datetime) -> tuple[Queued, ...]:
    """Return the processing tasks of all accounts in the order in which workers claim them."""
    statement = (
        select(
            tasks.c.task_id,
            tasks.c.account,
            tasks.c.project_name,
            tasks.c.owner.is_not(None) & (tasks.c.lease_until > now),
        )
        .where(
            tasks.c.state == TaskState.PROCESSING.value,
            tasks.c.deleted_at.is_(None),
            tasks.c.undo_until.is_(None),
            tasks.c.expires_at > now,
        )
        .order_by(tasks.c.attempt, tasks.c.created_at, tasks.c.task_id)  # as leases.claim_task
    )
    with database.read() as connection:
        rows = connection.execute(statement).all()
    return tuple(
        Queued(task_id, account, name, is_running=bool(is_running))
        for task_id, account, name, is_running in rows
    )
