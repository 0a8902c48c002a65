"""Resolver that answers from a table, for tests, demos and work offline."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from winnow.core.verdicts.facts import MailAnswer, RecordAnswer
from winnow.network.dns.mail_route import UNKNOWN_MAIL, UNKNOWN_RECORDS

T = TypeVar("T")


class StaticResolver:
    """Double of the resolver; counts its questions. Names that it was not given are unknown."""

    def __init__(
        self,
        mail: Mapping[str, MailAnswer] | None = None,
        hosts: Mapping[str, RecordAnswer] | None = None,
        name_servers: Mapping[str, RecordAnswer] | None = None,
    ) -> None:
        self._mail = dict(mail or {})
        self._hosts = dict(hosts or {})
        self._name_servers = dict(name_servers or {})
        self.asked: list[str] = []

    def ask_mail(
        self, domains: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, MailAnswer]]:
        """Look the domains up in the table."""
        return self._look_up(self._mail, UNKNOWN_MAIL, domains, tick)

    def ask_hosts(
        self, hosts: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, RecordAnswer]]:
        """Look the hosts up in the table."""
        return self._look_up(self._hosts, UNKNOWN_RECORDS, hosts, tick)

    def ask_name_servers(
        self, domains: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, RecordAnswer]]:
        """Look the domains up in the table."""
        return self._look_up(self._name_servers, UNKNOWN_RECORDS, domains, tick)

    def _look_up(
        self, table: Mapping[str, T], unknown: T, names: Iterable[str], tick: Callable[[int], None]
    ) -> Iterator[tuple[str, T]]:
        for count, name in enumerate(names, start=1):
            self.asked.append(name)
            yield name, table.get(name, unknown)
            tick(count)
