"""Registries that answer from a table, for tests, demos and work offline."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from winnow.core.verdicts.facts import AgeAnswer, AgeState

UNKNOWN = AgeAnswer(AgeState.UNKNOWN)


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
            yield domain, self._ages.get(domain, UNKNOWN)
            tick(count)

    def name_registry(self, domain: str) -> str | None:
        """Name a host after the top-level domain."""
        return f"rdap.{domain.rpartition('.')[2]}.example"
