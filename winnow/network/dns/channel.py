"""c-ares channels: they send questions; the library's thread puts replies into a queue."""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from queue import Empty, SimpleQueue

import pycares

from winnow.network.dns.replies import QUERY_TYPES, SILENCE, DnsReply, RecordType, read_reply

GATHERING_SECONDS = 0.0005  # a few replies at once, or two threads wake each other for each one
FLAGS = pycares.ARES_FLAG_EDNS | pycares.ARES_FLAG_NOSEARCH | pycares.ARES_FLAG_NOALIASES


Replies = SimpleQueue[tuple[int, DnsReply]]
"""Queue of replies by number, filled by c-ares's thread and read by ours.

A number may come twice where c-ares refuses a name and calls back as well.
"""


def take_replies(replies: Replies, timeout_seconds: float) -> list[tuple[int, DnsReply]]:
    """Return the replies so far, after waiting for the first up to a limit."""
    found: list[tuple[int, DnsReply]] = []
    try:
        found.append(replies.get(timeout=timeout_seconds))
        time.sleep(GATHERING_SECONDS)
        while True:
            found.append(replies.get_nowait())
    except Empty:
        return found


class Channel:
    """Sends questions and returns replies by number. Used by one thread.

    Truncated answers are asked for again over TCP, failures and timeouts at the next server. A
    question that no server answers gives silence. Replies come to ``replies``.
    """

    def __init__(
        self,
        servers: Sequence[str],
        *,
        timeout_seconds: float,
        tries: int,
        replies: Replies | None = None,
    ) -> None:
        """Open a channel.

        Args:
            servers: ``address`` or ``address:port``; none: those of this machine.
            timeout_seconds: For the first try; c-ares waits longer for each further one.
            tries: Rounds over all servers.
            replies: A queue that it shares with other channels.
        """
        self.replies: Replies = SimpleQueue() if replies is None else replies
        self._channel = pycares.Channel(
            flags=FLAGS, timeout=timeout_seconds, tries=tries, servers=list(servers) or None
        )

    def __enter__(self) -> "Channel":
        return self

    def __exit__(self, *error: object) -> None:
        """Drop what is in flight; c-ares cleans up in a thread of its own."""
        self._channel.close()

    @property
    def servers(self) -> tuple[str, ...]:
        """The servers asked, as c-ares names them."""
        return tuple(self._channel.servers)

    def send(self, number: int, name: str, record_type: RecordType) -> None:
        """Send a question; an impossible name gives silence."""
        try:
            self._channel.query(
                name, QUERY_TYPES[record_type], callback=partial(self._receive, number)
            )
        except (pycares.AresError, ValueError):
            self.replies.put((number, SILENCE))

    def _receive(self, number: int, result: pycares.DNSResult | None, status: int | None) -> None:
        self.replies.put((number, read_reply(result, status)))


SINGLE_CONNECTIONS = 8
MAIN = -1


class ConnectionPool:
    """Sends by its connections; replies of all come to ``replies``. Used by one thread.

    One malformed answer ends all that c-ares has in flight at that server. A lost question is sent
    again on a channel of its own, so that no name harms another.
    """

    def __init__(self, servers: Sequence[str], *, timeout_seconds: float, tries: int) -> None:
        self._servers = servers
        self._timeout_seconds = timeout_seconds
        self._tries = tries
        self.replies: Replies = SimpleQueue()
        self._opened = ExitStack()
        self._main = self._open()
        self._singles: list[Channel] = []
        self._idle: list[int] = []

    def __enter__(self) -> "ConnectionPool":
        return self

    def __exit__(self, *error: object) -> None:
        """Drop what is in flight."""
        self._opened.close()

    def take_single(self) -> int | None:
        """Return a connection with nothing in flight, or None where all are in use."""
        if self._idle:
            return self._idle.pop()
        if len(self._singles) == SINGLE_CONNECTIONS:
            return None
        self._singles.append(self._open())
        return len(self._singles) - 1

    def give_back(self, connection: int) -> None:
        """Return a connection whose question is finished."""
        if connection != MAIN:
            self._idle.append(connection)

    def send(self, connection: int, number: int, name: str, record_type: RecordType) -> None:
        """Send a question by a connection."""
        channel = self._main if connection == MAIN else self._singles[connection]
        channel.send(number, name, record_type)

    def _open(self) -> Channel:
        return self._opened.enter_context(
            Channel(
                self._servers,
                timeout_seconds=self._timeout_seconds,
                tries=self._tries,
                replies=self.replies,
            )
        )
