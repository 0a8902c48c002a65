"""Which connections the server keeps: how long it waits for their bytes, and how many there are.

The server itself knows no limit: a request's head that never ends is waited for until all
descriptors are gone and nobody is served. Here a client has to get on. Where all places are taken,
whoever only waits makes room, the client with most of those first, and health is answered always.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

HEAD_SECONDS = 15.0  # from the first byte, or from the connection, to the end of the head
PACE_SECONDS = 60.0  # a body brings so much in this time, unless it is us who do not read
PACE_BYTES = 16 << 10
STALL_SECONDS = (
    180.0  # an answer of which a client takes nothing; its kernel takes up to 4 MB first
)
IDLE_SECONDS = 5.0  # who has brought or taken nothing for so long makes room when it is needed
LOOK_SECONDS = 1.0

CONNECTIONS_MAX = 2000
DESCRIPTORS_KEPT = 128  # database, lists, workers, log
DESCRIPTORS_EACH = 2  # a connection, and the file that goes in or out by it
CONNECTIONS_FOR_HEALTH = 16  # beyond the limit: they are told that there is no room

LATE = "winnow.late"  # in a scope's state: all places were taken when this connection came


class Transport(Protocol):
    """What is asked of a transport of asyncio or uvloop."""

    def abort(self) -> None:
        """Close at once, unsent bytes or not."""

    def get_write_buffer_size(self) -> int:
        """Return how many bytes have not been taken yet."""


class Awaited(StrEnum):
    """What a connection owes us."""

    HEAD = "head"
    BODY = "body"
    NOTHING = "nothing"  # it is our turn
    FRAMES = "frames"  # a WebSocket: the server's own pings end a dead one


@dataclass(slots=True, eq=False)
class Connection:
    """One connection. Times are monotonic seconds."""

    client: str
    transport: Transport
    since: float  # since when it owes this; for a body, since when its pace is measured
    is_late: bool = False
    awaited: Awaited = Awaited.HEAD
    is_paused: Callable[[], bool] = lambda: False  # we do not read it: its pace is ours
    bytes_in: int = 0  # since ``since``
    unsent_bytes: int = 0
    taken_at: float = 0.0  # when it last took something of an answer, or had nothing to take
    has_taken: bool = False

    def expect(self, awaited: Awaited, now: float) -> None:
        """Begin to wait for something else."""
        self.awaited, self.since, self.bytes_in = awaited, now, 0

    def is_overdue(self, now: float) -> bool:
        """Look at it once more, and say whether to wait any longer."""
        self._look(now)
        if now - self.taken_at > STALL_SECONDS:
            return True
        waited = now - self.since
        if self.awaited is Awaited.HEAD:
            return waited > HEAD_SECONDS
        if self.awaited is Awaited.BODY and waited > PACE_SECONDS:
            is_slow = self.bytes_in < PACE_BYTES
            self.expect(Awaited.BODY, now)
            return is_slow
        return False

    def is_idle(self, now: float) -> bool:
        """Say whether somebody else may have its place."""
        self._look(now)
        owes_head = self.awaited is Awaited.HEAD
        owes_body = self.awaited is Awaited.BODY and self.bytes_in == 0
        is_silent = owes_body and now - self.since > IDLE_SECONDS
        return owes_head or is_silent or now - self.taken_at > IDLE_SECONDS

    def _look(self, now: float) -> None:
        unsent = self.transport.get_write_buffer_size()
        if unsent == 0 or unsent < self.unsent_bytes or self.has_taken:
            self.taken_at = now
        self.unsent_bytes, self.has_taken = unsent, False
        if self.awaited is Awaited.BODY and self.is_paused():
            self.expect(Awaited.BODY, now)


class Connections:
    """All connections of the server. For the thread of its event loop only."""

    def __init__(self, limit: int, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.limit = limit
        self.drop: Callable[[Connection], None] = lambda one: one.transport.abort()
        """Ends a connection that does not get on; the server's patches have words for it."""
        self._monotonic = monotonic
        self._open: dict[Transport, Connection] = {}

    def __len__(self) -> int:
        return len(self._open)

    def open(self, client: str, transport: Transport) -> Connection | None:
        """Take a new connection in; None where even those for health are used up."""
        now = self._monotonic()
        if len(self._open) >= self.limit:
            self._make_room(now)
        if len(self._open) >= self.limit + CONNECTIONS_FOR_HEALTH:
            transport.abort()
            return None
        is_late = len(self._open) >= self.limit
        connection = Connection(client, transport, now, is_late, taken_at=now)
        self._open[transport] = connection
        return connection

    def close(self, transport: Transport) -> None:
        """Forget one that has ended."""
        self._open.pop(transport, None)

    def expect(self, connection: Connection, awaited: Awaited) -> None:
        """Say what a connection owes from now on."""
        connection.expect(awaited, self._monotonic())

    def note_taken(self, transport: Transport) -> None:
        """Say that a client has taken what it had been slow to take."""
        connection = self._open.get(transport)
        if connection is not None:
            connection.has_taken = True

    def may_upgrade(self) -> bool:
        """Say whether one more may become a WebSocket: half of the places are for requests."""
        return 2 * sum(one.awaited is Awaited.FRAMES for one in self._open.values()) < self.limit

    def drop_overdue(self) -> None:
        """Give those up that do not get on."""
        now = self._monotonic()
        for connection in [one for one in self._open.values() if one.is_overdue(now)]:
            self.drop(connection)

    def abort_all(self) -> None:
        """End every connection at once, whatever is on its way."""
        for connection in tuple(self._open.values()):
            connection.transport.abort()

    @contextmanager
    def watch(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """Look after the connections within the context."""

        async def look() -> None:
            while True:
                await asyncio.sleep(LOOK_SECONDS)
                self.drop_overdue()

        looking = loop.create_task(look())
        try:
            yield
        finally:
            looking.cancel()

    def _make_room(self, now: float) -> None:
        """End the oldest idle connection of the client that has most of them, if there is one."""
        idle = [one for one in self._open.values() if one.is_idle(now)]
        for client, _ in Counter(one.client for one in idle).most_common(1):
            leaving = next(one for one in idle if one.client == client)  # they stand by age
            self.close(leaving.transport)
            leaving.transport.abort()


def choose_limit(descriptors: int) -> int:
    """Return how many connections a process with so many descriptors may have open."""
    return max(16, min(CONNECTIONS_MAX, (descriptors - DESCRIPTORS_KEPT) // DESCRIPTORS_EACH))
