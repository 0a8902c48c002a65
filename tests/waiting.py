"""Wait for a state, however long a busy machine takes."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE_SECONDS = 240.0  # for a machine that is busy with twenty other things; below QUICK_SECONDS


def wait_until(
    condition: Callable[[], bool],
    explain: Callable[[], object] = lambda: "waited too long",
    *,
    seconds: float = PATIENCE_SECONDS,
) -> None:
    """Poll until a condition holds.

    Raises:
        AssertionError: It does not for minutes; the message is the explanation.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, explain()
        time.sleep(0.02)


@contextmanager
def threads_end(seconds: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Require that every thread begun within ends; the product joins none of its pools'."""
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        thread.join(seconds)
        assert not thread.is_alive()
