"""Results of completed projects for the pages: rows, counts, reasons."""

import threading
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.addresses.address import find_address
from winnow.core.errors import Gone, ResultLost, ResultNotReady
from winnow.core.identities import Role
from winnow.core.judging.judge import Judge, Judgement
from winnow.core.judging.single_check import Findings, gather_findings
from winnow.core.lists.bounce_forecast import BounceForecast, forecast_bounces
from winnow.core.lists.cleaning import CleaningEffect, CleaningPolicy, weigh
from winnow.core.lists.comparison import Since
from winnow.core.lists.dimensions import CATEGORY, Facets
from winnow.core.lists.exports import Export, FilePart
from winnow.core.lists.own_columns import ColumnSplit
from winnow.core.lists.platforms import PlatformPreview
from winnow.core.lists.rows import (
    IN_FILE,
    Chosen,
    Row,
    RowFilter,
    RowOrder,
    RowPage,
    Variant,
)
from winnow.core.lists.side_files import OwnFileKind
from winnow.core.ports import Blobs
from winnow.core.tasks.task import KeyType, TaskState
from winnow.core.verdicts.reasons import OWN_FILES
from winnow.core.verdicts.verdict import Category
from winnow.services.own.project_views import ProjectViews
from winnow.services.per_project import PerProject
from winnow.services.tasks.tasks import Tasks
from winnow.services.use_cases import use_case
from winnow.storage.blobs.checksums import is_whole
from winnow.storage.blobs.network_files import read_age_facts, read_mail_facts
from winnow.storage.repositories.tasks import StoredTask
from winnow.words import say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from winnow.lists.result.result_rows import ResultRows
    from winnow.lists.result.row_view import RowView

OPEN_PROJECTS = 8  # each keeps 13 bytes a row, 15 a domain: see FilteredRows, ResultRows
RESULT_NAME = "result"  # as in every format's run
RETRY_AFTER_SECONDS = 5  # the contract's examples poll every 5 seconds


@dataclass(frozen=True, slots=True)
class _ProjectRows:
    """The rows of a project with one view of them, for one thread at a time."""

    rows: "ResultRows"
    view: "RowView | None"
    guard: threading.Lock = field(default_factory=threading.Lock)


@dataclass(eq=False, repr=False)
class Results:
    """Rows, counts and reasons of completed projects. Synchronous and thread-safe.

    Every method raises TaskUnknown, Gone, or ResultNotReady as ``Tasks.get`` and the state say.
    """

    blobs: Blobs
    tasks: Tasks
    judge_for: Callable[[KeyType], Judge]
    views: ProjectViews
    find_since: "Callable[[StoredTask, Since, CleaningPolicy], NDArray[np.int64]]"

    def __post_init__(self) -> None:
        self._open = PerProject[tuple[str, bool], _ProjectRows](OPEN_PROJECTS)

    @use_case(Role.READER)
    def rows(
        self,
        account: str,
        task_id: str,
        row_filter: RowFilter,
        offset: int,
        limit: int,
        order: RowOrder = IN_FILE,
    ) -> RowPage:
        """Return matching rows ``offset`` to ``offset + limit`` of an order."""
        with self.opened(account, task_id) as rows:
            return rows.page(row_filter, offset, limit, order)

    @use_case(Role.READER)
    def read_original(
        self, account: str, task_id: str, category: Category | None, offset: int, limit: int
    ) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        """Return some rows of the result itself, without the own lists of now, and its columns.

        A list without a header has no columns.

        Args:
            account: The task's.
            task_id: A completed task.
            category: Only rows of this category; None: all.
            offset: How many of these rows come before.
            limit: How many rows are returned at most.
        """
        values = () if category is None else (category.value,)
        chosen = RowFilter(Chosen().choose(CATEGORY, *values))
        export = Export(Variant.ORIGINAL, rows=chosen, part=FilePart(offset, limit))
        with self.opened(account, task_id, as_judged=True) as rows:
            header, *grids = rows.stream_cells(export)
        found = tuple(row for grid in grids for row in grid.list_rows())
        return next(iter(header.list_rows()), ()), found

    @use_case(Role.READER)
    def facets(self, account: str, task_id: str, row_filter: RowFilter) -> Facets:
        """Count matching rows by every dimension, each without its own restriction."""
        with self.opened(account, task_id) as rows:
            return rows.facets(row_filter)

    @use_case(Role.READER)
    def row(self, account: str, task_id: str, number: int) -> Row:
        """Return one row by its number, from 1.

        Raises:
            IndexError: There is no such row.
        """
        with self.opened(account, task_id) as rows:
            return rows.row(number)

    @use_case(Role.READER)
    def preview_platform(
        self, account: str, task_id: str, export: Export, most: int
    ) -> PlatformPreview:
        """Return a preview of a file for a platform, with some of its first rows.

        Raises:
            ValueError: The export has no platform.
        """
        from winnow.lists.result import platform_file

        if export.platform is None:
            raise ValueError("the export is for no platform")
        with self.opened(account, task_id) as rows:
            return platform_file.preview_platform(rows, export, export.platform, most)

    @use_case(Role.READER)
    def weigh(self, account: str, task_id: str, policy: CleaningPolicy) -> CleaningEffect:
        """Return what a policy keeps and removes, with the own lists of now."""
        with self.opened(account, task_id) as rows:
            return weigh(policy, rows.count_verdicts())

    @use_case(Role.READER)
    def forecast_bounces(
        self, account: str, task_id: str, policy: CleaningPolicy
    ) -> BounceForecast | None:
        """Return how many of the rows that a policy keeps may bounce, by the imported files."""
        files = {
            file.sha256: file.counts.mailed
            for file in self.views.store.list_files(account)
            if file.kind is OwnFileKind.BOUNCES and file.counts.mailed
        }
        if not files:
            return None
        with self.opened(account, task_id) as rows:
            return forecast_bounces(rows.count_kinds(policy), tuple(files.values()))

    @use_case(Role.READER)
    def split(
        self, account: str, task_id: str, place: int, policy: CleaningPolicy, wanted: str = ""
    ) -> ColumnSplit:
        """Return what a policy removes by the values of a column, from 0, with a text in them."""
        with self.opened(account, task_id) as rows:
            return rows.own_columns.split(place, policy, wanted)

    @use_case(Role.READER)
    def write_split(self, account: str, task_id: str, place: int, policy: CleaningPolicy) -> bytes:
        """Return the same as CSV to hand on, for Excel: no group of few rows, and no address."""
        from winnow.lists.result.cell_grid import write_guarded

        split = self.split(account, task_id, place, policy)
        head = ("" if "@" in split.column else split.column, say("Rows"), say("To remove"))
        shares = ((one.text, str(one.rows), str(one.removed)) for one in split.list_large())
        return BOM_UTF8 + write_guarded([head, *shares], len(head))

    @use_case(Role.READER)
    def measure(self, account: str, task_id: str, export: Export) -> int:
        """Return how many rows an export holds."""
        with self.opened(account, task_id) as rows:
            return rows.measure(export)

    @use_case(Role.READER)
    def columns(self, account: str, task_id: str) -> tuple[str, ...]:
        """Return the names of a row's cells."""
        with self.opened(account, task_id) as rows:
            return rows.columns

    @use_case(Role.READER)
    def email_column(self, account: str, task_id: str) -> int:
        """Return the index of the cell with the address that a row was judged by."""
        with self.opened(account, task_id) as rows:
            return rows.email_column

    @use_case(Role.READER)
    def explain(self, account: str, task_id: str, row: Row) -> Findings:
        """Return the evidence for a row's verdict, by the knowledge of today.

        Network facts are those of the task's run; nothing is asked again. Matches in own files are
        the first evidence.
        """
        stored = self.tasks.get_stored(account, task_id)
        judge = self.judge_for(stored.task.key_type)
        own_reasons = tuple(one for one in row.verdict.reasons if one not in OWN_FILES)
        row_as_judged = replace(row, verdict=replace(row.verdict, reasons=own_reasons))
        found = gather_findings(self._recall(stored, judge, row_as_judged), judge.knowledge.reach)
        return replace(found, evidence=(*self.views.cite(stored, row), *found.evidence))

    @use_case(Role.READER)
    def require_completed(self, account: str, task_id: str) -> StoredTask:
        """Return a task whose result can be read.

        Raises:
            ResultNotReady: It is processing, or it failed.
            ResultLost: Files of it are missing.
        """
        stored = self._require_result(account, task_id)
        if not is_whole(self.blobs, stored.result_key):
            raise self._name_loss(stored)
        return stored

    def _require_result(self, account: str, task_id: str) -> StoredTask:
        stored = self.tasks.get_stored(account, task_id)
        if stored.task.state is TaskState.PROCESSING:
            raise ResultNotReady(
                "The project is still being processed.", retry_after_seconds=RETRY_AFTER_SECONDS
            )
        if stored.result is None:
            raise ResultNotReady("The project failed; there is no result.")
        return stored

    @contextmanager
    def _naming_loss(self, stored: StoredTask) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise self._name_loss(stored) from error

    def _name_loss(self, stored: StoredTask) -> Gone:
        """Return the error for a result without its files: just deleted, or lost."""
        try:
            self.tasks.get_stored(stored.task.account, stored.task.task_id)
        except Gone as gone:
            return gone
        try:
            self.blobs.size(stored.input_key)
        except FileNotFoundError:
            return ResultLost(has_list=False)
        return ResultLost(has_list=True)

    def fetch(self, stored: StoredTask, part: str | None = None) -> Path:
        """Return a local folder with the parts of a completed task's result, or one of them.

        Raises:
            Gone: The project was just deleted, or files of it are missing.
        """
        with self._naming_loss(stored):
            key = stored.result_key
            return self.blobs.fetch(key if part is None else key.with_part(part))

    def open_rows(self, stored: StoredTask) -> "ResultRows":
        """Open a completed task's rows for one reader, with the own lists of now.

        Raises:
            Gone: The project was just deleted.
        """
        return self._open_rows(stored, self.views.see(stored).view)

    def _open_rows(self, stored: StoredTask, view: "RowView | None") -> "ResultRows":
        from winnow.lists.result.result_rows import ResultRows  # brings numpy and pyarrow along

        with self._naming_loss(stored):
            folder, find_since = self.fetch(stored), partial(self.find_since, stored)
            return ResultRows(folder, stored.task.plan, view, self.views.ask, find_since)

    def _recall(self, stored: StoredTask, judge: Judge, row: Row) -> Judgement:
        """Return the judgement of a row's verdict, with its facts gathered again."""
        address = find_address(row.email)
        if address is None:
            return Judgement(None, None, None, row.verdict)
        folder, facts = self.fetch(stored), judge.knowledge.look_up(address.domain)
        facts = facts._replace(mail=read_mail_facts(folder, address.domain))
        facts = facts._replace(age=read_age_facts(folder, facts.registrable))
        own = self.views.find_entry(stored.task, row.email, address.domain)
        return Judgement(address, facts, own, row.verdict)

    @contextmanager
    def opened(
        self, account: str, task_id: str, *, as_judged: bool = False
    ) -> "Iterator[ResultRows]":
        """Yield the rows of a project to one thread at a time; they stay open for the next call.

        ``as_judged``: without own lists and own files.
        """
        stored = self._require_result(account, task_id)
        try:
            view = None if as_judged else self.views.see(stored).view
        except Gone as error:
            raise self._name_loss(stored) from error

        def open_whole() -> _ProjectRows:
            if not is_whole(self.blobs, stored.result_key):
                raise self._name_loss(stored)
            return _ProjectRows(self._open_rows(stored, view), view)

        key = (task_id, as_judged)
        opened = self._open.get(key, open_whole, is_enough=lambda known: known.view is view)
        with opened.guard, self._naming_loss(stored):
            yield opened.rows
