"""Monotonic UTC clock: it never goes back when the machine's clock is set back."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(eq=False, repr=False)
class MonotonicClock:
    """The machine's time, or time counted from the last reading if that is later. Thread-safe.

    Nothing that has expired becomes valid again, and nothing lives longer than it was given:
    while the machine's clock is behind, time advances by the count of seconds. A jump forward is
    accepted, because it happens after sleep. A new process starts with the machine's time.

    Args:
        read_clock: Returns the machine's time in UTC, which may jump.
        count_seconds: Returns seconds that only grow, from any starting point.
    """

    read_clock: Callable[[], datetime]
    count_seconds: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._guard = threading.Lock()
        self._last = self.read_clock()
        self._counted = self.count_seconds()

    def __call__(self) -> datetime:
        """Return the time in UTC, never earlier than one returned before."""
        with self._guard:
            counted = self.count_seconds()
            passed = timedelta(seconds=max(0.0, counted - self._counted))
            self._last = max(self.read_clock(), self._last + passed)
            self._counted = counted
            return self._last
