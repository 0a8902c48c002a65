"""The server's clock: it never goes back, whatever is done to the machine's."""

import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta


class MonotonicClock:
    """The machine's time; where that goes back, on from the last time seen. Thread-safe.

    So nothing that has expired comes to life again, and nothing lives longer than it was given:
    while the machine's clock is behind, time goes on by its count of seconds. A clock that goes
    forward is believed, for so it is after sleep. A new start believes the machine.
    """

    def __init__(
        self,
        read_clock: Callable[[], datetime],
        count_seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin with the machine's time.

        Args:
            read_clock: The machine's time in UTC, which may jump.
            count_seconds: Seconds that only ever grow, from any point in time.
        """
        self._read_clock = read_clock
        self._count_seconds = count_seconds
        self._guard = threading.Lock()
        self._last = read_clock()
        self._counted = count_seconds()

    def __call__(self) -> datetime:
        """Return the time in UTC, never before any that was returned."""
        with self._guard:
            counted = self._count_seconds()
            passed = timedelta(seconds=max(0.0, counted - self._counted))
            self._last = max(self._read_clock(), self._last + passed)
            self._counted = counted
            return self._last
