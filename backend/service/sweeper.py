"""A thread that sweeps once a minute, and once at the start."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime

from backend.service.retention import Retention
from backend.service.runs import describe_crash

SWEEP_SECONDS = 60.0

_log = logging.getLogger(__name__)


class Sweeper:
    """Runs ``Retention.sweep``; one that fails is logged and tried again a minute later."""

    def __init__(self, retention: Retention, clock: Callable[[], datetime]) -> None:
        self._retention = retention
        self._clock = clock
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)

    def start(self) -> None:
        """Sweep now and every minute from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the sweep that is under way."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            try:
                self._retention.sweep(self._clock())
            except Exception as error:
                _log.error("sweep failed: %s", describe_crash(error))
            if self._stopping.wait(SWEEP_SECONDS):
                return
