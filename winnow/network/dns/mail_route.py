"""Mail routes from DNS replies: the next question, and the meaning of the answers for mail."""

import re
from collections.abc import Callable

from winnow.core.network_answers import ADDRESS, NAME_SERVERS
from winnow.core.verdicts.facts import DnsAnswer, MailRoute
from winnow.network.dns.replies import DnsReply, RecordType, ReplyOutcome, ResourceRecord

Step = Callable[[str, RecordType, DnsReply], RecordType | DnsAnswer]
"""Takes a name, the question and the reply; returns the next question or the result."""

LEAST_TTL_SECONDS = 60
MOST_TTL_SECONDS = 86_400  # RFC 2308, 5 and RFC 8767, 4: no longer than a day without need
NEGATIVE_TTL_SECONDS = 3_600  # RFC 2308, 5: one to three hours work well
HOSTS_KEPT = 8
ADDRESSES_KEPT = 8
ALIASES_FOLLOWED = 16
HOST_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\Z")

UNKNOWN = DnsAnswer(MailRoute.UNKNOWN)
_QUESTIONS = {RecordType.A: ADDRESS, RecordType.NS: NAME_SERVERS}


def step_mail(domain: str, record_type: RecordType, reply: DnsReply) -> RecordType | DnsAnswer:
    """Ask MX, then A, then AAAA (RFC 5321, 5.1); silence and failures end as unknown."""
    if reply.outcome is ReplyOutcome.NO_NAME and record_type is RecordType.MX:
        return DnsAnswer(MailRoute.NOT_FOUND, ttl_seconds=NEGATIVE_TTL_SECONDS)
    if reply.outcome not in {ReplyOutcome.RECORDS, ReplyOutcome.NO_DATA}:
        return UNKNOWN  # also a name that exists for MX and not for A: it cannot be both
    records = select_records(domain, record_type, reply.records)
    if records is None:
        return UNKNOWN
    if records:
        ttl_seconds = clamp_ttl(min(record.ttl_seconds for record in reply.records))
        if record_type is RecordType.MX:
            return _read_exchangers(records, ttl_seconds)
        return DnsAnswer(MailRoute.IMPLICIT_MX, ttl_seconds=ttl_seconds)
    match record_type:
        case RecordType.MX:
            return RecordType.A
        case RecordType.A:
            return RecordType.AAAA
        case _:
            return DnsAnswer(MailRoute.NO_MAIL, ttl_seconds=NEGATIVE_TTL_SECONDS)


def step_records(name: str, record_type: RecordType, reply: DnsReply) -> DnsAnswer:
    """Read the addresses of a host, or the name servers of a domain; one question is enough."""
    question = _QUESTIONS[record_type]
    if reply.outcome in {ReplyOutcome.NO_NAME, ReplyOutcome.NO_DATA}:
        return DnsAnswer(question, (), NEGATIVE_TTL_SECONDS)
    if reply.outcome is not ReplyOutcome.RECORDS:
        return UNKNOWN
    records = select_records(name, record_type, reply.records)
    if records is None:
        return UNKNOWN
    values = sorted({record.value for record in records})[:ADDRESSES_KEPT]
    if record_type is RecordType.NS:
        values = [host for host in values if HOST_NAME.match(host)]
    ttl_seconds = min((record.ttl_seconds for record in reply.records), default=0)
    return DnsAnswer(question, tuple(values), clamp_ttl(ttl_seconds))


def select_records(
    name: str, record_type: RecordType, records: tuple[ResourceRecord, ...]
) -> tuple[ResourceRecord, ...] | None:
    """Return the records of the type asked for that belong to the name or its alias.

    None for a misleading reply: aliases run in a circle or are too many, or all such records
    belong to a name that was not asked for.
    """
    aliases = {record.owner: record.value for record in records if record.kind == "CNAME"}
    owner, steps = name, 0
    while owner in aliases:
        owner, steps = aliases[owner], steps + 1
        if steps > ALIASES_FOLLOWED:
            return None
    of_type = tuple(record for record in records if record.kind == record_type.value)
    ours = tuple(record for record in of_type if record.owner == owner)
    return None if of_type and not ours else ours


def clamp_ttl(ttl_seconds: int) -> int:
    """Keep a time to live within sensible bounds."""
    return max(LEAST_TTL_SECONDS, min(ttl_seconds, MOST_TTL_SECONDS))


def _read_exchangers(records: tuple[ResourceRecord, ...], ttl_seconds: int) -> DnsAnswer:
    if all(not record.value for record in records):  # "." is the root, empty once folded
        return DnsAnswer(MailRoute.NULL_MX, ttl_seconds=ttl_seconds)
    ordered = sorted(records, key=lambda record: (record.preference, record.value))
    hosts = dict.fromkeys(record.value for record in ordered if HOST_NAME.match(record.value))
    if not hosts:
        return UNKNOWN
    return DnsAnswer(MailRoute.MX, tuple(hosts)[:HOSTS_KEPT], ttl_seconds)
