"""Hooks of API keys, and their deliveries with leases and the attempt as a fence."""

from dataclasses import asdict
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, or_, select, update

from winnow.core.hooks import TRIES, Delivery, DeliveryState, Hook
from winnow.storage.database.database import Database, value_from_row
from winnow.storage.database.tables import api_keys, hook_deliveries, hooks, tasks

LEASE_SECONDS = 60  # several times the limit of one try

_table = hook_deliveries


def put_hook(database: Database, hook: Hook) -> None:
    """Store the hook of a key in place of a former one."""
    database.upsert(hooks, [asdict(hook)])


def remove_hook(database: Database, prefix: str) -> None:
    """Remove the hook of a key; what waits for it fails when it is due."""
    database.run(delete(hooks).where(hooks.c.prefix == prefix))


def find_hook(database: Database, prefix: str) -> Hook | None:
    """Return the hook of a key that is not revoked."""
    query = select(hooks).join(api_keys, api_keys.c.prefix == hooks.c.prefix)
    row = database.first(query.where(hooks.c.prefix == prefix, api_keys.c.revoked_at.is_(None)))
    return None if row is None else value_from_row(row, Hook)


def queue_delivery(connection: Connection, task_id: str, now: datetime) -> None:
    """Queue the event of a finished task if its key has a hook, as a step of a transaction."""
    key = select(hooks.c.prefix).join(tasks, tasks.c.key_prefix == hooks.c.prefix)
    prefix = connection.execute(key.where(tasks.c.task_id == task_id)).scalar()
    if prefix is not None:
        new = Delivery(task_id, prefix, DeliveryState.WAITING, now, now, 0, TRIES)
        connection.execute(insert(_table).values(asdict(new)))


def claim_delivery(database: Database, now: datetime) -> Delivery | None:
    """Claim the delivery that is due the longest, of keys that are not being called first.

    Those of deleted projects wait while the deletion can be undone. One statement. A try that is
    lost (the server ended) counts: after the last one a delivery is claimed with fewer than no
    tries left.
    """
    if database.first(select(_table.c.task_id).where(_is_due(now)).limit(1)) is None:
        return None
    called = _table.alias()
    is_called = _table.c.prefix.in_(select(called.c.prefix).where(called.c.lease_until > now))
    first = (
        select(_table.c.task_id)
        .where(_is_due(now))
        .order_by(is_called, _table.c.due_at, _table.c.task_id)
        .limit(1)
        .scalar_subquery()
    )
    claimed = update(_table).where(_table.c.task_id == first)
    claimed = claimed.values(
        attempt=_table.c.attempt + 1,
        tries_left=_table.c.tries_left - 1,
        lease_until=now + timedelta(seconds=LEASE_SECONDS),
        tried_at=now,
    )
    with database.writing() as connection:
        row = connection.execute(claimed.returning(*_table.c)).first()
    return None if row is None else value_from_row(row, Delivery)


def settle_delivery(
    database: Database, claimed: Delivery, state: DeliveryState, outcome: str, due_at: datetime
) -> None:
    """Record the outcome of a try and end its lease.

    Nothing if another attempt owns it, or if it was queued again meanwhile.
    """
    database.run(
        update(_table)
        .where(
            _table.c.task_id == claimed.task_id,
            _table.c.attempt == claimed.attempt,
            _table.c.tries_left == claimed.tries_left,
        )
        .values(state=state.value, outcome=outcome, due_at=due_at, lease_until=None)
    )


def replay_delivery(database: Database, prefix: str, task_id: str, now: datetime) -> bool:
    """Queue a delivery again with all its tries; False: the key has no such delivery."""
    again = update(_table).where(_table.c.task_id == task_id, _table.c.prefix == prefix)
    state = DeliveryState.WAITING.value
    count = database.run(again.values(state=state, tries_left=TRIES, due_at=now, lease_until=None))
    return count > 0


def list_deliveries(database: Database, prefix: str, limit: int) -> tuple[Delivery, ...]:
    """Return the newest deliveries of a key, the newest first."""
    query = select(_table).where(_table.c.prefix == prefix)
    query = query.order_by(_table.c.created_at.desc(), _table.c.task_id).limit(limit)
    return tuple(value_from_row(row, Delivery) for row in database.fetch(query))


def _is_due(now: datetime) -> ColumnElement[bool]:
    may_come_back = select(tasks.c.task_id).where(
        tasks.c.task_id == _table.c.task_id, tasks.c.undo_until.is_not(None)
    )
    return and_(
        _table.c.state == DeliveryState.WAITING.value,
        _table.c.due_at <= now,
        or_(_table.c.lease_until.is_(None), _table.c.lease_until <= now),
        ~may_come_back.exists(),
    )
