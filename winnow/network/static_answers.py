"""Resolver and registries that answer from tables, for tests, demos and work offline."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from winnow.core.network_answers import ADDRESS, NAME_SERVERS
from winnow.core.verdicts.facts import AgeAnswer, AgeState, MailAnswer, RecordAnswer
from winnow.network.dns.mail_route import UNKNOWN_MAIL, UNKNOWN_RECORDS

T = TypeVar("T")

UNKNOWN_AGE = AgeAnswer(AgeState.UNKNOWN)


class StaticResolver:
    """Double of the resolver; counts its questions. Names that it was not given are unknown."""

    def __init__(
        self,
        mail: Mapping[str, MailAnswer] | None = None,
        hosts: Mapping[str, RecordAnswer] | None = None,
        name_servers: Mapping[str, RecordAnswer] | None = None,
    ) -> None:
        self._mail = dict(mail or {})
        self._records = {ADDRESS: dict(hosts or {}), NAME_SERVERS: dict(name_servers or {})}
        self.asked: list[str] = []

    def ask_mail(
        self, domains: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, MailAnswer]]:
        """Look the domains up in the table."""
        return self._look_up(self._mail, UNKNOWN_MAIL, domains, tick)

    def ask_records(
        self,
        question: str,
        names: Iterable[str],
        *,
        budget_seconds: float,
        tick: Callable[[int], None],
    ) -> Iterator[tuple[str, RecordAnswer]]:
        """Look the names up in the question's table."""
        return self._look_up(self._records[question], UNKNOWN_RECORDS, names, tick)

    def _look_up(
        self, table: Mapping[str, T], unknown: T, names: Iterable[str], tick: Callable[[int], None]
    ) -> Iterator[tuple[str, T]]:
        for count, name in enumerate(names, start=1):
            self.asked.append(name)
            yield name, table.get(name, unknown)
            tick(count)


class StaticRegistries:
    """Double of the registries; records its questions. Names that it was not given are unknown."""

    def __init__(self, ages: Mapping[str, AgeAnswer] | None = None) -> None:
        self._ages = dict(ages or {})
        self.asked: list[str] = []

    def ask_ages(
        self, domains: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, AgeAnswer]]:
        """Look the domains up in the table."""
        for count, domain in enumerate(domains, start=1):
            self.asked.append(domain)
            yield domain, self._ages.get(domain, UNKNOWN_AGE)
            tick(count)

    def name_registry(self, domain: str) -> str | None:
        """Name a host after the top-level domain."""
        return f"rdap.{domain.rpartition('.')[2]}.example"
