"""Connection pool: one channel to the servers for most questions, a few for single ones."""

from collections.abc import Sequence
from contextlib import ExitStack

from winnow.network.dns.channel import Channel, Replies
from winnow.network.dns.replies import DnsReply, RecordType

SINGLE_CONNECTIONS = 8
MAIN = -1


class ConnectionPool:
    """Sends by its connections and receives from all of them. Used by one thread.

    One malformed answer ends all that c-ares has in flight at that server. A lost question is sent
    again on a channel of its own, so that no name harms another.
    """

    def __init__(self, servers: Sequence[str], *, timeout_seconds: float, tries: int) -> None:
        self._servers = servers
        self._timeout_seconds = timeout_seconds
        self._tries = tries
        self._replies = Replies()
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

    def receive(self, timeout_seconds: float) -> list[tuple[int, DnsReply]]:
        """Return the replies so far of any connection (``Replies.receive``)."""
        return self._replies.receive(timeout_seconds)

    def _open(self) -> Channel:
        return self._opened.enter_context(
            Channel(
                self._servers,
                timeout_seconds=self._timeout_seconds,
                tries=self._tries,
                replies=self._replies,
            )
        )
