"""Limits of DNS questions: in flight, per second, and when to stop asking (circuit breaker)."""

from dataclasses import dataclass

from winnow.network.dns.replies import ReplyOutcome

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


SILENCE_SECONDS = 1.5
JUDGED_FROM = 50  # answers; fewer are too little evidence
FAILURE_SHARE = 0.98


@dataclass(slots=True)
class CircuitBreaker:
    """Counts outcomes. Times are seconds of one monotonic clock."""

    heard_at: float
    answer_count: int = 0
    failure_count: int = 0

    def note(self, outcome: ReplyOutcome, now: float) -> None:
        """Count one outcome; silence is not an answer."""
        if outcome is ReplyOutcome.SILENCE:
            return
        self.heard_at = now
        self.answer_count += 1
        self.failure_count += outcome in {ReplyOutcome.FAILURE, ReplyOutcome.GARBLED}

    def is_silent(self, now: float) -> bool:
        """Return whether it is time to probe. Call it only while questions are in flight."""
        return now - self.heard_at > SILENCE_SECONDS

    def is_useless(self) -> bool:
        """Return whether nearly all answers were failures."""
        return (
            self.answer_count >= JUDGED_FROM
            and self.failure_count >= FAILURE_SHARE * self.answer_count
        )
