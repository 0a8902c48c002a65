"""Resolver and registries that answer from tables."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from winnow.core.network_answers import ADDRESS, MAIL, NAME_SERVERS
from winnow.core.verdicts.facts import AgeAnswer, AgeState, DnsAnswer
from winnow.network.dns.mail_route import UNKNOWN

UNKNOWN_AGE = AgeAnswer(AgeState.UNKNOWN)


class StaticResolver:
    """Double of the resolver; counts its questions. Names that it was not given are unknown."""

    def __init__(
        self,
        mail: Mapping[str, DnsAnswer] | None = None,
        hosts: Mapping[str, DnsAnswer] | None = None,
    ) -> None:
        self._answers = {MAIL: dict(mail or {}), ADDRESS: dict(hosts or {}), NAME_SERVERS: {}}
        self.asked: list[str] = []

    def ask(
        self,
        question: str,
        names: Iterable[str],
        *,
        budget_seconds: float,
        tick: Callable[[int], None],
    ) -> Iterator[tuple[str, DnsAnswer]]:
        """Look the names up in the question's table."""
        for count, name in enumerate(names, start=1):
            self.asked.append(name)
            yield name, self._answers[question].get(name, UNKNOWN)
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
