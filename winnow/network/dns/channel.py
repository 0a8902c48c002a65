"""c-ares channel: sends questions; the library's thread puts replies into a queue."""

import time
from collections.abc import Sequence
from functools import partial
from queue import Empty, SimpleQueue

import pycares

from winnow.network.dns.replies import QUERY_TYPES, SILENCE, DnsReply, RecordType, read_reply

GATHERING_SECONDS = 0.0005  # a few replies at once, or two threads wake each other for each one
FLAGS = pycares.ARES_FLAG_EDNS | pycares.ARES_FLAG_NOSEARCH | pycares.ARES_FLAG_NOALIASES


class Replies:
    """Queue of replies by number, filled by c-ares's thread and read by ours.

    A number may come twice where c-ares refuses a name and calls back as well.
    """

    def __init__(self) -> None:
        self._queue: SimpleQueue[tuple[int, DnsReply]] = SimpleQueue()
        self.put = self._queue.put

    def receive(self, timeout_seconds: float) -> list[tuple[int, DnsReply]]:
        """Return the replies so far, after waiting for the first up to a limit."""
        found: list[tuple[int, DnsReply]] = []
        try:
            found.append(self._queue.get(timeout=timeout_seconds))
            time.sleep(GATHERING_SECONDS)
            while True:
                found.append(self._queue.get_nowait())
        except Empty:
            return found


class Channel:
    """Sends questions and returns replies by number. Used by one thread.

    Truncated answers are asked for again over TCP, failures and timeouts at the next server. A
    question that no server answers gives silence.
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
        self._replies = Replies() if replies is None else replies
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
            self._replies.put((number, SILENCE))

    def receive(self, timeout_seconds: float) -> list[tuple[int, DnsReply]]:
        """Return the replies so far (``Replies.receive``)."""
        return self._replies.receive(timeout_seconds)

    def _receive(self, number: int, result: pycares.DNSResult | None, status: int | None) -> None:
        self._replies.put((number, read_reply(result, status)))
