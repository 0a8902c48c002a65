"""Previews of uploads and of duplicates, before anything is charged."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from winnow.core.blobs import BlobKey
from winnow.core.identities import Event, Role
from winnow.core.lists.input_head import Head
from winnow.core.lists.previews import DuplicatePreview, Preview
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.keep_rule import KeepRule
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.run_request import USUAL, RunRequest
from winnow.core.tasks.task import KeyType, Task
from winnow.limited.messages import JudgeOffline
from winnow.lists.inspect import find_dates, plan_input
from winnow.lists.requests import RowsRequest
from winnow.services.per_project import PerProject
from winnow.services.tasks.tasks import Tasks
from winnow.services.uploads.uploads import Uploads
from winnow.services.use_cases import use_case

KEPT = 32  # of a few dozen rows each


@dataclass(eq=False, repr=False)
class Duplicates:
    """Finds duplicates in lists, one list at a time, with a cache. Thread-safe."""

    uploads: Uploads
    tasks: Tasks

    def __post_init__(self) -> None:
        self._seen = PerProject[str, DuplicatePreview](KEPT)

    @use_case(Role.MEMBER)
    def look(
        self,
        account: str,
        upload_id: str,
        head: Head,
        email_column: int,
        keep: KeepRule,
    ) -> DuplicatePreview:
        """Show what removing duplicates would do to an upload; a second or two of work.

        Args:
            account: Whose upload.
            upload_id: A finished upload.
            head: How the list is read, with the analyst's choices.
            email_column: From 0.
            keep: Which row of a duplicate is to stay.

        Raises:
            Gone: There is no such upload any more.
            BadField: There is no such column of dates.
            InputError: A part of it cannot be read: a run would fail for the same reason.
        """
        upload = self.uploads.get(account, upload_id)
        plan = plan_input(head, email_column=email_column)
        return self._show(upload.key, plan, replace(keep, keep_by=find_dates(head, keep)))

    @use_case(Role.READER)
    def look_back(self, account: str, task_id: str) -> DuplicatePreview:
        """Show what removing duplicates did to a project's list.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
            InputError: The list cannot be read.
        """
        stored = self.tasks.get_stored(account, task_id)
        asked = stored.task.request
        return self._show(stored.input_key, stored.task.plan, asked.keep, asked.repair)

    @use_case(Role.MEMBER, Event.SUBMITTED, subject="result.task_id")
    def run_again(self, account: str, task_id: str, rule: KeepRule) -> Task:
        """Queue a project's list again, with another row of duplicates that stays.

        Errors are those of ``Tasks.submit_again``.
        """
        asked = replace(self.tasks.get(account, task_id).request, keep=rule, made_from=None)
        return self.tasks.submit_again(account, task_id, request=asked)

    def _show(
        self, key: BlobKey, plan: InputPlan, keep: KeepRule, repair: RepairChoice | None = None
    ) -> DuplicatePreview:
        work = partial(_find_duplicates, plan, keep, repair)
        return self._seen.get(
            f"{key} {plan} {keep} {repair}",
            lambda: self.uploads.ask(key, plan.file_format, work, needs_judge=True),
        )


@dataclass(eq=False, repr=False)
class Previews:
    """Previews uploads, one at a time, with a cache. Thread-safe; uses no network."""

    uploads: Uploads
    judge_offline: JudgeOffline
    own_for: Callable[[str], OwnLists]

    def __post_init__(self) -> None:
        self._made = PerProject[tuple[object, ...], Preview](KEPT)

    @use_case(Role.MEMBER)
    def recall(
        self,
        account: str,
        upload_id: str,
        head: Head,
        email_column: int,
        asked: RunRequest = USUAL,
    ) -> Preview | None:
        """Return the cached answer of ``look``, if any; arguments and errors are the same."""
        plan = plan_input(head, email_column=email_column)
        return self._made.find_value(self._name(upload_id, plan, self.own_for(account), asked))

    @use_case(Role.MEMBER)
    def look(
        self,
        account: str,
        upload_id: str,
        head: Head,
        email_column: int,
        asked: RunRequest = USUAL,
    ) -> Preview:
        """Estimate the result of an upload; a second or two of work.

        Args:
            account: Whose upload and own lists.
            upload_id: A finished upload.
            head: How the list is read, with the analyst's choices.
            email_column: From 0.
            asked: Of the run.

        Raises:
            Gone: There is no such upload any more.
            InputError: A part of it cannot be read: a run would fail for the same reason.
        """
        own, plan = self.own_for(account), plan_input(head, email_column=email_column)
        upload = self.uploads.get(account, upload_id)
        work = partial(_preview, plan, own, head.row_count or head.row_estimate, asked)
        return self._made.get(
            self._name(upload_id, plan, own, asked),
            lambda: self.uploads.ask(upload.key, plan.file_format, work, needs_judge=True),
        )

    def _name(
        self, upload_id: str, plan: InputPlan, own: OwnLists, asked: RunRequest
    ) -> tuple[object, ...]:
        """Return the key of a preview in the cache."""
        data_version = self.judge_offline(KeyType.LIVE).knowledge.data_version
        choices = str((asked.keep.joins_aliases, asked.repair, asked.mail))
        return upload_id, plan, own.version, data_version, choices


def _find_duplicates(
    plan: InputPlan,
    keep: KeepRule,
    repair: RepairChoice | None,
    path: Path,
    scratch: Path,
    judge_offline: JudgeOffline,
) -> DuplicatePreview:
    """Show what removing duplicates does; reads the list's beginning, and some rows once more."""
    from winnow.lists.preview import preview_duplicates

    joins = keep.joins_aliases
    domains = judge_offline(KeyType.LIVE).knowledge.tag_domains if joins else None
    return preview_duplicates(RowsRequest(path, plan, scratch), keep, repair, domains)


def _preview(
    plan: InputPlan,
    own: OwnLists,
    row_count: int,
    asked: RunRequest,
    path: Path,
    scratch: Path,
    judge_offline: JudgeOffline,
) -> Preview:
    """Read a list, or parts of it, and judge rows, without the network."""
    from winnow.lists.preview import preview_list  # brings polars along

    judge = judge_offline(KeyType.LIVE).put_own_first(own)
    return preview_list(path, plan, judge, scratch, row_count=row_count, asked=asked)
