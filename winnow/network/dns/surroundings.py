"""Name servers and web addresses of undecided domains on suspect servers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from winnow.core.network_answers import NAME_SERVERS, WEB
from winnow.core.verdicts.facts import DomainFacts
from winnow.network.dns.host_answers import HostAnswers
from winnow.network.dns.mail_servers import NEVER_SEEN, MailServers, Served
from winnow.network.dns.server_book import ServerCounts, tell_side

CANDIDATES_MOST = 2_000  # of one list, whose surroundings are asked for
WITNESSES_MOST = 200  # of either side; with fewer a server is no evidence


@dataclass(slots=True)
class Surroundings:
    """Servers of some domains: name servers by registrable domain, the rest by domain."""

    domains: Mapping[str, DomainFacts] = field(default_factory=dict)
    asked: frozenset[str] = frozenset()  # names that were asked about now
    name_servers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    addresses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def list_name_servers(self, domain: str) -> tuple[str, ...]:
        """Return a domain's name servers; none where there was no question or no answer."""
        facts = self.domains.get(domain)
        return () if facts is None else self.name_servers.get(facts.registrable or domain, ())

    def list_places(self, domain: str, servers: MailServers) -> tuple[str, ...]:
        """Return what may be evidence: none for a parked domain."""
        named = self.list_name_servers(domain)
        if servers.find_parking((), named) is not None:
            return ()
        return (
            *(f"ns {host}" for host in named if not servers.is_shared_name_server(host)),
            *(
                f"web {address}"
                for address in self.addresses.get(domain, ())
                if not servers.is_shared_address(address)
            ),
        )


def look_around(
    answers: HostAnswers,
    candidates: Mapping[str, DomainFacts],
    parked: Mapping[str, DomainFacts],
    witnesses: Mapping[str, DomainFacts],
    *,
    budget_seconds: float,
    tick: Callable[[float], None],
) -> Surroundings:
    """Ask for name servers and web addresses.

    Args:
        answers: Asks and caches.
        candidates: Undecided domains on suspect servers.
        parked: Domains that may be parked: asked for their name servers only.
        witnesses: Known domains, asked about where there are candidates.
        budget_seconds: For both questions.
        tick: Called with the share done, 0 to 1.
    """
    seen = {**candidates, **(witnesses if candidates else {})}
    domains = {**parked, **seen}
    zones = list(dict.fromkeys(facts.registrable or name for name, facts in domains.items()))
    half = budget_seconds / 2
    name_servers, asked = answers.gather(
        NAME_SERVERS, zones, budget_seconds=half, tick=lambda share: tick(share / 2)
    )
    is_silent = bool(asked) and not name_servers
    addresses, asked_too = answers.gather(
        WEB,
        [] if is_silent else list(seen),
        budget_seconds=half,
        tick=lambda share: tick(0.5 + share / 2),
    )
    return Surroundings(domains, frozenset(asked | asked_too), name_servers, addresses)


def count_places(
    around: Surroundings, servers: MailServers
) -> tuple[ServerCounts, tuple[str, ...]]:
    """Count the domains that were asked about now; return the servers of all."""
    counts = ServerCounts()
    every: dict[str, None] = {}
    for name in around.addresses:
        facts = around.domains[name]
        places = around.list_places(name, servers)
        every.update(dict.fromkeys(places))
        if name in around.asked:
            counts.add(facts.registrable or name, tell_side(facts), places)
    return counts, tuple(every)


def find_neighbours(
    mail_servers: Iterable[str], places: Sequence[str], served: Mapping[str, Served]
) -> str | None:
    """Return the server that a domain shares with disposable ones, which is only a doubt.

    Either its mail server is tainted but serves a crowd of unknown domains, or its name server or
    web address has disposable domains and few others.
    """
    for server in mail_servers:
        if served.get(server, NEVER_SEEN).is_tainted:
            return server
    for place in places:
        if served.get(place, NEVER_SEEN).is_disposable:
            return place.partition(" ")[2]
    return None
