"""Health probe: which DNS servers answer, and answer honestly (captive portals do not).

It is sent before a batch, and when a batch gets no answers.
"""

import logging
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from winnow.network.dns.channel import Channel, take_replies
from winnow.network.dns.replies import DnsReply, RecordType, ReplyOutcome

ROOT = "."
CERTAIN = "com"  # as certain to exist as the root
RESERVED = "invalid"  # no name below it exists (RFC 6761, 6.4)

Asked = tuple[str, RecordType]
ROOT_SERVERS: Asked = (ROOT, RecordType.NS)
CERTAIN_SERVERS: Asked = (CERTAIN, RecordType.NS)


def is_lying(replies: Mapping[Asked, DnsReply]) -> bool:
    """Return whether replies show that a server lies; a silent server is not judged.

    It lies when it has addresses for the root or for a name that cannot exist, and when it denies
    both the root and a top-level domain.
    """
    for (name, _), reply in replies.items():
        is_impossible = name == ROOT or name.endswith(f".{RESERVED}")
        if is_impossible and any(record.kind in {"A", "AAAA"} for record in reply.records):
            return True
    return all(
        asked in replies and replies[asked].outcome is ReplyOutcome.NO_NAME
        for asked in (ROOT_SERVERS, CERTAIN_SERVERS)
    )


PROBE_SECONDS = 0.4
PROBE_TRIES = 2
GRACE_SECONDS = 0.1  # once one server has answered, for the others
TRUTH_SECONDS = 0.3  # once one server has answered, for the honesty tests

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Server:
    """One server under examination; ``tests`` are the questions that show whether it lies."""

    channel: Channel
    tests: frozenset[Asked]
    waiting: dict[int, Asked] = field(default_factory=dict)
    replies: dict[Asked, DnsReply] = field(default_factory=dict)

    @property
    def is_alive(self) -> bool:
        return bool(self.replies)

    @property
    def is_settled(self) -> bool:
        """Whether all its answers are there."""
        return not self.waiting or (self.is_alive and self.tests.isdisjoint(self.waiting.values()))

    def receive(self, timeout_seconds: float) -> None:
        for number, reply in take_replies(self.channel.replies, timeout_seconds):
            asked = self.waiting.pop(number, None)
            if asked is not None and reply.outcome is not ReplyOutcome.SILENCE:
                self.replies[asked] = reply


def find_alive(
    servers: Sequence[str], names: Sequence[str], *, tests_honesty: bool = False
) -> tuple[str, ...]:
    """Return the servers that answer anything at all, SERVFAIL too, in the order given.

    Every server is asked at once for the root's name servers and the MX of a few names. The
    channels are new, so that no answer comes from a cache. A server that lies is left out.

    Args:
        servers: As for ``Channel``; none: those of this machine.
        names: The first few domains of the batch.
        tests_honesty: Ask for a name that cannot exist and for one that must, as well.
    """
    tests: frozenset[Asked] = frozenset()
    if tests_honesty:
        impossible = f"winnow-{secrets.token_hex(6)}.{RESERVED}"  # a new one: no cache has it
        tests = frozenset({ROOT_SERVERS, CERTAIN_SERVERS, (impossible, RecordType.A)})
    questions = (*(tests | {ROOT_SERVERS}), *((name, RecordType.MX) for name in names))
    with ExitStack() as stack:
        if not servers:
            servers = stack.enter_context(_open(())).servers
        examined = {
            server: _Server(stack.enter_context(_open((server,))), tests) for server in servers
        }
        for one in examined.values():
            for number, asked in enumerate(questions):
                one.waiting[number] = asked
                one.channel.send(number, *asked)
        _wait(list(examined.values()))
    honest = tuple(
        server for server, one in examined.items() if one.is_alive and not is_lying(one.replies)
    )
    if any(one.is_alive for one in examined.values()) and not honest:
        _log.info("dns: what answers is not to be believed")
    return honest


def _wait(servers: list[_Server]) -> None:
    """Wait until all are settled, but not long for the others once one has answered."""
    ends_at = time.monotonic() + PROBE_SECONDS * PROBE_TRIES
    first_at: float | None = None
    while (now := time.monotonic()) < ends_at:
        waiting = [one for one in servers if not one.is_settled]
        if first_at is not None and now > first_at + GRACE_SECONDS:
            waiting = [one for one in waiting if one.is_alive]
        if not waiting:
            return
        for one in waiting:
            one.receive(0.01 / len(waiting))
        if first_at is None and any(one.is_alive for one in servers):
            first_at = time.monotonic()
            ends_at = min(ends_at, first_at + TRUTH_SECONDS)


def _open(servers: Sequence[str]) -> Channel:
    return Channel(servers, timeout_seconds=PROBE_SECONDS, tries=PROBE_TRIES)
