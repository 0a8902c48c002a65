"""Projects beside the data of today: whether it moved on, and the list checked again."""

import threading
from collections.abc import Callable

from cachetools import LRUCache

from winnow.core.errors import Gone
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import DomainKnowledge
from winnow.core.refresh import ListMove
from winnow.core.tasks.rechecks import DataDrift
from winnow.core.tasks.task import KeyType, Task
from winnow.services.results import Results
from winnow.services.tasks import Tasks
from winnow.storage.blobs.mail_file import read_mail_of
from winnow.storage.repositories.tasks import StoredTask

DRIFTS_KEPT = 64
PAIRS_AT_ONCE = 200_000  # of domain and verdict; about a second


class Rechecks:
    """Compares completed projects with today's data. Synchronous and thread-safe."""

    def __init__(
        self,
        results: Results,
        tasks: Tasks,
        own_for: Callable[[str], OwnLists],
        knowledge: Callable[[], DomainKnowledge],
        measure_move: Callable[[str, str], ListMove | None],
    ) -> None:
        """Remember what to work with.

        Args:
            results: Where the rows lie.
            tasks: Takes a list that is checked again.
            own_for: Gives an account's own lists.
            knowledge: Gives today's data.
            measure_move: Tells what the lists gained and lost between two versions.
        """
        self._results = results
        self._tasks = tasks
        self._own_for = own_for
        self._knowledge = knowledge
        self._measure_move = measure_move
        self._guard = threading.Lock()  # one at a time: each may judge many domains
        self._kept = LRUCache[tuple[str, str, int], DataDrift](DRIFTS_KEPT)

    def find_drift(
        self, account: str, task_id: str, *, at_any_size: bool = False
    ) -> DataDrift | None:
        """Return how today's data differs from a project's; None where it does not.

        Args:
            account: Whose project it is.
            task_id: A completed project; a sandbox project has no data to differ.
            at_any_size: Count the rows that would change also in a large project.

        Raises:
            TaskUnknown, Gone, ResultNotReady: As ``Results.require_completed``.
        """
        stored = self._results.require_completed(account, task_id)
        summary = stored.task.summary
        if summary is None or stored.task.key_type is KeyType.SANDBOX:
            return None
        knowledge = self._knowledge()
        if knowledge.data_version == summary.data_version:
            return None
        key = task_id, knowledge.data_version, self._own_for(account).version
        with self._guard:
            drift = self._kept.get(key)
            if drift is None or (drift.rows_moved is None and at_any_size):
                drift = self._compare(stored, summary.data_version, knowledge, at_any_size)
                self._kept[key] = drift
        return drift

    def check_again(self, account: str, task_id: str) -> Task:
        """Queue a project's list anew; errors are those of ``Tasks.submit_again``."""
        return self._tasks.submit_again(account, task_id)

    def _compare(
        self, stored: StoredTask, version: str, knowledge: DomainKnowledge, at_any_size: bool
    ) -> DataDrift:
        from winnow.lists.result.rejudging import count_moves  # brings numpy and polars along
        from winnow.lists.result.row_columns import RowIndex

        folder = self._results.fetch(stored)
        try:
            moved = count_moves(
                RowIndex.open(folder),
                self._own_for(stored.task.account),
                knowledge,
                lambda domains: read_mail_of(folder, domains),
                most_pairs=None if at_any_size else PAIRS_AT_ONCE,
            )
        except FileNotFoundError as error:
            raise Gone("The project has been deleted.") from error
        move = self._measure_move(version, knowledge.data_version)
        return DataDrift(version, knowledge.data_version, move, moved)
