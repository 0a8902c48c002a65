"""Answers of DNS, stored in memory for the life of a process."""

import threading
from collections.abc import Iterable, Mapping
from datetime import datetime

from winnow.core.network_answers import Crowd, ServerSighting, StoredAnswer


class PassingAnswers:
    """Stores answers in memory (``core.network_answers.NetworkAnswers``). Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._answers: dict[tuple[str, str], StoredAnswer] = {}
        self._served: dict[str, dict[str, bool]] = {}
        self._crowds: dict[str, tuple[int, int]] = {}

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

    def add_to_crowds(self, crowds: Iterable[Crowd], now: datetime) -> None:
        """Add to what was counted at servers."""
        with self._guard:
            for server, bad, other in crowds:
                before = self._crowds.get(server, (0, 0))
                self._crowds[server] = (before[0] + bad, before[1] + other)

    def read_crowds(self, servers: Iterable[str]) -> Mapping[str, tuple[int, int]]:
        """Return (disposable, other) counts by server; servers never counted are missing."""
        with self._guard:
            return {server: self._crowds[server] for server in servers if server in self._crowds}

    def add_use(self, switch: str, count: int, now: datetime) -> None:
        """Do nothing: the caller sees each look-up's own count."""
