"""Replies of DNS as our own types, independent of the library."""

from dataclasses import dataclass
from enum import StrEnum

import pycares


class RecordType(StrEnum):
    """The record types asked for."""

    MX = "MX"
    A = "A"
    AAAA = "AAAA"
    NS = "NS"


class ReplyOutcome(StrEnum):
    """Kind of answer."""

    RECORDS = "records"
    NO_DATA = "no data"  # the name exists, without such records
    NO_NAME = "no name"  # rcode 3 (RFC 1035, 4.1.1; RFC 8020)
    FAILURE = "failure"  # another rcode: a live server that cannot or will not say
    GARBLED = "garbled"  # a malformed answer, to this question or to another in flight
    SILENCE = "silence"  # no usable answer in time


@dataclass(frozen=True, slots=True)
class ResourceRecord:
    """One record of the answer section: ``value`` is a host, an address, or a text as it is."""

    owner: str
    kind: str  # a RecordType, or "CNAME"
    value: str
    ttl_seconds: int
    preference: int = 0


@dataclass(frozen=True, slots=True)
class DnsReply:
    """One answer; the records are in their received order."""

    outcome: ReplyOutcome
    records: tuple[ResourceRecord, ...] = ()


SILENCE = DnsReply(ReplyOutcome.SILENCE)
RECORDS_READ = 512  # more than any honest answer has; the rest of a huge one is ignored

QUERY_TYPES = {
    RecordType.MX: pycares.QUERY_TYPE_MX,
    RecordType.A: pycares.QUERY_TYPE_A,
    RecordType.AAAA: pycares.QUERY_TYPE_AAAA,
    RecordType.NS: pycares.QUERY_TYPE_NS,
}
_OUTCOMES = {
    pycares.errno.ARES_ENODATA: ReplyOutcome.NO_DATA,
    pycares.errno.ARES_ENOTFOUND: ReplyOutcome.NO_NAME,
    pycares.errno.ARES_ESERVFAIL: ReplyOutcome.FAILURE,
    pycares.errno.ARES_EREFUSED: ReplyOutcome.FAILURE,
    pycares.errno.ARES_EFORMERR: ReplyOutcome.FAILURE,
    pycares.errno.ARES_ENOTIMP: ReplyOutcome.FAILURE,
    pycares.errno.ARES_EBADRESP: ReplyOutcome.GARBLED,
}


def read_reply(result: pycares.DNSResult | None, status: int | None) -> DnsReply:
    """Parse the arguments of a pycares callback; ``status`` is None where there are records."""
    if status is not None or result is None:
        return DnsReply(_OUTCOMES.get(status or 0, ReplyOutcome.SILENCE))
    records = []
    for found in result.answer[:RECORDS_READ]:
        match found.data:
            case pycares.MXRecordData(priority=preference, exchange=host):
                kind, value = RecordType.MX.value, host
            case pycares.ARecordData(addr=value):
                kind, preference = RecordType.A.value, 0
            case pycares.AAAARecordData(addr=value):
                kind, preference = RecordType.AAAA.value, 0
            case pycares.NSRecordData(nsdname=value):
                kind, preference = RecordType.NS.value, 0
            case pycares.CNAMERecordData(cname=value):
                kind, preference = "CNAME", 0
            case _:
                continue
        records.append(ResourceRecord(fold(found.name), kind, fold(value), found.ttl, preference))
    return DnsReply(ReplyOutcome.RECORDS, tuple(records))


def fold(name: str) -> str:
    """Return a name in lower case without its final dot; the root is empty."""
    return name.lower().removesuffix(".")
