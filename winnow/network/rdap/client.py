"""RDAP client: asks registries in its own thread, within a time limit."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from queue import Empty, SimpleQueue

import httpx

from winnow.core.verdicts.facts import AgeAnswer
from winnow.network.rdap.asker import NOT_ASKED, UNKNOWN, RdapAsker

POLL_SECONDS = 0.2
_END = ("", UNKNOWN)

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class RdapRegistries:
    """Asks the registries (``core.ports.Registries``). Thread-safe.

    One event loop in a thread of its own holds the connections and each server's state, so that
    all callers of this process together keep one question in flight at a server.

    Args:
        asker: Does the asking; used by the loop's thread alone, except for its bootstrap.
    """

    asker: RdapAsker

    def __post_init__(self) -> None:
        self._guard = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> "RdapRegistries":
        return self

    def __exit__(self, *error: object) -> None:
        """Close the connections and end the thread."""
        with self._guard:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is not None and thread is not None:
            asyncio.run_coroutine_threadsafe(self.asker.close(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def name_registry(self, domain: str) -> str | None:
        """Return the host that answers for a domain, by the copy of the bootstrap file."""
        bootstrap = self.asker.bootstrap.read()
        address = bootstrap.find_address(domain) if bootstrap else None
        return httpx.URL(address).host if address else None

    def ask_ages(
        self, domains: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, AgeAnswer]]:
        """Ask when domains were registered; unanswered within the budget is unknown."""
        ends_at = time.monotonic() + budget_seconds
        waiting = dict.fromkeys(domains)
        if not waiting:
            return
        count = len(waiting)
        sent: set[str] = set()
        answers: SimpleQueue[tuple[str, AgeAnswer]] = SimpleQueue()
        asking = asyncio.run_coroutine_threadsafe(
            self.asker.ask_all(list(waiting), ends_at, sent.add, answers.put), self._start()
        )
        asking.add_done_callback(lambda done: answers.put(_conclude(done)))
        try:
            while waiting:
                tick(count - len(waiting))
                try:
                    left = ends_at - time.monotonic()
                    name, answer = answers.get(timeout=max(0.0, min(left, POLL_SECONDS)))
                except Empty:
                    if left <= 0:
                        break
                    continue
                if not name:
                    break
                del waiting[name]
                yield name, answer
        finally:
            asking.cancel()
        for name in waiting:
            yield name, UNKNOWN if name in sent else NOT_ASKED

    def _start(self) -> asyncio.AbstractEventLoop:
        with self._guard:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="rdap", daemon=True
                )
                self._thread.start()
            return self._loop


def _conclude(asking: Future[None]) -> tuple[str, AgeAnswer]:
    if not asking.cancelled() and (error := asking.exception()) is not None:
        _log.error("rdap: broke off: %s", type(error).__name__)
    return _END
