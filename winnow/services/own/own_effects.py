"""Effects of the current own lists on finished projects, whose files never change."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.errors import Gone, ResultNotReady, TaskUnknown
from winnow.core.own_lists.entries import OwnReach
from winnow.core.own_lists.patterns import REASONS, OwnLists, Pattern
from winnow.core.ports import Blobs
from winnow.core.tasks.task import KeyType, Summary, Task, TaskState
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.reasons import OWN_REASONS
from winnow.core.verdicts.verdict import Category
from winnow.lists.result.cell_questions import AskCells, CellQuestion, CellReader
from winnow.services.own.own_lists import OwnListBook
from winnow.services.per_project import PerProject
from winnow.services.tasks.tasks import Tasks
from winnow.storage.repositories.tasks import StoredTask

if TYPE_CHECKING:
    from winnow.lists.result.row_view import RowView

COUNTS_KEPT = 256
PROJECTS_KEPT = 64  # in the cache; each takes four bytes a domain
ROWS_MEASURED_MAX = 10_000_000  # a few seconds; beyond, only the newest projects are counted


@dataclass(slots=True)
class _Seen:
    """One project with one version of the lists applied."""

    overlay: "RowView | None"
    summary: Summary | None = None
    reach: tuple[int, Mapping[str, int]] | None = None
    guard: threading.Lock = field(default_factory=threading.Lock)


@dataclass(eq=False, repr=False)
class OwnEffects:
    """Applies each version of the lists once to a project. Synchronous and thread-safe."""

    blobs: Blobs
    tasks: Tasks
    own_lists: OwnListBook
    ask: AskCells = CellQuestion.answer

    def __post_init__(self) -> None:
        self._seen = PerProject[tuple[str, int], _Seen](PROJECTS_KEPT)
        self._named = PerProject[tuple[str, str], int](COUNTS_KEPT)

    def open_cells(self, stored: StoredTask) -> CellReader:
        """Return the cells of a completed project.

        Raises:
            Gone: The project was just deleted.
        """
        try:
            return CellReader(self._path(stored), stored.task.plan, self.ask)
        except FileNotFoundError as error:
            raise Gone("The project has been deleted.") from error

    def find_overlay(self, stored: StoredTask) -> "RowView | None":
        """Return the changes that the own lists make to a completed project; None: none.

        Raises:
            Gone: The project was just deleted.
        """
        if stored.task.key_type is KeyType.SANDBOX:
            return None
        own = self.own_lists.current(stored.task.account)
        if not own.entries and not _was_overruled(stored.task.summary):
            return None
        return self._look_through(stored, own).overlay

    def version(self, stored: StoredTask) -> int:
        """Return the version of the lists that apply to a project now."""
        return self.own_lists.current(stored.task.account).version

    def find_entry(self, task: Task, text: str, domain: str) -> OwnEntry | None:
        """Return the entry that now decides the verdict of a well-formed address in a project."""
        if task.key_type is KeyType.SANDBOX:
            return None
        return self.own_lists.current(task.account).match(text, domain)

    def present(self, task: Task) -> Task:
        """Return a task with the counts of now; what was charged stays as it is.

        A project that was just deleted is returned unchanged.
        """
        own = self.own_lists.current(task.account)
        if task.summary is None or not (own.entries or _was_overruled(task.summary)):
            return task
        try:
            stored = self.tasks.get_stored(task.account, task.task_id)
            if self.find_overlay(stored) is None:
                return task
            seen = self._look_through(stored, own)
        except (Gone, TaskUnknown):
            return task
        with seen.guard:
            if seen.summary is None:
                from winnow.lists.result.result_rows import ResultRows

                rows = ResultRows(self._path(stored), task.plan, seen.overlay)
                seen.summary = rows.summarise(task.summary)
        return replace(task, summary=seen.summary)

    def measure(self, account: str) -> OwnReach:
        """Count the rows that the lists change, in the newest projects first."""
        tasks = [
            task
            for task in self.tasks.list(account)
            if task.state is TaskState.COMPLETED and task.key_type is KeyType.LIVE
        ]
        hits: dict[str, int] = {}
        changed = projects = measured = rows = 0
        for task in tasks:
            rows += 0 if task.summary is None else task.summary.rows_out
            if rows > ROWS_MEASURED_MAX and measured:
                break
            try:
                count, of_project = self._measure_one(account, task.task_id)
            except (Gone, TaskUnknown, ResultNotReady):
                continue
            measured += 1
            changed += count
            projects += count > 0
            for pattern, found in of_project.items():
                hits[pattern] = hits.get(pattern, 0) + found
        return OwnReach(changed, projects, measured, len(tasks), hits)

    def count_named(self, account: str, task_id: str, pattern: Pattern) -> int:
        """Count the rows of a project that an entry would name, before it is made.

        Raises:
            TaskUnknown, Gone: There is no such project.
        """

        def count() -> int:
            from winnow.lists.result.row_view import count_named_rows

            stored = self.tasks.get_stored(account, task_id)
            entry = OwnEntry(Category.BLACK, pattern.text, REASONS[pattern.kind])
            return count_named_rows(self.open_cells(stored), OwnLists.build(0, [entry]))

        return self._named.get((task_id, pattern.text), count)  # a result never changes

    def _measure_one(self, account: str, task_id: str) -> tuple[int, Mapping[str, int]]:
        stored = self.tasks.get_stored(account, task_id)
        own = self.own_lists.current(account)
        seen = self._look_through(stored, own)
        if not own.entries or seen.overlay is None or seen.overlay.own is None:
            return 0, {}
        with seen.guard:
            if seen.reach is None:
                hits = seen.overlay.own.count(len(own.entries)).tolist()
                pairs = zip(own.entries, hits, strict=True)
                of_entry = {entry.pattern: rows for entry, rows in pairs if rows}
                seen.reach = seen.overlay.count_changed(), of_entry
            return seen.reach

    def _look_through(self, stored: StoredTask, own: OwnLists) -> _Seen:
        def look() -> _Seen:
            from winnow.lists.result.row_view import RowView  # brings numpy and polars along

            try:
                return _Seen(RowView.lay_own(self.open_cells(stored), own))
            except FileNotFoundError as error:
                raise Gone("The project has been deleted.") from error

        return self._seen.get((stored.task.task_id, own.version), look)

    def _path(self, stored: StoredTask) -> Path:
        return self.blobs.fetch(stored.result_key)


def _was_overruled(summary: Summary | None) -> bool:
    return summary is not None and not OWN_REASONS.isdisjoint(summary.by_reason)
