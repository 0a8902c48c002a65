"""Figures of the whole data folder, for monitoring: counts and sizes, no names."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select

from winnow.core.tasks.task import Phase, TaskState
from winnow.storage.database.database import Database
from winnow.storage.database.tables import accounts, tasks


@dataclass(frozen=True, slots=True)
class Figures:
    """State of the data folder. ``queue_age`` is how long the oldest waiting list has waited."""

    lists_by_state: dict[str, int]
    rows_by_state: dict[str, int]
    queue_length: int
    queue_age: timedelta
    used_bytes: int
    reserved_bytes: int


def measure_figures(database: Database, now: datetime) -> Figures:
    """Return the figures of one moment; deleted lists do not count."""
    live = tasks.c.deleted_at.is_(None)
    by_state = select(
        tasks.c.state, func.count(), func.coalesce(func.sum(tasks.c.rows_done), 0)
    ).where(live)
    waiting = select(func.count(), func.min(tasks.c.created_at)).where(
        live, tasks.c.state == TaskState.PROCESSING.value, tasks.c.phase == Phase.QUEUED.value
    )
    sizes = select(
        func.coalesce(func.sum(accounts.c.used_bytes), 0),
        func.coalesce(func.sum(accounts.c.reserved_bytes), 0),
    )
    with database.reading() as connection:
        states = connection.execute(by_state.group_by(tasks.c.state)).all()
        length, oldest = connection.execute(waiting).one()
        used, reserved = connection.execute(sizes).one()
    return Figures(
        {**dict.fromkeys(TaskState, 0), **{state: count for state, count, _ in states}},
        {**dict.fromkeys(TaskState, 0), **{state: rows for state, _, rows in states}},
        length,
        timedelta(0) if oldest is None else now - oldest,
        used,
        reserved,
    )
