"""Parts of a list that tell which process made them, and wait until a gate is opened.

What a test kills is then known to be at work, and what was begun again leaves a second name.
"""

import os
import signal
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd

from tests.waiting import wait_until

PARTS = 6
_GATE = "open"
_ROWS = 50
_PATIENCE_SECONDS = 120


def make_part(number: int, folder: str) -> pd.DataFrame:
    """Return one part once the gate is open."""
    Path(folder, f"{number}-{os.getpid()}").touch()
    wait_until(Path(folder, _GATE).exists, seconds=_PATIENCE_SECONDS)
    emails = [
        f"ana.{number}.{row}@{'gmail.com' if row % 2 else 'mailinator.com'}" for row in range(_ROWS)
    ]
    return pd.DataFrame({"email": emails})


def require_all_rows_after_a_kill(
    folder: Path,
    check: Callable[[], list[Any]],
    name_processes: Callable[[int], list[int]] = lambda worker: [worker],
) -> None:
    """Kill one of two workers while all parts are checked; each row must come once and checked."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(check)
        wait_until(lambda: len(list_workers(folder)) > 1, seconds=_PATIENCE_SECONDS)
        killed, *_ = list_workers(folder)
        for process in name_processes(killed):
            os.kill(process, signal.SIGKILL)
        Path(folder, _GATE).touch()
        found = running.result(_PATIENCE_SECONDS)
    half = PARTS * _ROWS // 2
    assert Counter(row["category"] for row in found) == {"white": half, "black": half}
    assert len({row["email"] for row in found}) == len(found)
    assert any(killed in pids and len(pids) > 1 for pids in read_makers(folder).values())


def list_workers(folder: Path) -> list[int]:
    """Return the processes that have begun a part."""
    return sorted(set().union(*read_makers(folder).values()))


def read_makers(folder: Path) -> dict[int, set[int]]:
    """Return by part the processes that began it."""
    makers = defaultdict(set)
    for path in folder.glob("*-*"):
        number, pid = path.name.split("-")
        makers[int(number)].add(int(pid))
    return makers
