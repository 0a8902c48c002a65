"""The answers of DNS and registries in the database (``core.network_answers.NetworkAnswers``)."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from winnow.core.network_answers import Crowd, ServerSighting, StoredAge, StoredAnswer
from winnow.storage.database.database import Database
from winnow.storage.repositories import domain_ages, domain_cache, feature_flags


class StoredNetworkAnswers:
    """Stores the answers for all tasks and checks of one data folder. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read_answers(
        self, question: str, names: Iterable[str], now: datetime
    ) -> dict[str, StoredAnswer]:
        """Return the answers to a question that have not expired, by name."""
        return domain_cache.read_answers(self._database, question, names, now)

    def keep_answers(self, question: str, answers: Iterable[StoredAnswer]) -> None:
        """Store answers, each replaces an older one; one transaction."""
        domain_cache.keep_answers(self._database, question, answers)

    def note_sightings(self, sightings: Iterable[ServerSighting], now: datetime) -> None:
        """Store which known domains a server serves; the latest entry of a domain counts."""
        domain_cache.note_sightings(self._database, sightings, now)

    def count_served(self, servers: Iterable[str]) -> Mapping[str, tuple[int, int]]:
        """Return (disposable, honest) counts by server; servers never seen are missing."""
        return domain_cache.count_served(self._database, servers)

    def add_to_crowds(self, crowds: Iterable[Crowd], now: datetime) -> None:
        """Add to what was counted at servers; one transaction."""
        domain_cache.add_to_crowds(self._database, crowds, now)

    def read_crowds(self, servers: Iterable[str]) -> Mapping[str, tuple[int, int]]:
        """Return (disposable, other) counts by server; servers never counted are missing."""
        return domain_cache.read_crowds(self._database, servers)

    def read_ages(self, domains: Iterable[str], now: datetime) -> dict[str, StoredAge]:
        """Return the ages that have not expired, by registrable domain."""
        return domain_ages.read_ages(self._database, domains, now)

    def keep_ages(self, ages: Iterable[StoredAge]) -> None:
        """Store ages, each replaces an older one; one transaction."""
        domain_ages.keep_ages(self._database, ages)

    def add_use(self, switch: str, count: int, now: datetime) -> None:
        """Count what was asked on this day."""
        feature_flags.add_use(self._database, switch, count, now)
