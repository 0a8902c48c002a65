"""Decisions about the columns that say who is mailed: of a project, and for the next list."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from winnow.core.identities import Event, Role
from winnow.core.lists.own_columns import LeftOut
from winnow.core.lists.silence import SilenceChoice, SilenceColumn
from winnow.core.meaning.columns import ColumnMeaning, MailDecisions, fold_headings
from winnow.core.tasks.task import Task
from winnow.services.own.project_views import ProjectViews
from winnow.services.tasks.tasks import Tasks
from winnow.services.use_cases import use_case
from winnow.storage.database.database import Database
from winnow.storage.repositories.mail_choices import read_choices, write_choices
from winnow.storage.repositories.tasks import change_request


@dataclass(eq=False, repr=False)
class MailChoices:
    """Stores decisions with their project, and for lists with the same set of headings."""

    database: Database
    tasks: Tasks
    views: ProjectViews
    update_noes: Callable[[str, str], None]
    clock: Callable[[], datetime]

    @use_case(Role.READER)
    def list_columns(self, account: str, task_id: str) -> tuple[ColumnMeaning, ...]:
        """Return the columns of a project that say, or may say, who may be mailed.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
        """
        return self.views.read_meanings(self.tasks.get_stored(account, task_id))

    @use_case(Role.READER)
    def recall(
        self, account: str, headings: Sequence[str], columns: Sequence[ColumnMeaning]
    ) -> MailDecisions:
        """Return what was decided for lists with these headings, for another one of them.

        Args:
            account: Who decided.
            headings: The list's.
            columns: What its columns say: a strong no is not overruled by an earlier list's.
        """
        found = read_choices(self.database, account, _hash_headings(headings))
        return found.without_strong(columns)

    @use_case(Role.MEMBER, Event.LISTS_CHANGED)
    def remember(self, account: str, headings: Sequence[str], decisions: MailDecisions) -> None:
        """Store what was decided for the next list with these headings."""
        digest = _hash_headings(headings)
        write_choices(self.database, account, digest, decisions, self.clock())

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="task_id")
    def change(self, account: str, task_id: str, decisions: MailDecisions) -> None:
        """Add to a project's decisions, which hold at once, and to those for the next list.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
            QuotaExceeded, StorageFull: There is no space for what the list now says.
        """
        task = self.tasks.get(account, task_id)
        added = task.request.mail.add(decisions)
        self._store(task, mail=added)
        self.update_noes(account, task_id)
        self.remember(account, task.plan.columns, added)

    @use_case(Role.READER)
    def find_silence(self, account: str, task_id: str) -> SilenceColumn | None:
        """Return the column that says when a project's people were active; None: there is none.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
        """
        return self.views.find_silence(self.tasks.get_stored(account, task_id))

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="task_id")
    def choose_silence(self, account: str, task_id: str, choice: SilenceChoice) -> None:
        """Change by which column people are silent, at once; errors are those of ``Tasks.get``."""
        self._store(self.tasks.get(account, task_id), silence=choice)

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="task_id")
    def leave_out(self, account: str, task_id: str, groups: Sequence[LeftOut]) -> None:
        """Change which groups get no mail this time, at once; errors are those of ``Tasks.get``."""
        self._store(self.tasks.get(account, task_id), left_out=tuple(groups))

    def _store(self, task: Task, **changed: Any) -> None:
        asked = replace(task.request, **changed)
        change_request(self.database, task.account, task.task_id, asked)


def _hash_headings(headings: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(fold_headings(headings)).encode()).hexdigest()
