"""Cache of DNS answers until they expire, and the known domains of each mail server."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlalchemy import case, delete, func, select

from winnow.core.network_answers import Crowd, ServerSighting, StoredAnswer
from winnow.storage.database.database import Database
from winnow.storage.database.tables import domain_answers, mail_servers, server_crowds
from winnow.storage.repositories.bulk import read_by_key, trim, upsert

ANSWERS_KEPT = 2_000_000  # some 200 MB
SERVED_KEPT = 500_000


def read_answers(
    database: Database, question: str, names: Iterable[str], now: datetime
) -> dict[str, StoredAnswer]:
    """Return the answers to a question that have not expired, by name."""
    table = domain_answers
    columns = [table.c[name] for name in StoredAnswer._fields]
    holding = select(*columns).where(table.c.question == question, table.c.expires_at > now)
    rows = read_by_key(database, holding, table.c.name, names)
    return {
        name: StoredAnswer(name, route, tuple(targets.split()), asked_at, expires_at)
        for name, route, targets, asked_at, expires_at in rows
    }


def keep_answers(database: Database, question: str, answers: Iterable[StoredAnswer]) -> None:
    """Store answers, each replaces an older one; one transaction."""
    rows = [
        {**answer._asdict(), "question": question, "targets": " ".join(answer.targets)}
        for answer in sorted(answers)  # neighbours in the table are written together
    ]
    upsert(database, domain_answers, rows)


def note_sightings(database: Database, sightings: Iterable[ServerSighting], now: datetime) -> None:
    """Store which known domains a server serves; the latest entry of a domain counts."""
    rows = [{**sighting._asdict(), "seen_at": now} for sighting in sightings]
    upsert(database, mail_servers, rows)


def count_served(database: Database, servers: Iterable[str]) -> Mapping[str, tuple[int, int]]:
    """Return (disposable, honest) counts by server; servers never seen are missing."""
    table = mail_servers
    disposable = func.sum(case((table.c.is_disposable, 1), else_=0))
    counts = select(table.c.server, disposable, func.count()).group_by(table.c.server)
    rows = read_by_key(database, counts, table.c.server, servers)
    return {server: (bad, total - bad) for server, bad, total in rows}


def add_to_crowds(database: Database, crowds: Iterable[Crowd], now: datetime) -> None:
    """Add to what was counted at servers; one transaction."""
    rows = [{**crowd._asdict(), "seen_at": now} for crowd in sorted(crowds)]
    upsert(database, server_crowds, rows, adds=("disposable_count", "other_count"))


def read_crowds(database: Database, servers: Iterable[str]) -> Mapping[str, tuple[int, int]]:
    """Return (disposable, other) counts by server; servers never counted are missing."""
    counts = select(*(server_crowds.c[name] for name in Crowd._fields))
    rows = read_by_key(database, counts, server_crowds.c.server, servers)
    return {server: (bad, other) for server, bad, other in rows}


def forget_old_answers(
    database: Database,
    now: datetime,
    *,
    answers_kept: int = ANSWERS_KEPT,
    served_kept: int = SERVED_KEPT,
) -> int:
    """Delete expired answers, and the oldest beyond the bounds; return how many."""
    table = domain_answers
    with database.write() as connection:
        gone = connection.execute(delete(table).where(table.c.expires_at <= now)).rowcount
        gone += trim(connection, table.c.asked_at, table, answers_kept)
        gone += trim(connection, mail_servers.c.seen_at, mail_servers, served_kept)
        gone += trim(connection, server_crowds.c.seen_at, server_crowds, served_kept)
    return gone
