"""Rate limiter of DNS questions: limits those in flight and those per second."""

WINDOW = 200  # beyond about a thousand in flight every client loses answers
FRESH_SECONDS = 0.3  # an older question waits for a dead domain and does not block the window
MOST_IN_FLIGHT = 2_000
BURST_SECONDS = 0.02


class QueryRateLimiter:
    """Limits questions in flight and per second. Times are seconds of one monotonic clock."""

    def __init__(self, per_second: int, started_at: float, *, window: int = WINDOW) -> None:
        self._per_second = per_second
        self._window = window
        self._burst = max(1.0, per_second * BURST_SECONDS)
        self._allowance = self._burst
        self._credited_at = started_at
        self._fresh: dict[int, float] = {}  # by number, the oldest first

    def count_free(self, now: float, in_flight: int) -> int:
        """Return how many questions may be sent now; 0 or less: none."""
        while self._fresh:
            number = next(iter(self._fresh))
            if now - self._fresh[number] <= FRESH_SECONDS:
                break
            del self._fresh[number]
        earned = (now - self._credited_at) * self._per_second
        self._allowance = min(self._burst, self._allowance + earned)
        self._credited_at = now
        return min(
            int(self._allowance), self._window - len(self._fresh), MOST_IN_FLIGHT - in_flight
        )

    def note_sent(self, number: int, now: float) -> None:
        """Count a question."""
        self._allowance -= 1
        self._fresh[number] = now

    def note_answered(self, number: int) -> None:
        """Count an answer, which frees its place in the window."""
        self._fresh.pop(number, None)
