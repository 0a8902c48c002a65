"""One thread for many short calls that may wait for the database, at a fraction of a hop each."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")

Outcome = tuple[asyncio.Future[Any], Any, Exception | None]


class Hop:
    """Runs what is waiting in one go, off the event loop, and hands the results back together.

    A hop to a thread and back costs more than a single check. While one batch runs the next one
    gathers, so the busier the server, the less each call pays.

    Args:
        name: The thread's.
        around: Entered once for each batch, after its last call was asked for.
    """

    def __init__(
        self, name: str, around: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        self._around = around
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._guard = Lock()
        self._waiting: list[tuple[Callable[[], Any], asyncio.Future[Any]]] = []
        self._is_running = False

    async def run(self, call: Callable[[], T]) -> T:
        """Return what the call returns, or raise what it raises."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        with self._guard:
            self._waiting.append((call, future))
            must_start = not self._is_running
            self._is_running = True
        if must_start:
            self._thread.submit(self._drain)
        return await future

    def _drain(self) -> None:
        while True:
            with self._guard:
                batch, self._waiting = self._waiting, []
                self._is_running = bool(batch)
            if not batch:
                return
            outcomes = self._settle(batch)
            for loop in {future.get_loop() for _, future in batch}:  # one, but in tests
                with suppress(RuntimeError):  # it is closed, and nobody waits any more
                    loop.call_soon_threadsafe(_deliver, loop, outcomes)

    def _settle(self, batch: list[tuple[Callable[[], Any], asyncio.Future[Any]]]) -> list[Outcome]:
        try:
            with self._around():
                return [_call(call, future) for call, future in batch]
        except Exception as error:
            return [(future, None, error) for _, future in batch]


def _call(call: Callable[[], Any], future: asyncio.Future[Any]) -> Outcome:
    try:
        return future, call(), None
    except Exception as error:
        return future, None, error


def _deliver(loop: asyncio.AbstractEventLoop, outcomes: list[Outcome]) -> None:
    for future, result, error in outcomes:
        if future.get_loop() is not loop or future.done():  # done: the caller is gone
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
