"""From replies to routes, a table."""

import pytest

from winnow.core.network_answers import ADDRESS, NAME_SERVERS
from winnow.core.verdicts.facts import DnsAnswer, MailRoute
from winnow.network.dns.mail_route import (
    NEGATIVE_TTL_SECONDS,
    step_mail,
    step_records,
)
from winnow.network.dns.replies import DnsReply, RecordType, ReplyOutcome, ResourceRecord

NAME = "kurz.example"


def found(*records: tuple[str, str, str], preference: int = 10) -> DnsReply:
    return DnsReply(
        ReplyOutcome.RECORDS,
        tuple(
            ResourceRecord(owner, kind, value, 300, preference) for owner, kind, value in records
        ),
    )


def ring(length: int) -> DnsReply:
    names = [NAME, *(f"a{number}.example" for number in range(length - 1))]
    return found(*((names[at], "CNAME", names[(at + 1) % length]) for at in range(length)))


MX, A, AAAA = RecordType.MX, RecordType.A, RecordType.AAAA
NO_NAME, NO_DATA = DnsReply(ReplyOutcome.NO_NAME), DnsReply(ReplyOutcome.NO_DATA)
FAILURE, SILENCE = DnsReply(ReplyOutcome.FAILURE), DnsReply(ReplyOutcome.SILENCE)
UNKNOWN = DnsAnswer(MailRoute.UNKNOWN)
CASES = [
    pytest.param(MX, NO_NAME, MailRoute.NOT_FOUND, id="nxdomain"),
    pytest.param(MX, FAILURE, MailRoute.UNKNOWN, id="servfail-is-not-an-answer"),
    pytest.param(MX, SILENCE, MailRoute.UNKNOWN, id="timeout-is-not-an-answer"),
    pytest.param(MX, NO_DATA, A, id="no-mx-asks-for-a"),
    pytest.param(A, NO_DATA, AAAA, id="no-a-asks-for-aaaa"),
    pytest.param(AAAA, NO_DATA, MailRoute.NO_MAIL, id="nothing-is-no-mail"),
    pytest.param(A, found((NAME, "A", "192.0.2.1")), MailRoute.IMPLICIT_MX, id="implicit-by-a"),
    pytest.param(
        AAAA, found((NAME, "AAAA", "2001:db8::1")), MailRoute.IMPLICIT_MX, id="implicit-by-aaaa"
    ),
    pytest.param(A, NO_NAME, MailRoute.UNKNOWN, id="exists-and-does-not"),
    pytest.param(A, SILENCE, MailRoute.UNKNOWN, id="silence-after-no-mx"),
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


@pytest.mark.parametrize(("record_type", "reply", "expected"), CASES)
def test_routes(record_type: RecordType, reply: DnsReply, expected: RecordType | MailRoute):
    result = step_mail(NAME, record_type, reply)
    assert (result if isinstance(result, RecordType) else result.route) == expected


def test_the_most_preferred_host_stands_first_and_the_root_is_left_out():
    reply = DnsReply(
        ReplyOutcome.RECORDS,
        (
            ResourceRecord(NAME, "MX", "late.example", 300, 20),
            ResourceRecord(NAME, "MX", "", 300, 0),
            ResourceRecord(NAME, "MX", "first.example", 10, 5),
        ),
    )
    assert step_mail(NAME, MX, reply) == DnsAnswer(
        MailRoute.MX, ("first.example", "late.example"), 60
    )


def test_unknown_must_not_be_kept_and_a_no_only_for_a_while():
    assert UNKNOWN.ttl_seconds == 0
    answer = step_mail(NAME, MX, NO_NAME)
    assert isinstance(answer, DnsAnswer)
    assert answer.ttl_seconds == NEGATIVE_TTL_SECONDS


@pytest.mark.parametrize(
    ("record_type", "question", "values"),
    [
        (A, ADDRESS, ("192.0.2.1", "192.0.2.9")),
        (RecordType.NS, NAME_SERVERS, ("ns1.net.example", "ns2.net.example")),
    ],
)
def test_records_of_a_name(record_type: RecordType, question: str, values: tuple[str, ...]):
    reply = found(*((NAME, record_type.value, value) for value in reversed(values)))
    assert step_records(NAME, record_type, reply) == DnsAnswer(question, values, 300)
    for nothing in (NO_DATA, NO_NAME):
        assert step_records(NAME, record_type, nothing).targets == ()
    other = found(("other.example", record_type.value, values[0]))
    for odd in (FAILURE, SILENCE, ring(2), other):
        assert step_records(NAME, record_type, odd) == UNKNOWN


def test_a_name_server_without_a_host_name_is_left_out():
    reply = found((NAME, "NS", "not a host"))
    assert step_records(NAME, RecordType.NS, reply).targets == ()
