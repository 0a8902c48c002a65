"""Refuses to work in a child that was forked from a process that worked: it would hang.

Polars' threads are not in the child, and their locks stay taken.
"""

import os
from functools import cache


def require_threads() -> None:
    """Note that this process works on columns or lists.

    Raises:
        RuntimeError: A process that it was forked from did before.
    """
    if _name_first_process() != os.getpid():
        msg = (
            "this process was forked from one that had worked on a column or list, and would hang: "
            'start processes by "spawn" or "forkserver"'
        )
        raise RuntimeError(msg)


@cache
def _name_first_process() -> int:
    """Return the process that asked first, in itself and in what was forked from it."""
    return os.getpid()
