"""Drift of finished projects from today's domain data, and lists checked again."""

from collections.abc import Callable
from dataclasses import dataclass

from winnow.core.errors import Gone
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import DomainKnowledge
from winnow.core.refresh import DataDrift
from winnow.core.tasks.task import KeyType, Task
from winnow.services.per_project import PerProject
from winnow.services.results.results import Results
from winnow.services.tasks.tasks import Tasks
from winnow.storage.blobs.network_files import read_mail_of
from winnow.storage.repositories.tasks import StoredTask

DRIFTS_KEPT = 64
PAIRS_AT_ONCE = 200_000  # of domain and verdict; about a second


@dataclass(eq=False, repr=False)
class Rechecks:
    """Compares completed projects with today's data. Synchronous and thread-safe.

    Args:
        results: Returns the rows.
        tasks: Queues a list that is checked again.
        own_for: Returns an account's own lists.
        knowledge: Returns today's data.
    """

    results: Results
    tasks: Tasks
    own_for: Callable[[str], OwnLists]
    knowledge: Callable[[], DomainKnowledge]

    def __post_init__(self) -> None:
        self._drifts = PerProject[tuple[str, str, int], DataDrift](DRIFTS_KEPT)

    def find_drift(
        self, account: str, task_id: str, *, at_any_size: bool = False
    ) -> DataDrift | None:
        """Return how today's data differs from a project's; None if it does not.

        Args:
            account: Whose project it is.
            task_id: A completed project; a sandbox project has no data to differ.
            at_any_size: Count the rows that would change also in a large project.

        Raises:
            TaskUnknown, Gone, ResultNotReady: As ``Results.require_completed``.
        """
        stored = self.results.require_completed(account, task_id)
        summary = stored.task.summary
        if summary is None or stored.task.key_type is KeyType.SANDBOX:
            return None
        knowledge = self.knowledge()
        if knowledge.data_version == summary.data_version:
            return None
        key = task_id, knowledge.data_version, self.own_for(account).version
        return self._drifts.get(
            key,
            lambda: self._compare(stored, summary.data_version, knowledge, at_any_size),
            is_enough=lambda drift: drift.rows_moved is not None or not at_any_size,
        )

    def check_again(self, account: str, task_id: str) -> Task:
        """Queue a project's list again; errors are those of ``Tasks.submit_again``."""
        return self.tasks.submit_again(account, task_id)

    def _compare(
        self, stored: StoredTask, version: str, knowledge: DomainKnowledge, at_any_size: bool
    ) -> DataDrift:
        from winnow.lists.result.rejudging import count_moves  # brings numpy and polars along
        from winnow.lists.result.row_index import RowIndex

        folder = self.results.fetch(stored)
        try:
            moved = count_moves(
                RowIndex.open(folder),
                self.own_for(stored.task.account),
                knowledge,
                lambda domains: read_mail_of(folder, domains),
                most_pairs=None if at_any_size else PAIRS_AT_ONCE,
            )
        except FileNotFoundError as error:
            raise Gone("The project has been deleted.") from error
        return DataDrift(version, knowledge.data_version, moved)
