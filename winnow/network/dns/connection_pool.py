"""Channels to the same servers: one for the crowd, and a few for single questions."""

from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType

from winnow.network.dns.channel import Channel, Replies
from winnow.network.dns.replies import Question, Reply

SINGLE_LANES = 8
MAIN = -1


class Lanes:
    """Sends into lanes and receives from all of them. Used by one thread.

    One malformed answer ends all that c-ares has in flight at that server. What was lost that way
    goes out again by itself, so that no name can harm another one.
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

    def __enter__(self) -> "Lanes":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Drop what is in flight."""
        self._opened.close()

    def take_single(self) -> int | None:
        """Return a lane in which nothing is in flight, or None where all are in use."""
        if self._idle:
            return self._idle.pop()
        if len(self._singles) == SINGLE_LANES:
            return None
        self._singles.append(self._open())
        return len(self._singles) - 1

    def give_back(self, lane: int) -> None:
        """Say that a lane's question is done with."""
        if lane != MAIN:
            self._idle.append(lane)

    def send(self, lane: int, number: int, name: str, question: Question) -> None:
        """Ask in a lane."""
        channel = self._main if lane == MAIN else self._singles[lane]
        channel.send(number, name, question)

    def receive(self, timeout_seconds: float) -> list[tuple[int, Reply]]:
        """Return what has come in any lane (``Replies.receive``)."""
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
