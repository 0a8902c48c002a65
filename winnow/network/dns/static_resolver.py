"""Resolver that answers from a table, for tests, demos and work offline."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from winnow.core.verdicts.facts import HostAnswer, MailAnswer, NameServerAnswer
from winnow.network.dns.mail_route import UNKNOWN_HOST, UNKNOWN_MAIL, UNKNOWN_NAME_SERVERS


class StaticResolver:
    """Double of the resolver; counts its questions. Names that it was not given are unknown."""

    def __init__(
        self,
        mail: Mapping[str, MailAnswer] | None = None,
        hosts: Mapping[str, HostAnswer] | None = None,
        name_servers: Mapping[str, NameServerAnswer] | None = None,
    ) -> None:
        self._mail = dict(mail or {})
        self._hosts = dict(hosts or {})
        self._name_servers = dict(name_servers or {})
        self.asked: list[str] = []

    def ask_mail(
        self, domains: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, MailAnswer]]:
        """Look the domains up in the table."""
        for count, domain in enumerate(domains, start=1):
            self.asked.append(domain)
            yield domain, self._mail.get(domain, UNKNOWN_MAIL)
            tick(count)

    def ask_hosts(
        self, hosts: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, HostAnswer]]:
        """Look the hosts up in the table."""
        for count, host in enumerate(hosts, start=1):
            self.asked.append(host)
            yield host, self._hosts.get(host, UNKNOWN_HOST)
            tick(count)

    def ask_name_servers(
        self, domains: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, NameServerAnswer]]:
        """Look the domains up in the table."""
        for count, domain in enumerate(domains, start=1):
            self.asked.append(domain)
            yield domain, self._name_servers.get(domain, UNKNOWN_NAME_SERVERS)
            tick(count)
