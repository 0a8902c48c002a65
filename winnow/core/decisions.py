"""Facts of decision pages: projects, rows, checks and a person's data."""

from dataclasses import dataclass
from datetime import datetime

from winnow.core.judging.check_result import CheckResult, RecentCheck
from winnow.core.lists.rows import Row
from winnow.core.own_lists.entries import ListEntry
from winnow.core.tasks.task import Task
from winnow.core.verdicts.facts import Evidence, OwnEntry
from winnow.core.verdicts.verdict import Verdict

ROWS_SHOWN_MOST = 1_000  # of one project on a page for one person
CELL_MAX_CHARACTERS = 32_767  # characters; no cell of a workbook has more


@dataclass(frozen=True, slots=True)
class RowDecision:
    """One row of a finished project, with the verdict by the own lists of now, and their entry.

    ``list_sha256`` is of the list as it was uploaded.
    """

    project: Task
    list_sha256: str
    row: Row
    own: OwnEntry | None


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

    project: Task
    row_count: int
    rows: list[PersonRow]  # the first of them
    dns_asked_at: datetime | None
    registry: str | None
    registry_asked_at: datetime | None
    was_network_on: bool


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """Everything that one account keeps about one address.

    ``entries`` of the own lists name it, its domain, or one above it. ``files`` are do-not-mail and
    bounce files, each with the list that it came with, "" where it counts for all.
    """

    address: str
    projects: list[PersonProject]
    entries: list[ListEntry]
    checks: list[RecentCheck]
    files: list[tuple[Evidence, str]]
    changes: list[datetime]  # of the own lists, stored for undo, that name the address


@dataclass(frozen=True, slots=True)
class Unsearched:
    """A stored list without rows to search: not checked yet, failed, or lost in part."""

    name: str
    kept_until: datetime


Decision = RowDecision | CheckResult | PersonAnswer


@dataclass(frozen=True, slots=True)
class DecisionPage:
    """Content of a decision page: the decision, and the state when the page was made.

    Everything except ``decision`` is as of ``made_at``: the evidence by the data of that day, what
    is removed, what was not searched.
    """

    decision: Decision
    made_at: datetime
    made_by: str
    data_version: str  # of today's domain data
    policy: list[str]  # codes of what is removed
    policy_name: str = ""  # where a named policy decides what is removed
    goes_for: str | None = None  # the reason that it removes a row for
    evidence: tuple[Evidence, ...] = ()
    not_black: tuple[Evidence, ...] = ()
    searched: int = 0  # projects
    unsearched: tuple[Unsearched, ...] = ()
