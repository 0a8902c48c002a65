"""Resolver client: many questions at once, within limits of rate and time."""

import ipaddress
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from winnow.core.network_answers import ADDRESS, MAIL, NAME_SERVERS
from winnow.core.verdicts.facts import DnsAnswer, MailRoute
from winnow.network.dns.batch import TRY_SECONDS, Batch, QueryRateLimiter
from winnow.network.dns.channel import ConnectionPool
from winnow.network.dns.health_probe import find_alive
from winnow.network.dns.mail_route import Step, step_mail, step_records
from winnow.network.dns.replies import RecordType

QUERIES_PER_SECOND = 2_000  # to servers beyond this machine, which have others to serve
LOCAL_QUERIES_PER_SECOND = 50_000  # to servers on this machine; the window limits it
TRIES = 2
PROBE_NAMES = 2
SILENCE_REMEMBERED_SECONDS = 10.0
HONESTY_REMEMBERED_SECONDS = 60.0
_STEPS: Mapping[str, tuple[RecordType, Step]] = {
    MAIL: (RecordType.MX, step_mail),
    ADDRESS: (RecordType.A, step_records),
    NAME_SERVERS: (RecordType.NS, step_records),
}

_log = logging.getLogger(__name__)


class DnsResolver:
    """Asks the servers of this machine, or given ones. Thread-safe: each batch has its own channel.

    Probes are sent before a batch; without an honest answer all names are unknown at once. A batch
    without answers is probed, and ends as unknown when no server answers.
    """

    def __init__(self, servers: Sequence[str] = (), *, is_vouched_for: bool | None = None) -> None:
        """Store the servers; nothing is sent yet.

        Args:
            servers: ``address`` or ``address:port``; none: those of this machine.
            is_vouched_for: Whether to trust the servers without an honesty test; None: where they
                are named and run on this machine, since such servers may know some names only.
        """
        self._servers = tuple(servers)
        if is_vouched_for is None:
            is_vouched_for = bool(self._servers) and is_local(self._servers)
        self._is_vouched_for = is_vouched_for
        self._silent_until = 0.0  # single questions do not wait for a silent server again
        self._honest_until = 0.0  # nor repeat the honesty test

    def ask(
        self,
        question: str,
        names: Iterable[str],
        *,
        budget_seconds: float,
        tick: Callable[[int], None],
    ) -> Iterator[tuple[str, DnsAnswer]]:
        """Ask for mail routes, addresses or name servers (``core.ports.Resolver``)."""
        ends_at = time.monotonic() + budget_seconds
        names = iter(names)
        heads = tuple(islice(names, PROBE_NAMES))
        if not heads:
            return
        names = chain(heads, names)
        is_single = len(heads) == 1
        alive: tuple[str, ...] = ()
        if not is_single or time.monotonic() >= self._silent_until:
            tests_honesty = not self._is_vouched_for and not (
                is_single and time.monotonic() < self._honest_until
            )
            alive = find_alive(self._servers, heads, tests_honesty=tests_honesty)
            if alive and tests_honesty:
                self._honest_until = time.monotonic() + HONESTY_REMEMBERED_SECONDS
            if not alive:
                _log.info("dns: no server answers that can be believed")
                self._silent_until = time.monotonic() + SILENCE_REMEMBERED_SECONDS
        if alive:
            per_second = LOCAL_QUERIES_PER_SECOND if is_local(alive) else QUERIES_PER_SECOND
            rate_limiter = QueryRateLimiter(per_second, time.monotonic())
            with ConnectionPool(alive, timeout_seconds=TRY_SECONDS, tries=TRIES) as connections:
                batch = Batch(connections, rate_limiter, names, *_STEPS[question])
                yield from batch.run(lambda: bool(find_alive(alive, ())), tick, ends_at)
        for name in names:
            yield name, DnsAnswer(MailRoute.NOT_LOOKED_UP)


def is_local(servers: Iterable[str]) -> bool:
    """Return whether all servers, named as in ``Channel.servers``, run on this machine."""
    return all(_read_address(server).is_loopback for server in servers)


def _read_address(server: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Read ``1.2.3.4``, ``1.2.3.4:53``, ``::1``, ``[::1]`` or ``[fe80::1%eth0]:53``."""
    if server.startswith("["):
        server = server[1:].partition("]")[0]
    elif server.count(":") == 1:
        server = server.partition(":")[0]
    return ipaddress.ip_address(server)
