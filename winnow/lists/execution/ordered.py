"""Threads for work that releases the interpreter's lock, with results in order."""

import sys
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

WORKER_COUNT = 2  # more blocks at once cost memory and gain little: one thread writes

_ITEMS_WAITING = 4

SECONDS_PER_TURN = 0.0005  # Python's own 5 ms are a third of a block's work

T = TypeVar("T")
R = TypeVar("R")


@contextmanager
def take_short_turns() -> Iterator[None]:
    """Let threads that need the interpreter for a moment only have it soon.

    Holds for the whole process: for one that does nothing else.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(SECONDS_PER_TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def run_pool(thread_count: int) -> Iterator[tuple[ThreadPoolExecutor, deque[Future[Any]]]]:
    """Threads, and a place for what is pending in them, which is waited for at the end."""
    pool = ThreadPoolExecutor(thread_count)
    pending: deque[Future[Any]] = deque()
    try:
        yield pool, pending
    finally:
        end_pool(pool, pending)


def end_pool(pool: ThreadPoolExecutor, pending: Collection[Future[Any]]) -> None:
    """Wait for what is pending and let the threads end by themselves.

    ``join`` may wait for ever: an iterator that was dropped in a cycle of references is ended by
    the garbage collector, at worst in a thread that is just starting and holds the interpreter's
    own lock for ``join`` (Python 3.11 and 3.12).
    """
    pool.shutdown(wait=False)
    wait(pending)


def map_in_order(work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Yield ``work(item)`` for each item in order, a few at once; closing it ends the threads."""
    with run_pool(WORKER_COUNT) as (pool, pending):
        try:
            for item in items:
                pending.append(pool.submit(work, item))
                if len(pending) > WORKER_COUNT:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


def hand_on(items: Iterable[T], take: Callable[[T], object]) -> Iterator[T]:
    """Yield items, each given to a thread of its own, in order, while the next ones are made."""
    with run_pool(1) as (pool, pending):
        for item in items:
            pending.append(pool.submit(take, item))
            if len(pending) > _ITEMS_WAITING:
                pending.popleft().result()
            yield item
        for taken in pending:
            taken.result()
