"""Check against use in a forked child of a process that used Polars, which would hang.

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
    """Return the first process that called this, in it and in its forked children."""
    return os.getpid()
