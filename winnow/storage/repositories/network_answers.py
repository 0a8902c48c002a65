"""Answers of DNS and registries until they expire, what was seen at servers, and the switches."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, case, delete, func, select

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

KEPT = {domain_answers: 2_000_000, mail_servers: 500_000, domain_ages: 1_000_000}
"""The most rows of each table; of answers some 200 MB."""
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


def forget_old_answers(database: Database, now: datetime, kept: Mapping[Table, int] = KEPT) -> int:
    """Delete expired answers and ages, and the oldest beyond the bounds; return how many."""
    ages = (domain_answers.c.asked_at, mail_servers.c.seen_at, domain_ages.c.asked_at)
    gone = 0
    with database.writing() as connection:
        for table in (domain_answers, domain_ages):
            gone += connection.execute(delete(table).where(table.c.expires_at <= now)).rowcount
        for age in ages:
            count = select(func.count()).select_from(age.table)
            if connection.execute(count).scalar_one() <= kept[age.table]:
                continue
            oldest = select(age).order_by(age.desc()).offset(kept[age.table]).limit(1)
            beyond = delete(age.table).where(age <= oldest.scalar_subquery())
            gone += connection.execute(beyond).rowcount
    return gone


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
    of_day = table.c.switch == switch, table.c.day == day_of(now)
    row = database.first(select(table.c["count"]).where(*of_day))
    return 0 if row is None else int(row[0])
