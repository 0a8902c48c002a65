"""A double of the domain knowledge that answers from a table: tests, demos, no data at hand."""

from collections.abc import Mapping, Sequence

from winnow.core.verdicts.facts import DomainFacts, ListReach


class StaticKnowledge:
    """Domain knowledge from a table; a domain that is not in it is unlisted."""

    def __init__(
        self,
        table: Mapping[str, DomainFacts] | None = None,
        *,
        role_names: frozenset[str] = frozenset(),
        data_version: str = "static",
        reach: ListReach | None = None,
        probabilities: Mapping[str, float] | None = None,
    ) -> None:
        self._table = dict(table or {})
        self.role_names = role_names
        self.data_version = data_version
        self.reach = reach or ListReach()
        self.probabilities = dict(probabilities or {})

    def look_up(self, domain: str) -> DomainFacts:
        """Return the table's facts, or none for a domain that is not in it."""
        return self._table.get(domain) or DomainFacts(domain)

    def number_alike(self, domains: Sequence[str]) -> bytes:
        """Return 1 for each domain that is not in the table."""
        return bytes(domain not in self._table for domain in domains)
