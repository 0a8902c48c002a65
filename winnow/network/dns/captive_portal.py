"""Detection of captive portals, which answer for every name or deny every name."""

import secrets
from collections.abc import Mapping

from winnow.network.dns.replies import DnsReply, RecordType, ReplyOutcome

ROOT = "."
CERTAIN = "com"  # as certain to exist as the root
RESERVED = "invalid"  # no name below it exists (RFC 6761, 6.4)

Asked = tuple[str, RecordType]
ROOT_SERVERS: Asked = (ROOT, RecordType.NS)
CERTAIN_SERVERS: Asked = (CERTAIN, RecordType.NS)


def choose_impossible() -> Asked:
    """Return a question that has no answer, a new one each time, so that no cache has it."""
    return f"winnow-{secrets.token_hex(6)}.{RESERVED}", RecordType.A


def is_lying(replies: Mapping[Asked, DnsReply]) -> bool:
    """Return whether replies show that a server lies; a silent server is not judged.

    It lies when it has addresses for the root or for a name that cannot exist, and when it denies
    both the root and a top-level domain.
    """
    for (name, _), reply in replies.items():
        is_impossible = name == ROOT or name.endswith(f".{RESERVED}")
        if is_impossible and any(record.kind in {"A", "AAAA"} for record in reply.records):
            return True
    denied = [
        asked in replies and replies[asked].outcome is ReplyOutcome.NO_NAME
        for asked in (ROOT_SERVERS, CERTAIN_SERVERS)
    ]
    return all(denied)
