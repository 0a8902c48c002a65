"""Progress of a task that asks DNS: one phase for both the look-ups and the engine."""

from collections.abc import Callable
from dataclasses import replace

from winnow.core.tasks.task import Phase, Progress

SHARE_BEFORE = 0.05  # of the phase; the engine gathers the domains
SHARE_OF_LOOK_UPS = 0.9


class LookUpProgress:
    """Progress of the phase ``looking up``, mostly the time of DNS and a little of the engine."""

    def __init__(self, report: Callable[[Progress], None]) -> None:
        self._report = report
        self._last = Progress(Phase.QUEUED)
        self._has_looked_up = False

    def report(self, progress: Progress) -> None:
        """Pass on the engine's progress."""
        self._last = progress
        if progress.phase is Phase.LOOKING_UP and progress.rows_total:
            share = progress.rows_done / progress.rows_total
            if self._has_looked_up:
                done = SHARE_BEFORE + SHARE_OF_LOOK_UPS
                share = done + share * (1 - done)
            else:
                share *= SHARE_BEFORE
            progress = replace(progress, rows_done=int(share * progress.rows_total))
        self._report(progress)

    def tick(self, share: float) -> None:
        """Pass on the progress of the look-ups, 0 to 1."""
        self._has_looked_up = True
        total = self._last.rows_total or 0
        done = int((SHARE_BEFORE + SHARE_OF_LOOK_UPS * share) * total)
        self._report(replace(self._last, phase=Phase.LOOKING_UP, rows_done=done))
