"""Facts of decision pages: projects, rows, checks and a person's data."""

from dataclasses import dataclass
from datetime import date, datetime

from winnow.core.tasks.task import Task
from winnow.core.verdicts.facts import Evidence, OwnEntry
from winnow.core.verdicts.verdict import Verdict
from winnow.words import Sentence

ROWS_TOLD_MOST = 1_000  # of one project on a page for one person
CELL_TOLD_MOST = 32_767  # characters; no cell of a workbook has more


@dataclass(frozen=True, slots=True)
class ToldProject:
    """A project as a page names it. Times are UTC; ``data_version`` is that of its verdicts."""

    task_id: str
    name: str
    file_name: str
    list_sha256: str
    submitted_at: datetime
    judged_at: datetime
    kept_until: datetime
    data_version: str

    @classmethod
    def of(cls, task: Task, list_sha256: str) -> "ToldProject":
        """Name a completed task."""
        return cls(
            task.task_id,
            task.project_name,
            task.file_name,
            list_sha256,
            task.submitted_at,
            task.completed_at or task.submitted_at,
            task.expires_at,
            "" if task.summary is None else task.summary.data_version,
        )


@dataclass(frozen=True, slots=True)
class RowDecision:
    """One row of a finished project: ``number`` in the result, ``file_number`` in the list's file.

    None, or missing on older pages: the result does not have it.
    """

    project: ToldProject
    number: int
    email: str
    verdict: Verdict  # by the own lists of now; ``overruled`` has the one without them
    own: OwnEntry | None
    file_number: int | None = None


@dataclass(frozen=True, slots=True)
class CheckDecision:
    """One single check. Nothing of it is stored but the address and its verdict."""

    email: str
    verdict: Verdict
    data_version: str


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One row with an address: in the email column, or in another cell alone.

    ``number`` is for people: its number in the list's file, 0 where that is not known. A row
    without a verdict was removed as a duplicate; it is in the uploaded list only.
    """

    number: int
    is_email: bool
    verdict: Verdict | None
    cells: list[list[str]]  # name of the column, its text


@dataclass(frozen=True, slots=True)
class PersonProject:
    """One project that has an address, and what was asked about its domain then.

    ``was_network_on``: domains were asked for while it ran; of this one no answer may be kept.
    """

    project: ToldProject
    row_count: int
    rows: list[PersonRow]  # the first of them
    dns_asked_at: datetime | None
    registry: str | None
    registry_asked_at: datetime | None
    was_network_on: bool


@dataclass(frozen=True, slots=True)
class PersonEntry:
    """An entry of the own lists that names an address, its domain, or one above it."""

    pattern: str
    category: str
    note: str
    added_on: date
    names_the_address: bool


@dataclass(frozen=True, slots=True)
class PersonCheck:
    """A single check of an address that is still remembered."""

    checked_at: datetime
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class PersonFile:
    """A do-not-mail or bounce file that names an address; only its hashes are stored.

    ``project`` is the list that it came with, "" for a file that counts for all.
    """

    said: Sentence
    source: str
    dated: date | None
    project: str


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """Everything that one account keeps about one address."""

    address: str
    projects: list[PersonProject]
    entries: list[PersonEntry]
    checks: list[PersonCheck]
    files: list[PersonFile]
    changes: list[datetime]  # of the own lists, stored for undo, that name the address


@dataclass(frozen=True, slots=True)
class Unsearched:
    """A stored list without rows to search: not checked yet, failed, or lost in part."""

    name: str
    kept_until: datetime


Decision = RowDecision | CheckDecision | PersonAnswer


@dataclass(frozen=True, slots=True)
class DecisionPage:
    """Content of a decision page: the decision, and the state when the page was made.

    Everything except ``decision`` is as of ``made_at``: the evidence by the data of that day, what
    is removed, what was not searched.
    """

    decision: Decision
    made_at: datetime
    made_by: str
    account: str
    version: str  # of Winnow
    data_version: str  # of today's domain data
    policy: list[str]  # codes of what is removed
    policy_name: str = ""  # where a named policy decides what is removed
    goes_for: str | None = None  # the reason that it removes a row for
    evidence: tuple[Evidence, ...] = ()
    not_black: tuple[Evidence, ...] = ()
    searched: int = 0  # projects
    unsearched: tuple[Unsearched, ...] = ()
