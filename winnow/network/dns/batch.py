"""Batch of DNS questions over many names: limits of rate, circuit breaker, and its end."""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, takewhile

from winnow.core.verdicts.facts import DnsAnswer
from winnow.network.dns.channel import MAIN, ConnectionPool, take_replies
from winnow.network.dns.mail_route import UNKNOWN, Step
from winnow.network.dns.replies import SILENCE, DnsReply, RecordType, ReplyOutcome

TRY_SECONDS = 1.5
MOST_SECONDS = 6.0  # for one question with all its tries
LOST = frozenset({ReplyOutcome.SILENCE, ReplyOutcome.GARBLED})
POLL_SECONDS = 0.05
POLL_SECONDS_WHILE_SENDING = 0.005
TICK_SECONDS = 0.2
WINDOW = 200  # beyond about a thousand in flight every client loses answers
FRESH_SECONDS = 0.3  # an older question waits for a dead domain and does not block the window
MOST_IN_FLIGHT = 2_000
BURST_SECONDS = 0.02
SILENCE_SECONDS = 1.5
JUDGED_FROM = 50  # answers; fewer are too little evidence
FAILURE_SHARE = 0.98

_log = logging.getLogger(__name__)


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

    def is_useless(self) -> bool:
        """Return whether nearly all answers were failures."""
        return (
            self.answer_count >= JUDGED_FROM
            and self.failure_count >= FAILURE_SHARE * self.answer_count
        )


@dataclass(frozen=True, slots=True)
class _Sent:
    """One question in flight."""

    name: str
    record_type: RecordType
    at: float
    connection: int


@dataclass(eq=False, repr=False)
class Batch:
    """Questions about names; those that were not asked stay in ``names``."""

    connections: ConnectionPool
    rate_limiter: QueryRateLimiter
    names: Iterator[str]
    first: RecordType
    step: Step

    def __post_init__(self) -> None:
        self._in_flight: dict[int, _Sent] = {}  # by number, the oldest first
        self._follow_ups: deque[tuple[str, RecordType]] = deque()
        self._lost: deque[tuple[str, RecordType]] = deque()  # to be asked again, each by itself
        self._next_number = 0
        self._is_drained = False
        self._done_count = 0

    def run(
        self, probe: Callable[[], bool], tick: Callable[[int], None], ends_at: float
    ) -> Iterator[tuple[str, DnsAnswer]]:
        """Yield results as they arrive, until all are there or the batch must stop."""
        now = time.monotonic()
        circuit_breaker = CircuitBreaker(heard_at=now)
        ticked_at = now
        while True:
            self._send(now)
            if self._is_drained and not (self._in_flight or self._follow_ups or self._lost):
                return
            wait = POLL_SECONDS if self._is_drained else POLL_SECONDS_WHILE_SENDING
            replies = take_replies(self.connections.replies, wait)
            now = time.monotonic()
            for number, reply in chain(replies, self._expire(now)):
                sent = self._in_flight.pop(number, None)
                if sent is None:
                    continue
                self.rate_limiter.note_answered(number)
                self.connections.give_back(sent.connection)
                circuit_breaker.note(reply.outcome, now)
                yield from self._take(sent, reply, now)
            if now - ticked_at >= TICK_SECONDS:
                ticked_at = now
                tick(self._done_count)
            if self._in_flight and now - circuit_breaker.heard_at > SILENCE_SECONDS:
                if not probe():
                    _log.info("dns: the servers fell silent")
                    break
                now = circuit_breaker.heard_at = time.monotonic()
            elif circuit_breaker.is_useless():
                _log.info("dns: the servers only fail")
                break
            if now > ends_at:
                _log.info("dns: the budget is spent")
                break
        for sent in self._in_flight.values():
            yield sent.name, UNKNOWN
        for name, _ in chain(self._follow_ups, self._lost):
            yield name, UNKNOWN

    def _send(self, now: float) -> None:
        """Send the next questions: names in progress before new ones."""
        for _ in range(self.rate_limiter.count_free(now, len(self._in_flight))):
            single = self.connections.take_single() if self._lost else None
            connection = MAIN if single is None else single
            if single is not None:
                name, record_type = self._lost.popleft()
            elif self._follow_ups:
                name, record_type = self._follow_ups.popleft()
            else:
                new = next(self.names, None)
                if new is None:
                    self._is_drained = True
                    return
                name, record_type = new, self.first
            number = self._next_number
            self._next_number += 1
            self._in_flight[number] = _Sent(name, record_type, now, connection)
            self.rate_limiter.note_sent(number, now)
            self.connections.send(connection, number, name, record_type)

    def _take(self, sent: _Sent, reply: DnsReply, now: float) -> Iterator[tuple[str, DnsAnswer]]:
        is_early = now - sent.at < TRY_SECONDS
        if reply.outcome in LOST and is_early and sent.connection == MAIN:
            self._lost.append((sent.name, sent.record_type))
            return
        following = self.step(sent.name, sent.record_type, reply)
        if isinstance(following, RecordType):
            self._follow_ups.append((sent.name, following))
        else:
            self._done_count += 1
            yield sent.name, following

    def _expire(self, now: float) -> Iterator[tuple[int, DnsReply]]:
        """Give up questions that no server answered in all tries."""
        old = takewhile(lambda pair: now - pair[1].at > MOST_SECONDS, self._in_flight.items())
        for number in [number for number, _ in old]:
            yield number, SILENCE
