"""What DNS said, for as long as it holds, and which known domains each mail server serves."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from sqlalchemy import case, delete, func, select
from sqlalchemy.dialects.sqlite import insert

from winnow.storage.database.database import Database
from winnow.storage.database.tables import domain_answers, mail_servers, server_crowds

MAIL = "mail"
ADDRESS = "address"
NAME_SERVERS = "ns"
WEB = "web"
NAMES_AT_ONCE = 500  # SQLite takes at least 999 parameters
ANSWERS_KEPT = 2_000_000  # some 200 MB
SERVED_KEPT = 500_000


class StoredAnswer(NamedTuple):
    """One answer: ``targets`` are hosts or addresses, the preferred first."""

    name: str
    route: str
    targets: tuple[str, ...]
    asked_at: datetime
    expires_at: datetime


class Crowd(NamedTuple):
    """How many domains were seen at a server: known disposable ones, and others."""

    server: str
    disposable_count: int
    other_count: int


class ServerSighting(NamedTuple):
    """A known domain seen at a server."""

    server: str
    domain: str
    is_disposable: bool


def read_answers(
    database: Database, question: str, names: Iterable[str], now: datetime
) -> dict[str, StoredAnswer]:
    """Return the answers to a question that still hold, by name."""
    table = domain_answers
    wanted = iter(names)
    found: dict[str, StoredAnswer] = {}
    with database.read() as connection:
        while some := list(islice(wanted, NAMES_AT_ONCE)):
            rows = connection.execute(
                select(
                    table.c.name, table.c.route, table.c.targets, table.c.asked_at,
                    table.c.expires_at,
                ).where(
                    table.c.question == question, table.c.name.in_(some), table.c.expires_at > now
                )
            )  # fmt: skip
            for name, route, targets, asked_at, expires_at in rows:
                answer = StoredAnswer(name, route, tuple(targets.split()), asked_at, expires_at)
                found[name] = answer
    return found


def keep_answers(database: Database, question: str, answers: Iterable[StoredAnswer]) -> None:
    """Keep answers, each in the place of an older one; one transaction."""
    rows = [
        {**answer._asdict(), "question": question, "targets": " ".join(answer.targets)}
        for answer in sorted(answers)  # neighbours in the table are written together
    ]
    if not rows:
        return
    statement = insert(domain_answers)
    new = statement.excluded
    with database.write() as connection:
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["name", "question"],
                set_={
                    "route": new.route,
                    "targets": new.targets,
                    "asked_at": new.asked_at,
                    "expires_at": new.expires_at,
                },
            ),
            rows,
        )


def note_sightings(database: Database, sightings: Iterable[ServerSighting], now: datetime) -> None:
    """Remember which known domains a server serves; the latest word on a domain counts."""
    rows = [{**sighting._asdict(), "seen_at": now} for sighting in sightings]
    if not rows:
        return
    statement = insert(mail_servers)
    new = statement.excluded
    with database.write() as connection:
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["server", "domain"],
                set_={"is_disposable": new.is_disposable, "seen_at": new.seen_at},
            ),
            rows,
        )


def count_served(database: Database, servers: Iterable[str]) -> Mapping[str, tuple[int, int]]:
    """Return (disposable, honest) counts by server; servers never seen are missing."""
    table = mail_servers
    disposable = func.sum(case((table.c.is_disposable, 1), else_=0))
    wanted = iter(servers)
    counts: dict[str, tuple[int, int]] = {}
    with database.read() as connection:
        while some := list(islice(wanted, NAMES_AT_ONCE)):
            rows = connection.execute(
                select(table.c.server, disposable, func.count())
                .where(table.c.server.in_(some))
                .group_by(table.c.server)
            )
            counts.update({server: (bad, total - bad) for server, bad, total in rows})
    return counts


def add_to_crowds(database: Database, crowds: Iterable[Crowd], now: datetime) -> None:
    """Add to what was counted at servers; one transaction."""
    rows = [{**crowd._asdict(), "seen_at": now} for crowd in sorted(crowds)]
    if not rows:
        return
    statement = insert(server_crowds)
    old, new = server_crowds.c, statement.excluded
    with database.write() as connection:
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["server"],
                set_={
                    "disposable_count": old.disposable_count + new.disposable_count,
                    "other_count": old.other_count + new.other_count,
                    "seen_at": new.seen_at,
                },
            ),
            rows,
        )


def read_crowds(database: Database, servers: Iterable[str]) -> Mapping[str, tuple[int, int]]:
    """Return (disposable, other) counts by server; servers never counted are missing."""
    table = server_crowds
    wanted = iter(servers)
    crowds: dict[str, tuple[int, int]] = {}
    with database.read() as connection:
        while some := list(islice(wanted, NAMES_AT_ONCE)):
            rows = connection.execute(
                select(table.c.server, table.c.disposable_count, table.c.other_count).where(
                    table.c.server.in_(some)
                )
            )
            crowds.update({server: (bad, other) for server, bad, other in rows})
    return crowds


def forget_old_answers(
    database: Database,
    now: datetime,
    *,
    answers_kept: int = ANSWERS_KEPT,
    served_kept: int = SERVED_KEPT,
) -> int:
    """Drop answers that no longer hold, and the oldest beyond the bounds; return how many."""
    table = domain_answers
    with database.write() as connection:
        gone = connection.execute(delete(table).where(table.c.expires_at <= now)).rowcount
        for kept, bounded, age in (
            (answers_kept, domain_answers, domain_answers.c.asked_at),
            (served_kept, mail_servers, mail_servers.c.seen_at),
            (served_kept, server_crowds, server_crowds.c.seen_at),
        ):
            count = connection.execute(select(func.count()).select_from(bounded)).scalar_one()
            if count > kept:
                limit = connection.execute(
                    select(age).order_by(age.desc()).offset(kept).limit(1)
                ).scalar_one()
                gone += connection.execute(delete(bounded).where(age <= limit)).rowcount
    return int(gone)
