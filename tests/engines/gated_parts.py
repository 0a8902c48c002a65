"""Parts of a list that tell which process made them, and wait until a gate is opened.

What a test kills is then known to be at work, and what was begun again leaves a second name.
"""

import os
import time
from collections import defaultdict
from pathlib import Path

import pandas as pd

GATE = "open"
_PATIENCE_SECONDS = 120


def make_part(number: int, folder: str) -> pd.DataFrame:
    """Return one part once the gate is open."""
    Path(folder, f"{number}-{os.getpid()}").touch()
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not Path(folder, GATE).exists():
        assert time.monotonic() < deadline, "the gate was never opened"
        time.sleep(0.02)
    emails = [
        f"ana.{number}.{row}@{'gmail.com' if row % 2 else 'mailinator.com'}" for row in range(50)
    ]
    return pd.DataFrame({"email": emails})


def wait_for_workers(folder: Path, count: int) -> list[int]:
    """Return the processes at work, once there are so many."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while (
        len(found := sorted({pid for pids in read_makers(folder).values() for pid in pids})) < count
    ):
        assert time.monotonic() < deadline, "too few workers began"
        time.sleep(0.02)
    return found


def read_makers(folder: Path) -> dict[int, set[int]]:
    """Return by part the processes that began it."""
    makers = defaultdict(set)
    for path in folder.glob("*-*"):
        number, pid = path.name.split("-")
        makers[int(number)].add(int(pid))
    return makers
