"""Answers of DNS, stored in memory for the life of a process."""

import threading
from collections.abc import Iterable, Mapping
from datetime import datetime

from winnow.core.network_answers import ServerSighting, StoredAnswer


class PassingAnswers:
    """Stores answers in memory (``core.network_answers.NetworkAnswers``). Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._answers: dict[tuple[str, str], StoredAnswer] = {}
        self._served: dict[str, dict[str, bool]] = {}

    def read_answers(
        self, question: str, names: Iterable[str], now: datetime
    ) -> dict[str, StoredAnswer]:
        """Return the answers to a question that still hold, by name."""
        kept = ((name, self._answers.get((question, name))) for name in names)
        return {name: answer for name, answer in kept if answer and answer.expires_at > now}

    def keep_answers(self, question: str, answers: Iterable[StoredAnswer]) -> None:
        """Store answers; each replaces an older one."""
        self._answers.update(((question, answer.name), answer) for answer in answers)

    def note_sightings(self, sightings: Iterable[ServerSighting], now: datetime) -> None:
        """Store which known domains a server serves; the latest answer on a domain counts."""
        with self._guard:
            for server, domain, is_disposable in sightings:
                self._served.setdefault(server, {})[domain] = is_disposable

    def count_served(self, servers: Iterable[str]) -> Mapping[str, tuple[int, int]]:
        """Return (disposable, honest) counts by server; servers never seen are missing."""
        with self._guard:
            found = {server: self._served[server] for server in servers if server in self._served}
            return {
                server: (sum(kinds.values()), len(kinds) - sum(kinds.values()))
                for server, kinds in found.items()
            }

    def add_use(self, switch: str, count: int, now: datetime) -> None:
        """Do nothing: the caller sees each look-up's own count."""
