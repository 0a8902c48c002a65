"""Projects that are judged anew at intervals, and what was found."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from winnow.core.tasks.task import Task
from winnow.core.verdicts.verdict import Category

RowsMoved = Mapping[tuple[Category, Category], int]


class RecheckRhythm(StrEnum):
    """How often a project is judged anew without anybody pressing a button."""

    NEVER = "never"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"


RECHECK_PERIODS: Mapping[RecheckRhythm, timedelta] = {
    RecheckRhythm.DAILY: timedelta(days=1),
    RecheckRhythm.WEEKLY: timedelta(days=7),
    RecheckRhythm.MONTHLY: timedelta(days=28),  # before a project's 30 days are over
}


@dataclass(frozen=True, slots=True)
class RecheckPlan:
    """How often one project is judged anew, when it last was, and what the last look found.

    ``checked_at`` is when the rhythm was chosen, before the first look. ``rows_moved`` counts rows
    by their category and the one that they would have now; empty: none would change.
    """

    task_id: str
    account: str
    rhythm: RecheckRhythm
    checked_at: datetime
    rows_moved: RowsMoved
    is_dismissed: bool = False

    def is_due(self, now: datetime) -> bool:
        """Tell whether its period is over."""
        return now - self.checked_at >= RECHECK_PERIODS[self.rhythm]


@dataclass(frozen=True, slots=True)
class RecheckNote:
    """What the analyst is told: rows of a project that would be judged differently now."""

    project: Task
    found_at: datetime
    rows_moved: RowsMoved
