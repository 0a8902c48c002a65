"""Finished projects as the own lists of this moment show them; their files never change."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cachetools import LRUCache

from winnow.core.errors import Gone, ResultNotReady, TaskUnknown
from winnow.core.own_lists.entries import EntryReach, OwnReach
from winnow.core.own_lists.patterns import REASONS, OwnLists, Pattern
from winnow.core.ports import Blobs
from winnow.core.tasks.task import KeyType, Summary, Task, TaskState
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.reasons import OWN_REASONS
from winnow.core.verdicts.verdict import Category
from winnow.services.own_lists import OwnListBook
from winnow.services.tasks import Tasks
from winnow.storage.repositories.tasks import StoredTask

if TYPE_CHECKING:
    from winnow.lists.result.own_overlay import Overlay

REACHES_KEPT = 4096
PROJECTS_KEPT = 64  # looked through; each takes four bytes a domain
ROWS_MEASURED_MAX = 10_000_000  # a few seconds; beyond, only the newest projects are counted


@dataclass(slots=True)
class _Seen:
    """One project seen through one version of the lists."""

    version: int
    overlay: "Overlay | None"
    summary: Summary | None = None
    reach: tuple[int, Mapping[str, int]] | None = None
    guard: threading.Lock = field(default_factory=threading.Lock)


class OwnEffects:
    """Looks through each project once a version of the lists. Synchronous and thread-safe."""

    def __init__(self, blobs: Blobs, tasks: Tasks, own_lists: OwnListBook) -> None:
        self._blobs = blobs
        self._tasks = tasks
        self._own_lists = own_lists
        self._guard = threading.Lock()
        self._seen: LRUCache[str, _Seen] = LRUCache(PROJECTS_KEPT)
        self._reaches: LRUCache[tuple[str, str], int] = LRUCache(REACHES_KEPT)

    def find_overlay(self, stored: StoredTask) -> "Overlay | None":
        """Return how a completed project is to be seen now; None: as it was judged.

        Raises:
            Gone: The project was deleted this very moment.
        """
        if stored.task.key_type is KeyType.SANDBOX:
            return None
        own = self._own_lists.current(stored.task.account)
        if not own.entries and not _was_overruled(stored.task.summary):
            return None
        return self._look_through(stored, own).overlay

    def version(self, stored: StoredTask) -> int:
        """Return the version of the lists that hold for a project now."""
        return self._own_lists.current(stored.task.account).version

    def find_entry(self, task: Task, text: str, domain: str) -> OwnEntry | None:
        """Return the entry that decides for a well-formed address of a project's list now."""
        if task.key_type is KeyType.SANDBOX:
            return None
        return self._own_lists.current(task.account).match(text, domain)

    def present(self, task: Task) -> Task:
        """Return a task with the counts that hold now; what was charged stays as it is.

        One that went this very moment comes back as it was.
        """
        own = self._own_lists.current(task.account)
        if task.summary is None or not (own.entries or _was_overruled(task.summary)):
            return task
        try:
            stored = self._tasks.get_stored(task.account, task.task_id)
            if self.find_overlay(stored) is None:
                return task
            seen = self._look_through(stored, own)
        except (Gone, TaskUnknown):
            return task
        with seen.guard:
            if seen.summary is None:
                from winnow.lists.result.result_rows import ResultRows

                rows = ResultRows.open(self._path(stored), task.plan, seen.overlay)
                seen.summary = rows.summarise(task.summary)
        return replace(task, summary=seen.summary)

    def measure(self, account: str) -> OwnReach:
        """Count what the lists do, in the newest projects first."""
        tasks = self._list_live(account)
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

    def foresee(self, account: str, pattern: Pattern, here: str | None = None) -> EntryReach:
        """Count the rows that an entry would name in the open projects, before it is made.

        Args:
            account: Whose projects.
            pattern: The entry's.
            here: The project that is looked at, which is counted in any case.
        """
        tasks = self._list_live(account)
        tasks.sort(key=lambda task: task.task_id != here)
        of_here = None if here is None else 0
        total = projects = rows = 0
        for number, task in enumerate(tasks):
            rows += 0 if task.summary is None else task.summary.rows_out
            if rows > ROWS_MEASURED_MAX and number:
                return EntryReach(of_here, total, projects, is_partial=True)
            try:
                found = self._count_named(account, task.task_id, pattern)
            except (Gone, TaskUnknown, ResultNotReady, FileNotFoundError):
                continue
            total += found
            projects += found > 0
            of_here = found if task.task_id == here else of_here
        return EntryReach(of_here, total, projects, is_partial=False)

    def _list_live(self, account: str) -> list[Task]:
        return [
            task
            for task in self._tasks.list(account)
            if task.state is TaskState.COMPLETED and task.key_type is KeyType.LIVE
        ]

    def _count_named(self, account: str, task_id: str, pattern: Pattern) -> int:
        with self._guard:
            known = self._reaches.get((task_id, pattern.text))
        if known is not None:
            return known
        from winnow.lists.result.own_reach import count_named_rows

        stored = self._tasks.get_stored(account, task_id)
        entry = OwnEntry(Category.BLACK, pattern.text, REASONS[pattern.kind])
        own = OwnLists.build(0, [entry])
        found = count_named_rows(self._path(stored), stored.task.plan, own)
        with self._guard:
            self._reaches[task_id, pattern.text] = found  # a result never changes
        return found

    def _measure_one(self, account: str, task_id: str) -> tuple[int, Mapping[str, int]]:
        stored = self._tasks.get_stored(account, task_id)
        own = self._own_lists.current(account)
        seen = self._look_through(stored, own)
        if not own.entries or seen.overlay is None:
            return 0, {}
        with seen.guard:
            if seen.reach is None:
                from winnow.lists.result.row_columns import RowIndex

                effect = seen.overlay.measure(RowIndex.open(self._path(stored)))
                seen.reach = (
                    effect.rows_changed,
                    {
                        entry.pattern: hits
                        for entry, hits in zip(own.entries, effect.hits.tolist(), strict=True)
                        if hits
                    },
                )
            return seen.reach

    def _look_through(self, stored: StoredTask, own: OwnLists) -> _Seen:
        task_id = stored.task.task_id
        with self._guard:
            known = self._seen.get(task_id)
        if known is not None and known.version == own.version:
            return known
        from winnow.lists.result.result_rows import look_through  # brings numpy and polars along

        try:
            seen = _Seen(own.version, look_through(self._path(stored), stored.task.plan, own))
        except FileNotFoundError as error:
            raise Gone("The project has been deleted.") from error
        with self._guard:
            self._seen[task_id] = seen
        return seen

    def _path(self, stored: StoredTask) -> Path:
        return self._blobs.fetch(stored.result_key)


def _was_overruled(summary: Summary | None) -> bool:
    return summary is not None and not OWN_REASONS.isdisjoint(summary.by_reason)
