"""Double of the domain knowledge that answers from a table, for tests and demos."""

from collections.abc import Mapping, Sequence

from winnow.core.verdicts.facts import DomainFacts, ListReach, LocalWords


class StaticKnowledge:
    """Domain knowledge from a table; a domain that is not in it is unlisted."""

    def __init__(
        self,
        table: Mapping[str, DomainFacts] | None = None,
        *,
        local_words: LocalWords | None = None,
        data_version: str = "static",
        reach: ListReach | None = None,
        probabilities: Mapping[str, float] | None = None,
    ) -> None:
        self._table = dict(table or {})
        self.local_words = local_words or {}
        self.data_version = data_version
        self.reach = reach or ListReach()
        self.probabilities = dict(probabilities or {})

    def look_up(self, domain: str) -> DomainFacts:
        """Return the table's facts, or none for a domain that is not in it."""
        return self._table.get(domain) or DomainFacts(domain)

    def number_alike(self, domains: Sequence[str]) -> bytes:
        """Return 1 for each domain that is not in the table."""
        return bytes(domain not in self._table for domain in domains)
