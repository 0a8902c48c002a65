"""Series: proposed, kept, and what came and went from list to list."""

import logging
import threading
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING
from uuid import uuid4

from cachetools import LRUCache

from winnow.core.errors import BadField, Gone, ResultNotReady, TaskUnknown
from winnow.core.tasks.series import (
    NO_SERIES,
    SHARE_LEAST,
    Series,
    SeriesPoint,
    SeriesProposal,
    find_candidates,
    list_series,
)
from winnow.core.tasks.task import Task
from winnow.services.own_effects import OwnEffects
from winnow.services.results import Results
from winnow.services.tasks import Tasks
from winnow.storage.database.database import Database
from winnow.storage.repositories.tasks import put_into_series

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]

ROWS_COMPARED_MAX = 2_000_000  # for one proposal: a second or two
PROPOSALS_MAX = 20
SHARES_KEPT = 4096
FLOWS_KEPT = 64

_log = logging.getLogger(__name__)


class SeriesBook:
    """The series of every account. Synchronous and thread-safe."""

    def __init__(
        self,
        database: Database,
        tasks: Tasks,
        results: Results,
        own_effects: OwnEffects,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._tasks = tasks
        self._results = results
        self._own_effects = own_effects
        self._clock = clock
        self._guard = threading.Lock()  # one at a time: each reads whole lists
        self._shares: LRUCache[tuple[str, ...], float] = LRUCache(SHARES_KEPT)
        self._flows: LRUCache[tuple[str, ...], tuple[SeriesPoint, ...]] = LRUCache(FLOWS_KEPT)

    def list(self, account: str) -> tuple[Series, ...]:
        """Return the account's series, the one with the latest list first."""
        return list_series(self._tasks.list(account))

    def find(self, account: str, series_id: str) -> Series:
        """Return one series.

        Raises:
            TaskUnknown: There is none, or fewer than two of its lists are left.
        """
        for series in self.list(account):
            if series.series_id == series_id:
                return series
        raise TaskUnknown("There is no such series.")

    def propose(self, account: str) -> tuple[SeriesProposal, ...]:
        """Return projects that look like one list month by month, and nobody was asked about.

        Their names are alike, and each two neighbours have addresses in common, unless they are
        too long to be looked at for a proposal.
        """
        found = []
        for candidate in find_candidates(self._tasks.list(account))[:PROPOSALS_MAX]:
            rows = sum(task.summary.rows_out for task in candidate.projects if task.summary)
            if rows > ROWS_COMPARED_MAX:
                found.append(candidate)
                continue
            try:
                share = self._find_least_share(candidate.projects)
            except (Gone, TaskUnknown, ResultNotReady):
                continue  # went this very moment, or its files are missing
            if share >= SHARE_LEAST:
                found.append(replace(candidate, share=share))
        return tuple(found)

    def group(self, account: str, task_ids: Collection[str]) -> str:
        """Make finished projects one series, with all of the series that some are in already.

        Raises:
            BadField: Fewer than two finished projects.
        """
        wanted = [
            task
            for task in self._tasks.list(account)
            if task.task_id in task_ids and task.summary is not None
        ]
        if len(wanted) < 2:
            raise BadField("series", "needs two finished projects or more")
        known = [task.series for task in wanted if task.series]
        series_id = known[0] if known else str(uuid4())
        joined = [
            *(task.task_id for task in wanted),
            *(task.task_id for task in self._tasks.list(account) if task.series in known),
        ]
        put_into_series(self._database, account, joined, series_id, self._clock())
        _log.info("%d projects are a series", len(joined))
        return series_id

    def leave(self, account: str, task_ids: Collection[str]) -> None:
        """Take projects out of their series, or refuse a proposal: they are in none then."""
        put_into_series(self._database, account, task_ids, NO_SERIES, self._clock())

    def follow(self, account: str, series_id: str) -> tuple[SeriesPoint, ...]:
        """Return a series list by list, by the verdicts of today, with who left and returned.

        Raises:
            TaskUnknown, Gone, ResultNotReady: As ``find`` and ``Results.require_completed``.
        """
        projects = self.find(account, series_id).projects
        ids = tuple(task.task_id for task in projects)
        for task_id in ids:
            self._results.require_completed(account, task_id)
        with self._guard:
            if ids not in self._flows:
                self._flows[ids] = self._count_flows(projects)
            points = self._flows[ids]
        return tuple(
            replace(point, project=self._own_effects.present(task))
            for point, task in zip(points, projects, strict=True)
        )

    def _count_flows(self, projects: tuple[Task, ...]) -> tuple[SeriesPoint, ...]:
        import numpy as np

        before = seen = self._read_keys(projects[0])
        points = [SeriesPoint(projects[0])]
        for task in projects[1:]:
            now = self._read_keys(task)
            stayed = len(np.intersect1d(before, now, assume_unique=True))
            known = len(np.intersect1d(seen, now, assume_unique=True))
            points.append(SeriesPoint(task, len(before) - stayed, known - stayed, len(now) - known))
            before, seen = now, np.union1d(seen, now)
        return tuple(points)

    def _find_least_share(self, projects: tuple[Task, ...]) -> float:
        """Return the least share of common addresses between neighbours, 0 to 1."""
        import numpy as np

        ids = tuple(task.task_id for task in projects)
        with self._guard:
            if ids not in self._shares:
                lists = [self._read_keys(task) for task in projects]
                self._shares[ids] = min(
                    len(np.intersect1d(one, other, assume_unique=True))
                    / max(1, min(len(one), len(other)))
                    for one, other in pairwise(lists)
                )
            return self._shares[ids]

    def _read_keys(self, task: Task) -> "Keys":
        """Return a list's distinct addresses as numbers that ascend."""
        import numpy as np

        from winnow.lists.result.row_columns import RowIndex
        from winnow.lists.result.row_keys import read_keys

        stored = self._results.require_completed(task.account, task.task_id)
        try:
            index = RowIndex.open(self._results.fetch(stored))
            found = read_keys(index, index.text.see(task.plan))
        except FileNotFoundError as error:
            raise Gone("The project has been deleted.") from error
        keys: Keys = np.unique(found.keys[~found.is_blank])
        return keys
