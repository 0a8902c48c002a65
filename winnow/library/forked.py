"""Refuses to work in a child that was forked from a process that worked: it would hang.

Polars' threads are not in the child, and their locks stay taken.
"""

import os

_WORKED: list[int] = []


def require_threads() -> None:
    """Note that this process works on columns or lists.

    Raises:
        RuntimeError: A process that it was forked from did before.
    """
    process = os.getpid()
    if not _WORKED:
        _WORKED.append(process)
    if [process] != _WORKED:
        msg = (
            "this process was forked from one that had worked on a column or list, and would hang: "
            'start processes by "spawn" or "forkserver"'
        )
        raise RuntimeError(msg)
