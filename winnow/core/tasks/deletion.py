"""A deletion by hand that can still be undone."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from winnow.core.tasks.task import Task

UNDO_SECONDS = 60  # decisions.md, "Batch"
UNDO_LIFE = timedelta(seconds=UNDO_SECONDS)


@dataclass(frozen=True, slots=True)
class Deletion:
    """What one click deleted."""

    projects: tuple[Task, ...]
    undo_until: datetime

    @property
    def task_ids(self) -> tuple[str, ...]:
        """The projects' ids."""
        return tuple(task.task_id for task in self.projects)
