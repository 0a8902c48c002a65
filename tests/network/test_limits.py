"""The parts that hold a batch back: window, rate, breaker."""

import pytest

from winnow.network.dns.batch import MOST_IN_FLIGHT, CircuitBreaker, QueryRateLimiter
from winnow.network.dns.replies import ReplyOutcome
from winnow.network.dns.resolver import is_local


def send(rate_limiter: QueryRateLimiter, count: int, now: float, *, first: int = 0) -> None:
    for number in range(first, first + count):
        rate_limiter.note_sent(number, now)


def test_the_window_holds_back_until_answers_come():
    rate_limiter = QueryRateLimiter(1_000_000, 0.0, window=3)
    send(rate_limiter, 3, 0.0)
    assert rate_limiter.count_free(0.1, 3) == 0
    rate_limiter.note_answered(1)
    assert rate_limiter.count_free(0.1, 2) == 1


def test_old_questions_leave_the_window_but_not_without_end():
    rate_limiter = QueryRateLimiter(1_000_000, 0.0, window=3)
    send(rate_limiter, 3, 0.0)
    assert rate_limiter.count_free(0.31, 3) == 3
    assert rate_limiter.count_free(0.31, MOST_IN_FLIGHT) == 0
    rate_limiter.note_answered(0)  # late: it left the window already
    assert rate_limiter.count_free(0.31, 2) == 3


def test_the_rate_holds_over_a_second():
    rate_limiter, sent, now = QueryRateLimiter(100, 0.0), 0, 0.0
    while now < 1.0:
        free = rate_limiter.count_free(now, 0)
        send(rate_limiter, free, now, first=sent)
        sent += max(free, 0)
        now += 0.001
    assert 95 <= sent <= 105


@pytest.mark.parametrize(
    ("servers", "are_here"),
    [
        ("127.0.0.1:5353 [::1]:53 ::1", True),
        *(
            (servers, False)
            for servers in ("127.0.0.1 192.0.2.53", "[fe80::1%eth0]:53", "2001:db8::53")
        ),
    ],
)
def test_servers_beyond_this_machine_are_known_and_spared(servers: str, are_here: bool):
    assert is_local(servers.split()) is are_here


@pytest.mark.parametrize(
    ("failures", "others", "expected"),
    [(49, 0, False), (50, 0, True), (98, 2, True), (97, 3, False)],
)
def test_a_server_that_only_fails_is_useless(failures: int, others: int, expected: bool):
    circuit_breaker = CircuitBreaker(heard_at=0.0)
    for outcome, count in ((ReplyOutcome.FAILURE, failures), (ReplyOutcome.NO_NAME, others)):
        for _ in range(count):
            circuit_breaker.note(outcome, 1.0)
    assert circuit_breaker.is_useless() is expected
