"""Finished projects judged anew at intervals, in the background, by the data of today."""

import logging
from collections.abc import Callable
from datetime import datetime

from winnow.core.errors import Gone, ResultNotReady, TaskUnknown
from winnow.core.tasks.recheck_notes import RecheckNote, RecheckPlan, RecheckRhythm, RowsMoved
from winnow.services.rechecks import Rechecks
from winnow.services.tasks import Tasks
from winnow.storage.database.database import Database
from winnow.storage.repositories import recheck_plans as rows

_log = logging.getLogger(__name__)


class RecheckSchedule:
    """Which projects are judged anew, how often, and what was found. Thread-safe.

    Nothing leaves the machine: domains are judged by the lists of today, and by what DNS said of
    them when the project ran. The project stays as it is, and nothing is charged.
    """

    def __init__(
        self,
        database: Database,
        tasks: Tasks,
        rechecks: Rechecks,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._tasks = tasks
        self._rechecks = rechecks
        self._clock = clock

    def find_rhythm(self, account: str, task_id: str) -> RecheckRhythm:
        """Return how often a project is judged anew."""
        plan = rows.find_plan(self._database, account, task_id)
        return RecheckRhythm.NEVER if plan is None else plan.rhythm

    def choose(self, account: str, task_id: str, rhythm: RecheckRhythm) -> None:
        """Choose how often; the first look is a period from now. Never: its note goes, too.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
        """
        self._tasks.get(account, task_id)
        rows.keep_plan(self._database, account, task_id, rhythm, self._clock())

    def list_notes(self, account: str) -> tuple[RecheckNote, ...]:
        """Return what was found and not dismissed, the latest first."""
        present = {task.task_id: task for task in self._tasks.list(account)}
        notes = [
            RecheckNote(present[plan.task_id], plan.checked_at, plan.rows_moved)
            for plan in rows.list_plans(self._database)
            if plan.task_id in present and plan.rows_moved and not plan.is_dismissed
        ]
        return tuple(reversed(notes))

    def dismiss(self, account: str, task_id: str) -> None:
        """Take a project's note away; another finding makes another note."""
        rows.dismiss_note(self._database, account, task_id)

    def sweep(self, now: datetime) -> None:
        """Look at each project whose period is over; of a clock set back, a period from then."""
        for plan in rows.list_plans(self._database):
            if plan.checked_at > now:
                rows.record_check(self._database, plan, plan.rows_moved, now)
            elif plan.is_due(now):
                moved = self._look(plan)
                rows.record_check(self._database, plan, moved, now)

    def _look(self, plan: RecheckPlan) -> RowsMoved:
        """Count the rows that would be judged differently; what cannot be read: as before."""
        try:
            drift = self._rechecks.find_drift(plan.account, plan.task_id, at_any_size=True)
        except (Gone, TaskUnknown, ResultNotReady):
            return plan.rows_moved
        moved = {} if drift is None else drift.rows_moved or {}
        if moved:
            _log.info("task %s: %d rows would change", plan.task_id, sum(moved.values()))
        return moved
