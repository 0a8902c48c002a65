"""Shutdown of the server: new requests are refused at once, transfers are cut after a grace.

A second signal ends the process at once, and so does a stop that takes too long. The folder's lock
is released with the process, the workers are ended with it, and their tasks start again.
"""

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from anyio import CancelScope

from winnow.core.errors import ShuttingDown

TRANSFER_GRACE_SECONDS = 5.0  # an upload or download may go on so long after the stop signal
ANSWER_SECONDS = 1.0  # then cut transfers get an answer; clients that do not read it are cut off
LAST_ACTS_SECONDS = 1.0
END_SECONDS = 13.0  # after the signal; then the process is ended
SIGNAL_EXIT = 128  # what a shell adds to a signal's number

_log = logging.getLogger(__name__)


class Shutdown:
    """State of the server's stop, with the transfers that it cuts."""

    def __init__(self) -> None:
        self.is_begun = False
        self.cut_off: Callable[[], None] = lambda: None
        """Ends every connection at once, with transfers under way."""
        self.stop: Callable[[], None] = lambda: None
        """Asks the server to end; called by the handler of a signal."""
        self.first_acts: list[Callable[[], None]] = []
        """Called on the event loop when the stop begins; short."""
        self.last_acts: list[Callable[[], None]] = []
        """Called in a thread of their own before a sudden end, which waits a second for them."""
        self._transfers: set[CancelScope] = set()
        self._signal_number: int | None = None
        self._signalled = threading.Event()
        self._signalled_again = threading.Event()

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
        """Handle stop signals in place of the server; call it in the main thread."""
        before: dict[int, Any] = {}

        def see(number: int, frame: FrameType | None) -> None:
            if self._signal_number is not None:
                self._signalled_again.set()
                return
            self._signal_number = number
            self._signalled.set()
            loop.call_soon_threadsafe(self.begin, loop)
            self.stop()  # not the server's handler: it would raise the signal again after the end

        for number in (signal.SIGTERM, signal.SIGINT):
            before[number] = signal.signal(number, see)
        threading.Thread(target=self._see_it_end, name="end-watch", daemon=True).start()
        try:
            yield
        finally:
            if self._signal_number is None:  # else a second signal still ends it
                for seen, handler in before.items():
                    signal.signal(seen, handler)

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Refuse new requests from now on and cut the transfers after the grace."""
        if not self.is_begun:
            self.is_begun = True
            for act in self.first_acts:
                act()
            loop.call_later(TRANSFER_GRACE_SECONDS, self._cut)
            loop.call_later(TRANSFER_GRACE_SECONDS + ANSWER_SECONDS, self.cut_off)

    def _cut(self) -> None:
        for scope in tuple(self._transfers):
            scope.cancel()

    def _see_it_end(self) -> None:
        """Wait for a stop signal, then end the process at the next one or after a limit of time."""
        self._signalled.wait()
        if not self._signalled_again.wait(END_SECONDS):
            _log.error("the stop did not come to its end in %d seconds", END_SECONDS)

        def act_last() -> None:
            for act in self.last_acts:
                with suppress(Exception):
                    act()

        acting = threading.Thread(target=act_last, name="last-acts", daemon=True)
        acting.start()
        acting.join(LAST_ACTS_SECONDS)
        os._exit(SIGNAL_EXIT + (self._signal_number or signal.SIGTERM))
