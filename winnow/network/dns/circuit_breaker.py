"""Circuit breaker: when to stop asking resolvers that fell silent or only fail."""

from dataclasses import dataclass

from winnow.network.dns.replies import ReplyOutcome

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
