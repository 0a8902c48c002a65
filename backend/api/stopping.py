"""How a stop reaches requests: new ones are refused at once, transfers are cut after a grace."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from anyio import CancelScope

from backend.core.errors import ShuttingDown

TRANSFER_GRACE_SECONDS = 5.0  # an upload or download may go on so long after the stop signal


class Stopping:
    """Whether the server is stopping, and which transfers it must not wait for."""

    def __init__(self) -> None:
        self.is_begun = False
        self._transfers: set[CancelScope] = set()

    def check(self) -> None:
        """Raise ShuttingDown once the server is stopping."""
        if self.is_begun:
            raise ShuttingDown("The server is stopping. Try again in a few seconds.")

    @contextmanager
    def transfer(self) -> Iterator[None]:
        """Run an upload or a download that a stop cuts off after a grace.

        Raises:
            ShuttingDown: It was cut off.
        """
        with CancelScope() as scope:
            self._transfers.add(scope)
            try:
                yield
            finally:
                self._transfers.discard(scope)
        if scope.cancelled_caught:
            self.check()

    @contextmanager
    def watch_signals(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """See stop signals before the server's own handlers do; only the main thread can."""
        before: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}

        def see(number: int, frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(self.begin, loop)
            handler = before[number]
            if callable(handler):
                handler(number, frame)

        try:
            for number in (signal.SIGTERM, signal.SIGINT):
                before[number] = signal.signal(number, see)
        except ValueError:
            pass
        try:
            yield
        finally:
            for seen, handler in before.items():
                signal.signal(seen, handler)

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Refuse new requests from now on and cut the transfers after the grace."""
        if not self.is_begun:
            self.is_begun = True
            loop.call_later(TRANSFER_GRACE_SECONDS, self._cut)

    def _cut(self) -> None:
        for scope in tuple(self._transfers):
            scope.cancel()
