"""The parts that hold a batch back: window, rate, breaker; and the evidence of servers."""

import pytest

from winnow.network.dns.circuit_breaker import Breaker
from winnow.network.dns.mail_servers import MailServers, Served
from winnow.network.dns.rate_limiter import MOST_IN_FLIGHT, Pace
from winnow.network.dns.replies import Outcome
from winnow.network.dns.resolver import LOCAL_QUERIES_PER_SECOND, QUERIES_PER_SECOND, choose_rate


def send(pace: Pace, count: int, now: float, *, first: int = 0) -> None:
    for number in range(first, first + count):
        pace.note_sent(number, now)


def test_the_window_holds_back_until_answers_come():
    pace = Pace(1_000_000, 0.0, window=3)
    send(pace, 3, 0.0)
    assert pace.count_free(0.1, 3) == 0
    pace.note_answered(1)
    assert pace.count_free(0.1, 2) == 1


def test_old_questions_leave_the_window_but_not_without_end():
    pace = Pace(1_000_000, 0.0, window=3)
    send(pace, 3, 0.0)
    assert pace.count_free(0.31, 3) == 3
    assert pace.count_free(0.31, MOST_IN_FLIGHT) == 0
    pace.note_answered(0)  # late: it left the window already
    assert pace.count_free(0.31, 2) == 3


def test_the_rate_holds_over_a_second():
    pace, sent, now = Pace(100, 0.0), 0, 0.0
    while now < 1.0:
        free = pace.count_free(now, 0)
        send(pace, free, now, first=sent)
        sent += max(free, 0)
        now += 0.001
    assert 95 <= sent <= 105


@pytest.mark.parametrize(
    ("servers", "rate"),
    [
        (["127.0.0.1:5353", "[::1]:53", "::1"], LOCAL_QUERIES_PER_SECOND),
        (["127.0.0.1", "192.0.2.53"], QUERIES_PER_SECOND),
        (["[fe80::1%eth0]:53"], QUERIES_PER_SECOND),
        (["2001:db8::53"], QUERIES_PER_SECOND),
    ],
)
def test_servers_beyond_this_machine_are_spared(servers: list[str], rate: int):
    assert choose_rate(servers) == rate


def test_the_breaker_hears_failures_and_not_silence():
    breaker = Breaker(heard_at=0.0)
    breaker.note(Outcome.SILENCE, 1.0)
    assert breaker.is_silent(1.6)
    breaker.note(Outcome.FAILURE, 1.6)
    assert not breaker.is_silent(3.0)


@pytest.mark.parametrize(
    ("failures", "others", "expected"),
    [(49, 0, False), (50, 0, True), (98, 2, True), (97, 3, False)],
)
def test_a_server_that_only_fails_is_useless(failures: int, others: int, expected: bool):
    breaker = Breaker(heard_at=0.0)
    for outcome, count in ((Outcome.FAILURE, failures), (Outcome.NO_NAME, others)):
        for _ in range(count):
            breaker.note(outcome, 1.0)
    assert breaker.is_useless() is expected


def test_shared_hosts_are_known_with_everything_below_them():
    servers = MailServers.read()
    assert servers.is_shared("aspmx.l.google.com")
    assert servers.is_shared("acme-com.mail.protection.outlook.com")
    assert not servers.is_shared("generator.email")
    assert not servers.is_shared("notgoogle.com")


@pytest.mark.parametrize(
    ("served", "expected"),
    [
        (Served(10, 0), "mx.shady.example"),
        (Served(9, 0), None),
        (Served(1000, 1), None),
    ],
)
def test_ten_throw_away_domains_and_no_honest_one(served: Served, expected: str | None):
    servers = MailServers((), ())
    hosts = servers.list_servers(["mx.shady.example"], {})
    assert servers.find_disposable(hosts, {"mx.shady.example": served}) == expected


def test_a_shared_host_is_never_evidence_whatever_was_seen():
    servers = MailServers(["mx.all.example"], ["all.example"])
    served = {"mx.all.example": Served(10_000, 0), "192.0.2.1": Served(10_000, 0)}
    addresses = {"mx.all.example": ["192.0.2.1"]}
    hosts = servers.list_servers(["mx.all.example"], addresses)
    assert servers.find_disposable(hosts, served) is None
