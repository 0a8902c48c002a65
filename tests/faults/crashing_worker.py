"""A worker process that dies at a named point of its one run, as if the power were cut.

python -m tests.faults.crashing_worker POINT
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

from winnow.environment import read_environment
from winnow.storage.blobs import local_blobs
from winnow.storage.repositories import leases
from winnow.wiring import open_application

WORKER_ID = "crashing"
EXIT_CODE = 137

PLACES: dict[str, tuple[Any, str]] = {
    "claim": (leases, "claim_task"),
    "work folder": (Path, "mkdir"),
    "rename": (os, "replace"),
    "publish": (local_blobs, "publish"),
    "charge": (leases, "charge_task"),
    "finish": (leases, "finish_task"),
}
POINTS = (
    "after claim",
    "after work folder",
    "before publish",
    "after rename",
    "after publish",
    "before charge",
    "after finish",
)


def _die(call: Callable[..., Any] | None) -> Callable[..., Any]:
    def dying(*arguments: Any, **options: Any) -> None:
        if call is not None:
            call(*arguments, **options)
        os._exit(EXIT_CODE)

    return dying


def main(point: str) -> None:
    """Work on the next task up to the point."""
    opened = open_application(read_environment(os.environ))
    opened.services.knowledge()
    when, _, place = point.partition(" ")
    module, name = PLACES[place]
    setattr(module, name, _die(getattr(module, name) if when == "after" else None))
    opened.services.runs.run_next(WORKER_ID, Event())


if __name__ == "__main__":
    main(sys.argv[1])
