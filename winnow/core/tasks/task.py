"""The batch task: its states, progress, counts, the plan of its input, its search and deletion."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from winnow.core.lists.notices import Notice
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.run_request import USUAL, RunRequest
from winnow.core.unicode_forms import normalise_form
from winnow.core.verdicts.verdict import Category


class TaskState(StrEnum):
    """The states a client sees (contract, section 3)."""

    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"


class Phase(StrEnum):
    """What a processing task is doing."""

    QUEUED = "queued"
    READING = "reading"
    LOOKING_UP = "looking up"
    WRITING = "writing"
    INDEXING = "indexing"


class KeyType(StrEnum):
    """What an API key may do."""

    LIVE = "live"
    SANDBOX = "sandbox"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a task is. ``rows_total`` is None until the whole file has been read once."""

    phase: Phase
    rows_done: int = 0
    rows_total: int | None = None
    bytes_done: int = 0
    bytes_total: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """Exact counts of a finished task; the maps count output rows.

    Of the duplicates removed, ``duplicates_invalid`` are not addresses (equal texts), and
    ``duplicates_repaired`` had been repaired; both are 0 in older results. ``do_not_mail`` are the
    output rows that the list's rows say no of, each once: ``said_no``, else ``bounced``.
    """

    rows_in: int
    rows_out: int
    duplicates_removed: int
    invalid: int
    charged: int
    by_category: Mapping[str, int]
    by_domain_type: Mapping[str, int]
    by_reason: Mapping[str, int]
    by_category_and_type: tuple[tuple[str, str, int], ...]
    top_domains: tuple[tuple[str, str, int], ...]  # domain, category, rows; the 50 largest
    data_version: str
    repaired: Mapping[str, int] = field(default_factory=dict)  # output rows by kind of repair
    duplicates_invalid: int = 0
    duplicates_repaired: int = 0
    do_not_mail: Mapping[str, int] = field(default_factory=dict)  # empty in older results

    def count_categories(self) -> dict[str, int]:
        """Return the output rows of every category, zeros too, as programs are answered."""
        return {one.value: self.by_category.get(one.value, 0) for one in Category}


@dataclass(frozen=True, slots=True)
class Task:
    """One project of an account, as the store knows it. Times are UTC."""

    task_id: str
    account: str
    project_name: str
    file_name: str
    key_type: KeyType
    plan: InputPlan
    state: TaskState
    progress: Progress
    submitted_at: datetime
    expires_at: datetime
    completed_at: datetime | None = None
    deleted_at: datetime | None = None  # permanently
    undo_until: datetime | None = None  # deleted by hand, and can be brought back until then
    summary: Summary | None = None
    notices: tuple[Notice, ...] = ()
    error: Mapping[str, Any] | None = None  # problem details of a failed task
    input_bytes: int = 0
    result_bytes: int = 0  # result and row index together
    attempt: int = 0
    request: RunRequest = USUAL


def find_projects(projects: Iterable[Task], search: str) -> tuple[Task, ...]:
    """Return the projects whose names or files have all words, in the same order."""
    words = _fold(search).split()
    return tuple(
        project
        for project in projects
        if all(word in _fold(f"{project.project_name}\n{project.file_name}") for word in words)
    )


def _fold(text: str) -> str:
    return normalise_form("NFKC", text).casefold()


UNDO_SECONDS = 60
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
