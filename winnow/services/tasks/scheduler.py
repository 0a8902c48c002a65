"""Scheduler: a thread that runs a small duty at intervals, and once at the start."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from winnow.core.faults import describe_fault

SWEEP_SECONDS = 60.0
STOP_SECONDS = 10.0  # every duty writes all or nothing

_log = logging.getLogger(__name__)


class Duty(Protocol):
    """What a scheduler runs: retention, the end of deletions, the schedule of refreshes."""

    def sweep(self, now: datetime, /) -> object:
        """Do the work that is due."""


class Scheduler:
    """Runs a ``sweep``; one that fails is logged and tried again when the next is due."""

    def __init__(
        self,
        duty: Duty,
        clock: Callable[[], datetime],
        *,
        name: str,
        seconds: float = SWEEP_SECONDS,
    ) -> None:
        self._duty = duty
        self._clock = clock
        self._name = name
        self._seconds = seconds
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Sweep now, and from now on at intervals."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the sweep that is under way; do not wait long for it."""
        self._stopping.set()
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        while True:
            try:
                self._duty.sweep(self._clock())
            except Exception as error:
                _log.error("%s failed: %s", self._name, describe_fault(error))
            if self._stopping.wait(self._seconds):
                return
