"""Counts of domains seen at servers: known ones, and all others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from winnow.core.network_answers import Crowd, NetworkAnswers, ServerSighting
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import AddressFacts, DomainFacts
from winnow.core.verdicts.policy import decide
from winnow.network.dns.mail_servers import NEVER_SEEN, Served

SIGHTINGS_A_SERVER = 20  # of either side and look-up; ten decide
CROWD_FROM = 5  # domains in one look-up: fewer say nothing about a server without disposable ones
HONEST_TYPES = frozenset(
    {DomainType.FREE, DomainType.EDUCATION, DomainType.GOVERNMENT, DomainType.BUSINESS}
)


class Side(StrEnum):
    """Side of a domain by offline facts."""

    DISPOSABLE = "disposable"
    HONEST = "honest"
    UNDECIDED = "undecided"  # no list names it, no sign is against it
    NEITHER = "neither"


def tell_side(facts: DomainFacts) -> Side:
    """Return a domain's side: only a listed domain is evidence for its server."""
    domain_type = decide(AddressFacts(domain=facts)).domain_type
    is_kind = any((facts.free, facts.education, facts.government, facts.business))
    if domain_type is DomainType.UNLISTED:
        return Side.UNDECIDED
    if domain_type is DomainType.DISPOSABLE and facts.listings:
        return Side.DISPOSABLE
    return Side.HONEST if is_kind and domain_type in HONEST_TYPES else Side.NEITHER


@dataclass(slots=True)
class ServerCounts:
    """Counts what one look-up saw at servers."""

    known: dict[tuple[str, bool], set[str]] = field(default_factory=dict)
    crowds: dict[str, list[int]] = field(default_factory=dict)

    def add(self, domain: str, side: Side, servers: Iterable[str]) -> None:
        """Count a domain, known ones by registrable name, at its servers."""
        is_disposable = side is Side.DISPOSABLE
        for server in servers:
            self.crowds.setdefault(server, [0, 0])[not is_disposable] += 1
            if side is Side.DISPOSABLE or side is Side.HONEST:
                noted = self.known.setdefault((server, is_disposable), set())
                if len(noted) < SIGHTINGS_A_SERVER:
                    noted.add(domain)


def store_counts(
    kept: NetworkAnswers, seen: ServerCounts, servers: Sequence[str], now: datetime
) -> dict[str, Served]:
    """Store the counts; return all counts of some servers, including this look-up."""
    kept.note_sightings(
        (
            ServerSighting(server, domain, is_disposable)
            for (server, is_disposable), domains in seen.known.items()
            for domain in domains
        ),
        now,
    )
    before = kept.read_crowds(servers)
    served: dict[str, Served] = {}
    for server, counts in kept.count_served(servers).items():
        crowd = before.get(server, (0, 0))
        mine = seen.crowds.get(server, (0, 0))
        served[server] = Served(*counts, crowd[0] + mine[0], crowd[1] + mine[1])
    kept.add_to_crowds(
        (
            Crowd(server, bad, other)
            for server, (bad, other) in seen.crowds.items()
            if other >= CROWD_FROM or served.get(server, NEVER_SEEN).disposable_count
        ),
        now,
    )
    return served
