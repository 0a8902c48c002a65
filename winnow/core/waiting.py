"""Work that an event loop may do itself, because it refuses before it would wait.

What may wait, for a commit, a file or the network, calls ``prepare_to_wait`` first, and before it
changes anything: work that was refused can begin anew in a thread.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import TypeVar

Answer = TypeVar("Answer")

_may_wait: ContextVar[bool] = ContextVar("may_wait", default=True)


class WouldWait(Exception):
    """The work would wait; nothing has changed."""


def call_without_waiting(work: Callable[[], Answer]) -> Answer:
    """Call what raises WouldWait instead of waiting."""
    token = _may_wait.set(False)
    try:
        return work()
    finally:
        _may_wait.reset(token)


def prepare_to_wait() -> None:
    """Raise WouldWait within ``call_without_waiting``."""
    if not _may_wait.get():
        raise WouldWait
