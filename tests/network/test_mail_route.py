"""From replies to routes, a table."""

import pytest

from winnow.core.verdicts.facts import HostAnswer, MailAnswer, MailRoute, NameServerAnswer
from winnow.network.dns.mail_route import (
    NEGATIVE_TTL_SECONDS,
    step_host,
    step_mail,
    step_name_servers,
)
from winnow.network.dns.replies import Outcome, Question, Record, Reply

NAME = "kurz.example"


def found(*records: tuple[str, str, str], preference: int = 10) -> Reply:
    return Reply(
        Outcome.RECORDS,
        tuple(Record(owner, kind, value, 300, preference) for owner, kind, value in records),
    )


def ring(length: int) -> Reply:
    names = [NAME, *(f"a{number}.example" for number in range(length - 1))]
    return found(*((names[at], "CNAME", names[(at + 1) % length]) for at in range(length)))


MX, A, AAAA = Question.MX, Question.A, Question.AAAA
UNKNOWN = MailAnswer(MailRoute.UNKNOWN)
CASES = [
    pytest.param(MX, Reply(Outcome.NO_NAME), MailRoute.NOT_FOUND, id="nxdomain"),
    pytest.param(MX, Reply(Outcome.FAILURE), MailRoute.UNKNOWN, id="servfail-is-not-an-answer"),
    pytest.param(MX, Reply(Outcome.SILENCE), MailRoute.UNKNOWN, id="timeout-is-not-an-answer"),
    pytest.param(MX, Reply(Outcome.NO_DATA), A, id="no-mx-asks-for-a"),
    pytest.param(A, Reply(Outcome.NO_DATA), AAAA, id="no-a-asks-for-aaaa"),
    pytest.param(AAAA, Reply(Outcome.NO_DATA), MailRoute.NO_MAIL, id="nothing-is-no-mail"),
    pytest.param(A, found((NAME, "A", "192.0.2.1")), MailRoute.IMPLICIT_MX, id="implicit-by-a"),
    pytest.param(
        AAAA, found((NAME, "AAAA", "2001:db8::1")), MailRoute.IMPLICIT_MX, id="implicit-by-aaaa"
    ),
    pytest.param(A, Reply(Outcome.NO_NAME), MailRoute.UNKNOWN, id="exists-and-does-not"),
    pytest.param(A, Reply(Outcome.SILENCE), MailRoute.UNKNOWN, id="silence-after-no-mx"),
    pytest.param(MX, found((NAME, "MX", "")), MailRoute.NULL_MX, id="null-mx"),
    pytest.param(MX, found((NAME, "MX", "mx.example")), MailRoute.MX, id="mx"),
    pytest.param(MX, found((NAME, "CNAME", "b.example")), A, id="alias-without-mx"),
    pytest.param(
        MX,
        found((NAME, "CNAME", "b.example"), ("b.example", "MX", "mx.example")),
        MailRoute.MX,
        id="mx-by-alias",
    ),
    pytest.param(
        MX, found(("other.example", "MX", "mx.example")), MailRoute.UNKNOWN, id="wrong-name"
    ),
    pytest.param(MX, ring(1), MailRoute.UNKNOWN, id="alias-of-itself"),
    pytest.param(MX, ring(2), MailRoute.UNKNOWN, id="aliases-in-a-circle"),
    pytest.param(MX, ring(40), MailRoute.UNKNOWN, id="aliases-on-and-on"),
    pytest.param(MX, found((NAME, "MX", "not a host")), MailRoute.UNKNOWN, id="no-host-name"),
]


@pytest.mark.parametrize(("question", "reply", "expected"), CASES)
def test_routes(question: Question, reply: Reply, expected: Question | MailRoute):
    result = step_mail(NAME, question, reply)
    assert (result if isinstance(result, Question) else result.route) == expected


def test_the_most_preferred_host_stands_first_and_the_root_is_left_out():
    reply = Reply(
        Outcome.RECORDS,
        (
            Record(NAME, "MX", "late.example", 300, 20),
            Record(NAME, "MX", "", 300, 0),
            Record(NAME, "MX", "first.example", 10, 5),
        ),
    )
    assert step_mail(NAME, MX, reply) == MailAnswer(
        MailRoute.MX, ("first.example", "late.example"), 60
    )


def test_unknown_must_not_be_kept_and_a_no_only_for_a_while():
    assert UNKNOWN.ttl_seconds == 0
    answer = step_mail(NAME, MX, Reply(Outcome.NO_NAME))
    assert isinstance(answer, MailAnswer)
    assert answer.ttl_seconds == NEGATIVE_TTL_SECONDS


def test_addresses_of_a_host():
    reply = found((NAME, "A", "192.0.2.9"), (NAME, "A", "192.0.2.1"))
    assert step_host(NAME, A, reply) == HostAnswer(("192.0.2.1", "192.0.2.9"), 300)
    assert step_host(NAME, A, Reply(Outcome.FAILURE)) == HostAnswer(None)
    assert step_host(NAME, A, ring(2)) == HostAnswer(None)


def test_name_servers_of_a_domain():
    ns = Question.NS
    reply = found((NAME, "NS", "ns2.net.example"), (NAME, "NS", "ns1.net.example"))
    both = NameServerAnswer(("ns1.net.example", "ns2.net.example"), 300)
    assert step_name_servers(NAME, ns, reply) == both
    assert step_name_servers(NAME, ns, found((NAME, "NS", "not a host"))).hosts == ()
    assert step_name_servers(NAME, ns, Reply(Outcome.NO_DATA)).hosts == ()
    assert step_name_servers(NAME, ns, Reply(Outcome.SILENCE)) == NameServerAnswer(None)
    other = found(("other.example", "NS", "ns1.net.example"))
    assert step_name_servers(NAME, ns, other) == NameServerAnswer(None)
