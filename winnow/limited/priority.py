"""Processor priority of the processes that work for the server."""

import os

NICENESS = 10  # pages and the API come first


def lower_priority() -> None:
    """Let other processes come first; call it before libraries start threads, which keep theirs."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
