"""Work that an event loop may do itself, because it refuses before it would wait.

What may wait, for a commit, a file or the network, calls ``prepare_to_wait`` first, and before it
changes anything: work that was refused can begin anew in a thread.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_may_wait: ContextVar[bool] = ContextVar("may_wait", default=True)


class WouldWait(Exception):
    """The work would wait; nothing has changed."""


@contextmanager
def refusing_to_wait() -> Iterator[None]:
    """Let ``prepare_to_wait`` refuse within this context."""
    token = _may_wait.set(False)
    try:
        yield
    finally:
        _may_wait.reset(token)


def prepare_to_wait() -> None:
    """Raise WouldWait within ``refusing_to_wait``."""
    if not _may_wait.get():
        raise WouldWait
