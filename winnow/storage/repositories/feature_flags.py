"""Network switches of the installation, and how much was asked under each."""

from datetime import datetime

from sqlalchemy import select

from winnow.storage.database.database import Database
from winnow.storage.database.tables import network_use, switches
from winnow.storage.repositories.bulk import upsert
from winnow.storage.repositories.usage import day_of


def read_switch(database: Database, name: str) -> bool:
    """Return whether a switch is on; one never touched is off."""
    with database.read() as connection:
        state = connection.execute(select(switches.c.is_on).where(switches.c.name == name))
        return bool(state.scalar_one_or_none())


def turn_switch(database: Database, name: str, now: datetime, *, is_on: bool) -> None:
    """Turn a switch; durable when this returns."""
    upsert(database, switches, [{"name": name, "is_on": is_on, "changed_at": now}])


def read_turn(database: Database, name: str) -> tuple[bool, datetime] | None:
    """Return a switch's state and when it was last turned; None for one never turned."""
    statement = select(switches.c.is_on, switches.c.changed_at).where(switches.c.name == name)
    with database.read() as connection:
        row = connection.execute(statement).first()
    return None if row is None else (bool(row.is_on), row.changed_at)


def add_use(database: Database, switch: str, count: int, now: datetime) -> None:
    """Count what was asked."""
    row = {"switch": switch, "day": day_of(now), "count": count}
    upsert(database, network_use, [row], adds=("count",))


def read_use(database: Database, switch: str, now: datetime) -> int:
    """Return how much was asked on this UTC day."""
    table = network_use
    with database.read() as connection:
        count = connection.execute(
            select(table.c.count).where(table.c.switch == switch, table.c.day == day_of(now))
        )
        return int(count.scalar_one_or_none() or 0)
