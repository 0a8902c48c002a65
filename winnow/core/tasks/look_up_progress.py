"""Progress of a task that asks DNS: one phase that both the look-ups and the engine work on."""

from collections.abc import Callable
from dataclasses import replace

from winnow.core.tasks.task import Phase, Progress

SHARE_BEFORE = 0.05  # of the phase; the engine puts the domains together
SHARE_OF_LOOK_UPS = 0.9


class LookUpProgress:
    """Makes the engine's share of the phase ``looking up`` small, beside what DNS takes."""

    def __init__(self, report: Callable[[Progress], None]) -> None:
        self._report = report
        self._last = Progress(Phase.QUEUED)
        self._has_looked_up = False

    def report(self, progress: Progress) -> None:
        """Pass on what the engine says."""
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
        """Pass on how far the look-ups are, 0 to 1."""
        self._has_looked_up = True
        total = self._last.rows_total or 0
        done = int((SHARE_BEFORE + SHARE_OF_LOOK_UPS * share) * total)
        self._report(replace(self._last, phase=Phase.LOOKING_UP, rows_done=done))
