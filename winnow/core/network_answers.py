"""Stored answers of DNS and registries while they hold: values, and the store's port."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple, Protocol

DNS, RDAP, HOOKS, REFRESH = "dns", "rdap", "hooks", "refresh"
MAIL = "mail"
ADDRESS = "address"
NAME_SERVERS = "ns"


class StoredAnswer(NamedTuple):
    """One answer of DNS: ``targets`` are hosts or addresses, the preferred first."""

    name: str
    route: str
    targets: tuple[str, ...]
    asked_at: datetime
    expires_at: datetime


class ServerSighting(NamedTuple):
    """A known domain seen at a server."""

    server: str
    domain: str
    is_disposable: bool


class StoredAge(NamedTuple):
    """One answer about a registrable domain; ``registered_at`` None: its registry does not say."""

    domain: str
    registered_at: datetime | None
    asked_at: datetime
    expires_at: datetime


class NetworkAnswers(Protocol):
    """Store of answers of DNS, and of what was seen at servers. Thread-safe."""

    def read_answers(
        self, question: str, names: Iterable[str], now: datetime
    ) -> dict[str, StoredAnswer]:
        """Return the answers to a question that still hold, by name."""

    def keep_answers(self, question: str, answers: Iterable[StoredAnswer]) -> None:
        """Store answers; each replaces an older one."""

    def note_sightings(self, sightings: Iterable[ServerSighting], now: datetime) -> None:
        """Store which known domains a server serves; the latest answer on a domain counts."""

    def count_served(self, servers: Iterable[str]) -> Mapping[str, tuple[int, int]]:
        """Return (disposable, honest) counts by server; servers never seen are missing."""

    def add_use(self, switch: str, count: int, now: datetime) -> None:
        """Count the questions to DNS."""


class AgeAnswers(Protocol):
    """Store of answers of registries. Thread-safe."""

    def read_ages(self, domains: Iterable[str], now: datetime) -> dict[str, StoredAge]:
        """Return the ages that still hold, by registrable domain."""

    def keep_ages(self, ages: Iterable[StoredAge]) -> None:
        """Store ages; each replaces an older one."""

    def add_use(self, switch: str, count: int, now: datetime) -> None:
        """Count the questions to registries."""
