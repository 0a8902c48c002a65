"""Rate limit and pauses of one registry's server."""

import asyncio
from dataclasses import dataclass, field

PAUSE_SECONDS = 1.0  # between two questions to one server; registries publish no better number
FAILURES_BORNE = 3  # in a row
REST_SECONDS = 600.0  # after them


@dataclass(slots=True)
class RegistryServer:
    """State of one server. Used by one event loop; times are seconds of one monotonic clock."""

    pause_seconds: float = PAUSE_SECONDS
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)  # one question in flight
    waiting_count: int = 0  # questions in flight or before it in the queue
    _next_at: float = 0.0
    _failure_count: int = 0

    def count_wait(self, now: float) -> float:
        """Return the seconds until it may be asked."""
        return max(0.0, self._next_at - now)

    def has_time(self, now: float, ends_at: float) -> bool:
        """Return whether another question would have its turn before a time."""
        line_seconds = self.waiting_count * self.pause_seconds
        return now + self.count_wait(now) + line_seconds < ends_at

    def note_sent(self, now: float) -> None:
        """Count a question."""
        self._next_at = max(self._next_at, now + self.pause_seconds)

    def note_answered(self) -> None:
        """Forget former failures."""
        self._failure_count = 0

    def note_failed(self, now: float) -> None:
        """Count a failure; after some in a row there is a longer pause."""
        self._failure_count += 1
        if self._failure_count >= FAILURES_BORNE:
            self._failure_count = 0
            self._next_at = max(self._next_at, now + REST_SECONDS)

    def note_refused(self, now: float, wait_seconds: float) -> None:
        """Pause for as long as the server asks."""
        self._next_at = max(self._next_at, now + max(wait_seconds, self.pause_seconds))
