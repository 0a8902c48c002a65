"""Time limit of a call in another library, which can be interrupted from a thread."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer


@contextmanager
def interrupting_after(seconds: float, interrupt: Callable[[], None]) -> Iterator[None]:
    """Call ``interrupt`` from a thread if the body takes longer."""
    timer = Timer(seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
