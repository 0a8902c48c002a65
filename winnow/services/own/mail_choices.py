"""Decisions about the columns that say who is mailed: of a project, and for the next list."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from msgspec import structs, to_builtins

from winnow.core.identities import Event, Role
from winnow.core.lists.own_columns import LeftOut
from winnow.core.lists.silence import SilenceChoice, SilenceColumn
from winnow.core.meaning.columns import ColumnMeaning, MailDecisions, fold_headings
from winnow.core.tasks.run_request import LastList, RunRequest
from winnow.core.tasks.task import KeyType, Task
from winnow.lists.recipe import build_recipe
from winnow.services.own.project_views import ProjectViews
from winnow.services.tasks.recipe import fit_recipe, make_recipe
from winnow.services.use_cases import use_case
from winnow.storage.database.database import Database
from winnow.storage.repositories.mail_choices import (
    add_choices,
    read_choices,
    write_last_list,
)
from winnow.storage.repositories.tasks import change_request


@dataclass(eq=False, repr=False)
class MailChoices:
    """Stores decisions with their project, and for lists with the same set of headings."""

    database: Database
    views: ProjectViews
    update_noes: Callable[[str, str], None]
    clock: Callable[[], datetime]

    @use_case(Role.READER)
    def list_columns(self, account: str, task_id: str) -> tuple[ColumnMeaning, ...]:
        """Return the columns of a project that say, or may say, who may be mailed.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
        """
        return self.views.read_consent(self.views.tasks.get_stored(account, task_id)).columns

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
        found, _ = read_choices(self.database, account, _hash_headings(headings))
        return found.without_strong(columns)

    @use_case(Role.READER)
    def find_last(
        self, account: str, headings: Sequence[str]
    ) -> tuple[LastList, RunRequest] | None:
        """Return the last finished list with these headings, and its settings for another one."""
        _, last = read_choices(self.database, account, _hash_headings(headings))
        if last is None:
            return None
        return last, fit_recipe(build_recipe(last.recipe), headings)

    def note_list(self, task: Task) -> None:
        """Store the settings and counts of a finished list for the next with its headings."""
        plan, summary = task.plan, task.summary
        is_named = plan.has_header and not any("@" in one for one in plan.columns)
        if summary is None or not is_named or task.key_type is KeyType.SANDBOX:
            return
        repair = None if task.request.repair is None else "safe"
        recipe = make_recipe(task)
        recipe = structs.replace(recipe, repair=repair, mail=None)  # stored beside, without limit
        noes = sum(summary.do_not_mail.values())
        last = LastList(self.clock(), summary.rows_in, noes, to_builtins(recipe))
        digest = _hash_headings(plan.columns)
        write_last_list(self.database, task.account, digest, last)

    @use_case(Role.MEMBER, Event.LISTS_CHANGED)
    def remember(self, account: str, headings: Sequence[str], decisions: MailDecisions) -> None:
        """Add to what was decided for the next list with these headings."""
        digest = _hash_headings(headings)
        add_choices(self.database, account, digest, decisions, self.clock())

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="task_id")
    def change(self, account: str, task_id: str, decisions: MailDecisions) -> None:
        """Add to a project's decisions, which hold at once, and to those for the next list.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
            QuotaExceeded, StorageFull: There is no space for what the list now says.
        """
        task = self.views.tasks.get(account, task_id)
        self._store(task, mail=task.request.mail.add(decisions))
        self.update_noes(account, task_id)
        self.remember(account, task.plan.columns, decisions)

    @use_case(Role.READER)
    def find_silence(self, account: str, task_id: str) -> SilenceColumn | None:
        """Return the column that says when a project's people were active; None: there is none.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
        """
        found = self.views.read_silence(self.views.tasks.get_stored(account, task_id))
        return None if found is None else found.column

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="task_id")
    def choose_silence(self, account: str, task_id: str, choice: SilenceChoice) -> None:
        """Change by which column people are silent, at once; errors are those of ``Tasks.get``."""
        self._store(self.views.tasks.get(account, task_id), silence=choice)

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="task_id")
    def leave_out(self, account: str, task_id: str, groups: Sequence[LeftOut]) -> None:
        """Change which groups get no mail this time, at once; errors are those of ``Tasks.get``."""
        self._store(self.views.tasks.get(account, task_id), left_out=tuple(groups))

    def _store(self, task: Task, **changed: Any) -> None:
        asked = replace(task.request, **changed)
        change_request(self.database, task.account, task.task_id, asked)


def _hash_headings(headings: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(fold_headings(headings)).encode()).hexdigest()
