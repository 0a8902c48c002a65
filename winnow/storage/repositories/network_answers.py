"""Answers of DNS and registries until they expire, what was seen at servers, and the switches."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, case, delete, func, select

from winnow.core.network_answers import ServerSighting, StoredAge, StoredAnswer
from winnow.storage.database.database import Database
from winnow.storage.database.tables import (
    domain_ages,
    domain_answers,
    mail_servers,
    network_use,
    switches,
)
from winnow.storage.repositories.usage import day_of

ANSWERS_KEPT = 2_000_000  # some 200 MB
SERVED_KEPT = 500_000
AGES_KEPT = 1_000_000
KEYS_AT_ONCE = 500  # SQLite takes at least 999 parameters


class StoredNetworkAnswers:
    """Stores the answers of one data folder (``core.network_answers``).

    Thread-safe; each method is one transaction.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def read_answers(
        self, question: str, names: Iterable[str], now: datetime
    ) -> dict[str, StoredAnswer]:
        """Return the answers to a question that have not expired, by name."""
        table = domain_answers
        columns = [table.c[name] for name in StoredAnswer._fields]
        holding = select(*columns).where(table.c.question == question, table.c.expires_at > now)
        return {
            name: StoredAnswer(name, route, tuple(targets.split()), asked_at, expires_at)
            for name, route, targets, asked_at, expires_at in self._read(
                holding, table.c.name, names
            )
        }

    def keep_answers(self, question: str, answers: Iterable[StoredAnswer]) -> None:
        """Store answers, each replaces an older one."""
        rows = [
            {**answer._asdict(), "question": question, "targets": " ".join(answer.targets)}
            for answer in sorted(answers)  # neighbours in the table are written together
        ]
        self._database.upsert(domain_answers, rows)

    def note_sightings(self, sightings: Iterable[ServerSighting], now: datetime) -> None:
        """Store which known domains a server serves; the latest entry of a domain counts."""
        rows = [{**sighting._asdict(), "seen_at": now} for sighting in sightings]
        self._database.upsert(mail_servers, rows)

    def count_served(self, servers: Iterable[str]) -> Mapping[str, tuple[int, int]]:
        """Return (disposable, honest) counts by server; servers never seen are missing."""
        table = mail_servers
        disposable = func.sum(case((table.c.is_disposable, 1), else_=0))
        counts = select(table.c.server, disposable, func.count()).group_by(table.c.server)
        rows = self._read(counts, table.c.server, servers)
        return {server: (bad, total - bad) for server, bad, total in rows}

    def read_ages(self, domains: Iterable[str], now: datetime) -> dict[str, StoredAge]:
        """Return the ages that have not expired, by registrable domain."""
        columns = [domain_ages.c[name] for name in StoredAge._fields]
        holding = select(*columns).where(domain_ages.c.expires_at > now)
        rows = self._read(holding, domain_ages.c.domain, domains)
        return {row.domain: StoredAge(*row) for row in rows}

    def keep_ages(self, ages: Iterable[StoredAge]) -> None:
        """Store ages, each replaces an older one."""
        self._database.upsert(domain_ages, [age._asdict() for age in ages])

    def add_use(self, switch: str, count: int, now: datetime) -> None:
        """Count what was asked on this UTC day."""
        row = {"switch": switch, "day": day_of(now), "count": count}
        self._database.upsert(network_use, [row], adds=("count",))

    def _read(
        self, query: Select[Any], column: ColumnElement[str], keys: Iterable[str]
    ) -> Iterator[Any]:
        """Yield a query's rows whose column is one of the keys; one reading transaction."""
        wanted = iter(keys)
        with self._database.reading() as connection:
            while some := list(islice(wanted, KEYS_AT_ONCE)):
                yield from connection.execute(query.where(column.in_(some)))


def list_disposable_servers(database: Database, least: int) -> list[str]:
    """Return servers of so many disposable domains and no honest one, those of most first."""
    table = mail_servers
    disposable = func.sum(case((table.c.is_disposable, 1), else_=0))
    query = select(table.c.server).group_by(table.c.server)
    query = query.having(disposable >= least, disposable == func.count())
    with database.reading() as connection:
        return list(connection.scalars(query.order_by(disposable.desc(), table.c.server)))


def forget_old_answers(
    database: Database,
    now: datetime,
    *,
    answers_kept: int = ANSWERS_KEPT,
    served_kept: int = SERVED_KEPT,
    ages_kept: int = AGES_KEPT,
) -> int:
    """Delete expired answers and ages, and the oldest beyond the bounds; return how many."""
    bounds = (
        (domain_answers, domain_answers.c.asked_at, answers_kept),
        (mail_servers, mail_servers.c.seen_at, served_kept),
        (domain_ages, domain_ages.c.asked_at, ages_kept),
    )
    gone = 0
    with database.writing() as connection:
        for table in (domain_answers, domain_ages):
            gone += connection.execute(delete(table).where(table.c.expires_at <= now)).rowcount
        return gone + sum(_trim(connection, table, age, kept) for table, age, kept in bounds)


def read_switches(database: Database) -> dict[str, tuple[bool, datetime]]:
    """Return whether each switch is on and when it was last turned; none that never was."""
    rows = database.fetch(select(switches))
    return {row.name: (bool(row.is_on), row.changed_at) for row in rows}


def turn_switch(database: Database, name: str, now: datetime, *, is_on: bool) -> None:
    """Turn a switch; durable when this returns."""
    database.upsert(switches, [{"name": name, "is_on": is_on, "changed_at": now}])


def read_use(database: Database, switch: str, now: datetime) -> int:
    """Return how much was asked on this UTC day."""
    table = network_use
    with database.reading() as connection:
        count = connection.execute(
            select(table.c.count).where(table.c.switch == switch, table.c.day == day_of(now))
        )
        return int(count.scalar_one_or_none() or 0)


def _trim(connection: Connection, table: Table, age: ColumnElement[Any], kept: int) -> int:
    """Delete the oldest rows beyond ``kept``; return how many."""
    count = connection.execute(select(func.count()).select_from(table)).scalar_one()
    if count <= kept:
        return 0
    limit = select(age).order_by(age.desc()).offset(kept).limit(1)
    oldest = connection.execute(limit).scalar_one()
    return connection.execute(delete(table).where(age <= oldest)).rowcount
