"""What was seen of the machine's clock, kept over restarts beside the switches."""

from sqlalchemy import func, select

from winnow.core.seen_clock import SeenClock, begin_at
from winnow.storage.database.database import Database
from winnow.storage.database.tables import accounts, switches, tasks
from winnow.storage.repositories.network_answers import read_switches

_FIRST, _LAST = "clock_first", "clock_last"


def read_seen_clock(database: Database) -> SeenClock:
    """Return what was seen; before the first reading the time of the newest project is known."""
    rows = read_switches(database)
    if _LAST in rows:
        return SeenClock(rows[_FIRST][1], rows[_LAST][1])
    newest = select(func.max(tasks.c.created_at)), select(func.max(accounts.c.created_at))
    with database.reading() as connection:
        known = [connection.execute(one).scalar() for one in newest]
    return begin_at(max(one for one in known if one is not None))


def write_seen_clock(database: Database, seen: SeenClock) -> None:
    """Store what was seen, in one transaction."""
    times = {_FIRST: seen.first_at, _LAST: seen.last_at}
    rows = [{"name": name, "is_on": True, "changed_at": at} for name, at in times.items()]
    database.upsert(switches, rows)
