"""Repairs of finished projects: what could be repaired, what was, and the list run again."""

import threading
from collections.abc import Callable, Collection
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from cachetools import LRUCache

from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.addresses.repairs import Proposal, propose_repair
from winnow.core.errors import BadField, Gone
from winnow.core.lists.repair_offers import NOTHING_TO_REPAIR, RepairOffer, RepairRow
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.task import KeyType, Task
from winnow.core.verdicts.judge import Judge
from winnow.services.results import Results
from winnow.services.tasks import Tasks
from winnow.storage.repositories.tasks import StoredTask

if TYPE_CHECKING:
    from winnow.lists.result.repairable_rows import RepairableRows

CANDIDATES_AT_ONCE = 10_000  # rows looked at unasked; about a second
ROWS_AT_ONCE = 2_000_000  # rows of a list that are searched unasked for apostrophes; half a second
PROJECTS_KEPT = 8  # each keeps 12 bytes a row that could be repaired
SINGLES_MAX = 10_000  # values that are chosen by themselves

_DOMAINS_REMEMBERED = 65_536


class Repairs:
    """Finds, makes and undoes repairs. Synchronous and thread-safe."""

    def __init__(self, results: Results, tasks: Tasks, judge_for: Callable[[KeyType], Judge]):
        self._results = results
        self._tasks = tasks
        self._judge_for = judge_for
        self._guard = threading.Lock()  # one at a time: each looks at many values
        self._kept = LRUCache[tuple[str, str], "RepairableRows | int"](PROJECTS_KEPT)

    def find(
        self,
        account: str,
        task_id: str,
        *,
        at_any_size: bool = False,
        tick: Callable[[float], None] = lambda share: None,
    ) -> RepairOffer:
        """Return what could be repaired in a completed project.

        Args:
            account: Whose project it is.
            task_id: A completed project; in the sandbox nothing is offered.
            at_any_size: Look through a large project as well.
            tick: Told the share done, 0 to 1; may raise.

        Raises:
            TaskUnknown, Gone, ResultNotReady: As ``Results.require_completed``.
        """
        stored = self._results.require_completed(account, task_id)
        if stored.task.key_type is KeyType.SANDBOX:
            return NOTHING_TO_REPAIR
        with self._guard:
            found = self._look(stored, at_any_size, tick)
        if isinstance(found, int):
            return RepairOffer(candidates=found)
        return RepairOffer(found.count())

    def page(
        self,
        account: str,
        task_id: str,
        kinds: Collection[RepairKind],
        offset: int,
        limit: int,
    ) -> tuple[tuple[RepairRow, ...], int]:
        """Return rows that could be repaired, of some kinds, and how many there are in all.

        Only of a project that ``find`` has looked through.
        """
        stored = self._results.require_completed(account, task_id)
        from winnow.lists.result.row_columns import RowIndex

        with self._guard:
            found = self._look(stored, True, lambda share: None)
        if isinstance(found, int):
            return (), 0
        index = RowIndex.open(self._results.fetch(stored))
        plan = index.text.see(stored.task.plan)
        propose = self._open_proposing()
        return found.page(index, plan, propose, kinds, offset, limit)

    def list_repaired(
        self, account: str, task_id: str, kinds: Collection[RepairKind], offset: int, limit: int
    ) -> tuple[tuple[RepairRow, ...], int]:
        """Return rows that were repaired in a completed project, and how many there are in all."""
        from winnow.lists.result.repairs import REPAIRS_NAME, RepairedRows
        from winnow.lists.result.row_columns import RowIndex

        stored = self._results.require_completed(account, task_id)
        if stored.task.options.repair is None:
            return (), 0
        try:
            folder = self._folder(stored)
            numbers = RowIndex.open(folder).read_numbers()
            return RepairedRows(folder / REPAIRS_NAME, numbers).page(kinds, offset, limit)
        except FileNotFoundError as error:
            raise Gone("The project has been deleted.") from error

    def run(self, account: str, task_id: str, choice: RepairChoice) -> Task:
        """Queue a project's list anew with repairs; errors are those of ``Tasks.repair``.

        Raises:
            BadField: Too many values are chosen one by one.
        """
        if len(choice.singles) > SINGLES_MAX:
            raise BadField(
                "repairs",
                f"at most {SINGLES_MAX:,} addresses can be chosen one by one",
                hint="Choose a whole kind instead.",
            )
        return self._tasks.repair(account, task_id, choice)

    def undo(self, account: str, task_id: str) -> Task:
        """Delete a repaired project and return the one before; as ``Tasks.undo_repair``."""
        return self._tasks.undo_repair(account, task_id)

    def _look(
        self, stored: StoredTask, at_any_size: bool, tick: Callable[[float], None]
    ) -> "RepairableRows | int":
        """Return what was found, or how many candidates there are where these are too many."""
        from winnow.lists.result import repairable_rows  # brings numpy and polars along
        from winnow.lists.result.row_columns import RowIndex

        judge = self._judge_for(stored.task.key_type)
        key = stored.task.task_id, judge.data_version
        known = self._kept.get(key)
        if known is not None and not (isinstance(known, int) and at_any_size):
            return known
        try:
            index = RowIndex.open(self._folder(stored))
            plan = index.text.see(stored.task.plan)
            if index.row_count > ROWS_AT_ONCE and not at_any_size:
                return self._keep(key, index.row_count)
            candidates = repairable_rows.find_candidates(index, plan)
            if len(candidates) > CANDIDATES_AT_ONCE and not at_any_size:
                return self._keep(key, len(candidates))
            propose = self._open_proposing()
            found = repairable_rows.look_through(index, plan, candidates, propose, tick)
        except FileNotFoundError as error:
            raise Gone("The project has been deleted.") from error
        return self._keep(key, found)

    def _keep(self, key: tuple[str, str], found: "RepairableRows | int") -> "RepairableRows | int":
        self._kept[key] = found
        return found

    def _open_proposing(self) -> Callable[[str], Proposal | None]:
        find_facts = lru_cache(maxsize=_DOMAINS_REMEMBERED)(self._judge_for(KeyType.LIVE).known)
        return lambda text: propose_repair(text, find_facts)

    def _folder(self, stored: StoredTask) -> Path:
        return self._results.fetch(stored)
