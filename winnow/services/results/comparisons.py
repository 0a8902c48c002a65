"""Comparison of a completed project with an earlier list, with the own lists of now."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from winnow.core.identities import Role
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.comparison import (
    NEVER_MAIL,
    Comparison,
    Difference,
    DifferentAddress,
    Earlier,
    Since,
)
from winnow.core.lists.side_files import OwnFile, OwnFileKind
from winnow.core.meaning.columns import fold_headings
from winnow.core.meaning.outcomes import Outcome
from winnow.core.tasks.task import Task, TaskState
from winnow.services.own.policies import Policies
from winnow.services.own.project_views import naming_loss
from winnow.services.per_project import PerProject
from winnow.services.results.results import Results
from winnow.services.use_cases import use_case
from winnow.storage.repositories.tasks import StoredTask

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from winnow.lists.result.comparing import ComparedProject, ComparedRows

PAIRS_KEPT = 2  # each takes some 40 bytes a row, for all sessions together


@dataclass(eq=False, repr=False)
class Comparisons:
    """Compares projects with earlier lists by their usual policies. Synchronous and thread-safe.

    An earlier list is a project, as it was when it came, a file, or ``NEVER_MAIL``.
    Every method raises TaskUnknown, Gone, or ResultNotReady as ``Results.require_completed``.
    """

    results: Results
    policies: Policies
    remembers: Callable[[str], bool | None]
    list_files: Callable[[str, OwnFileKind, str | None], tuple[OwnFile, ...]]

    def __post_init__(self) -> None:
        self.views = self.results.views
        self._kept = PerProject[tuple[str, str, int, int, CleaningPolicy], "ComparedRows"](
            PAIRS_KEPT
        )

    @use_case(Role.READER)
    def list_earlier(self, account: str, task_id: str) -> tuple[Earlier, ...]:
        """Return the lists that a project is to be compared with, the best first.

        A file that was given for it, the project before with the same headings, and what was
        remembered, if that is on. Another upload of the same content is no other list. A corrected
        copy does not stand for the project it was made from, unless this one is corrected, too:
        each slip that both lists have would be gone and new.
        """
        now = self.results.require_completed(account, task_id)
        find = self.results.tasks.get_stored
        files = (
            Earlier(file.file_id, file.file_name, file.created_at)
            for file in self.list_files(account, OwnFileKind.EARLIER, now.upload_id)
        )
        tasks, is_plain = self.results.tasks.list(account), now.task.request.repair is None
        finished = {one.task_id for one in tasks if one.state is TaskState.COMPLETED}
        found = (
            Earlier(task.task_id, task.project_name, task.submitted_at, is_project=True)
            for task in tasks
            if _comes_before(task, now.task)
            and not (is_plain and task.request.repair and task.request.made_from in finished)
            and find(account, task.task_id).input_sha256 != now.input_sha256
        )
        knows = self.remembers(account) and any(one.said_by for one in self._list_before(now))
        remembered = [Earlier(NEVER_MAIL, "", now.task.submitted_at)] if knows else []
        return (*files, *islice(found, 1), *remembered)

    @use_case(Role.READER)
    def compare(self, account: str, before_id: str, now_id: str) -> Comparison:
        """Count what differs between an earlier list and a project."""
        return self._open(account, before_id, now_id).comparison

    @use_case(Role.READER)
    def addresses(
        self,
        account: str,
        before_id: str,
        now_id: str,
        difference: Difference,
        offset: int,
        limit: int,
    ) -> tuple[DifferentAddress, ...]:
        """Return some of the addresses that differ in a way, in the order of their list."""
        return self._open(account, before_id, now_id).page(difference, offset, limit)

    @use_case(Role.READER)
    def count_file(self, account: str, before_id: str, now_id: str) -> int:
        """Return how many addresses the file of ``open_stream`` has."""
        return self._open(account, before_id, now_id).file_rows

    @use_case(Role.READER)
    def open_stream(
        self, account: str, before_id: str, now_id: str
    ) -> Callable[[], Iterator[bytes]]:
        """Compare now; the function yields the addresses that differ, as CSV in UTF-8.

        People who are not to be mailed are left out.
        """
        return self._open(account, before_id, now_id).open_stream()

    def find_rows(
        self, now: StoredTask, since: Since, policy: CleaningPolicy
    ) -> "NDArray[np.int64]":
        """Return the rows of a project that a mail platform is to get since an earlier list.

        Of the policy, only whose no counts is read.
        """
        task = now.task
        compared = self._open(task.account, since.earlier_id, task.task_id, policy)
        return compared.find_rows(since.wanted)

    def _open(
        self, account: str, before_id: str, now_id: str, chosen: CleaningPolicy | None = None
    ) -> "ComparedRows":
        now = self.results.require_completed(account, now_id)
        before = now
        files = self.list_files(account, OwnFileKind.EARLIER, now.upload_id)
        file = next((one for one in files if one.file_id == before_id), None)
        if file is None and before_id != NEVER_MAIL:
            before = self.results.require_completed(account, before_id)
        policy = self.policies.find_usual(account, now.task).policy
        policy = policy if chosen is None else policy.hear_as(chosen)
        versions = self.views.version(before), self.views.version(now)

        def compare() -> "ComparedRows":
            from winnow.lists.result.comparing import (
                ComparedProject,
                ComparedRows,
                PairedAddresses,
            )

            with naming_loss():
                other = ComparedProject(self.views.open_cells(now), self.views.see(now).view)
                if file is not None:
                    paired = PairedAddresses.read(self.views.store.blobs.fetch(file.key))
                    return ComparedRows(paired, other, policy)
                one = self._read_before(before, now)
                paired = PairedAddresses.of(one, other.cells)
                if before is now:
                    return ComparedRows(paired, other, policy)
                return ComparedRows(
                    paired, other, policy, one, partial(self._name_mailboxes, before, now)
                )

        return self._kept.get((before_id, now_id, *versions, policy), compare)

    def _read_before(self, before: StoredTask, now: StoredTask) -> "ComparedProject":
        """Return an earlier project as it was when it came, or what was remembered before a list.

        For ``NEVER_MAIL`` both projects are the same.
        """
        from winnow.lists.marks.key_files import list_file_reasons
        from winnow.lists.result.comparing import ComparedProject  # brings polars along
        from winnow.lists.result.row_index import RowIndex
        from winnow.lists.result.row_view import RowView

        cells = self.views.open_cells(before)
        if before is not now:
            then = self.views.see(before, before.task.submitted_at).view
            return ComparedProject(cells, then, self.views.see(before).view)
        files = self._list_before(now)
        plain = self.views.lay_lists(now) or RowView.as_judged(RowIndex.open(cells.folder))
        found = list_file_reasons(self.views.match_kinds(now, files))
        return ComparedProject(cells, plain.add_matches(found))

    def _list_before(self, now: StoredTask) -> list[OwnFile]:
        """Return the files that counted for a project before its list came."""
        return [
            file
            for file in self.views.list_files(now)
            if file.upload_id != now.upload_id and file.created_at < now.task.submitted_at
        ]

    def _name_mailboxes(
        self, before: StoredTask, now: StoredTask, rows: "NDArray[np.int64]", of_later: bool
    ) -> "NDArray[np.int64]":
        """Return the rows of one project that reach the mailboxes of another one's rows."""
        before, now = (now, before) if of_later else (before, now)
        from winnow.lists.marks.key_files import find_named_rows
        from winnow.lists.marks.said_no import gather_noes
        from winnow.lists.result.consent_cells import SaidRows

        said, day = SaidRows(rows={Outcome.NO_MAIL: rows}), before.task.submitted_at.date()
        store = self.views.store
        with naming_loss():
            keys, _ = gather_noes(self.views.open_cells(before), said, store.hashes, None, day)
            cells = self.views.open_cells(now)
            [found] = find_named_rows(cells, [keys], store.hashes, store.has_plus_tags)
        return found.rows


def _comes_before(task: Task, now: Task) -> bool:
    """Return whether a project is an earlier finished one with the same headings."""
    return (
        task.state is TaskState.COMPLETED
        and now.plan.has_header
        and task.submitted_at < now.submitted_at
        and task.key_type is now.key_type
        and fold_headings(task.plan.columns) == fold_headings(now.plan.columns)
    )
