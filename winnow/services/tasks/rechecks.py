"""Finished projects whose domain data is no longer today's, and lists checked again."""

from collections.abc import Callable
from dataclasses import dataclass

from winnow.core.ports import DomainKnowledge
from winnow.core.tasks.task import KeyType, Task
from winnow.services.tasks.tasks import Tasks


@dataclass(eq=False, repr=False)
class Rechecks:
    """Compares projects with today's data. Synchronous and thread-safe.

    Args:
        tasks: Queues a list that is checked again.
        knowledge: Returns today's data.
    """

    tasks: Tasks
    knowledge: Callable[[], DomainKnowledge]

    def find_newer(self, account: str, task_id: str) -> str | None:
        """Return today's data version; None where the project was judged with it, or by no data.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
        """
        task = self.tasks.get(account, task_id)
        now = self.knowledge().data_version
        if task.summary is None or task.key_type is KeyType.SANDBOX:
            return None
        return None if task.summary.data_version == now else now

    def check_again(self, account: str, task_id: str) -> Task:
        """Queue a project's list again; errors are those of ``Tasks.submit_again``."""
        return self.tasks.submit_again(account, task_id)
