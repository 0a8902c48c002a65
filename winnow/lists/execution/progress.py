"""Progress reports, a few a second at most."""

import time
from collections.abc import Callable

from winnow.core.tasks.task import Phase, Progress

SECONDS_BETWEEN_REPORTS = 0.25


class ProgressTeller:
    """Passes progress on when enough time has passed; errors of the receiver propagate."""

    def __init__(self, report: Callable[[Progress], None], bytes_total: int) -> None:
        self._report = report
        self.bytes_total = bytes_total
        self._next_at = 0.0
        self._phase: Phase | None = None

    def tell(
        self, phase: Phase, rows_done: int, rows_total: int | None, bytes_done: int = 0
    ) -> None:
        """Report now if the phase is new or the last report is old."""
        now = time.monotonic()
        if phase is self._phase and now < self._next_at:
            return
        self._phase, self._next_at = phase, now + SECONDS_BETWEEN_REPORTS
        self._report(Progress(phase, rows_done, rows_total, bytes_done, self.bytes_total))
