"""Repairs of finished projects: find candidates, run a list again, undo it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.addresses.repairs import Proposal, propose_repair
from winnow.core.errors import BadField, TaskUnknown
from winnow.core.identities import Event, Role
from winnow.core.judging.judge import Judge
from winnow.core.tasks.repair_choice import NOTHING_TO_REPAIR, RepairChoice, RepairOffer, RepairRow
from winnow.core.tasks.task import KeyType, Task
from winnow.services.names import NAME_MAX_CHARACTERS
from winnow.services.own.project_views import naming_loss
from winnow.services.per_project import PerProject
from winnow.services.results.results import Results
from winnow.services.tasks.deletions import Deletions
from winnow.services.use_cases import use_case
from winnow.storage.repositories.tasks import StoredTask

if TYPE_CHECKING:
    from winnow.lists.result.repairs import RepairableRows

CANDIDATES_AT_ONCE = 2_000  # rows looked at without a request; 60 to 90 microseconds each
ROWS_AT_ONCE = 2_000_000  # rows searched for apostrophes without a request; half a second
PROJECTS_KEPT = 8  # each keeps 12 bytes a row that could be repaired
SINGLES_MAX = 10_000  # values that are chosen one by one

_DOMAINS_REMEMBERED = 65_536
_REPAIRED = ", repaired"


@dataclass(eq=False, repr=False)
class Repairs:
    """Finds, makes and undoes repairs. Synchronous and thread-safe."""

    results: Results
    deletions: Deletions
    judge_for: Callable[[KeyType], Judge]

    def __post_init__(self) -> None:
        self._found = PerProject[tuple[str, str], "RepairableRows | int"](PROJECTS_KEPT)

    @use_case(Role.READER)
    def find_repairs(
        self,
        account: str,
        task_id: str,
        *,
        at_any_size: bool = False,
        tick: Callable[[float], None] = lambda share: None,
    ) -> RepairOffer:
        """Return the rows that could be repaired in a completed project.

        Args:
            account: Whose project it is.
            task_id: A completed project; in the sandbox nothing is offered.
            at_any_size: Search a large project as well.
            tick: Called with the share done, 0 to 1; may raise.

        Raises:
            TaskUnknown, Gone, ResultNotReady: As ``Results.require_completed``.
        """
        stored = self.results.require_completed(account, task_id)
        if stored.task.key_type is KeyType.SANDBOX:
            return NOTHING_TO_REPAIR
        found = self._look(stored, at_any_size, tick)
        if isinstance(found, int):
            return RepairOffer(candidates=found)
        return RepairOffer(found.count())

    @use_case(Role.READER)
    def page(
        self,
        account: str,
        task_id: str,
        kinds: Collection[RepairKind],
        offset: int,
        limit: int,
    ) -> tuple[tuple[RepairRow, ...], int]:
        """Return a page of the rows that could be repaired, of some kinds, and their total.

        Only of a project that ``find`` has searched.
        """
        stored = self.results.require_completed(account, task_id)
        from winnow.lists.result.row_index import RowIndex

        found = self._look(stored, True, lambda share: None)
        if isinstance(found, int):
            return (), 0
        index = RowIndex.open(self.results.fetch(stored))
        propose = self._open_proposing()
        return found.page(index, stored.task.plan, propose, kinds, offset, limit)

    @use_case(Role.MEMBER, Event.SUBMITTED, subject="result.task_id")
    def run(self, account: str, task_id: str, choice: RepairChoice) -> Task:
        """Queue a finished task's list again with repairs, as a project of its own.

        Earlier repairs are applied again.

        Raises:
            BadField: Too many values are chosen one by one.
            WinnowError: As ``Tasks.submit_again``.
        """
        if len(choice.singles) > SINGLES_MAX:
            raise BadField(
                "repairs",
                "at most {most} addresses can be chosen one by one",
                most=SINGLES_MAX,
                hint="Choose a whole kind instead.",
            )
        task = self.results.tasks.get(account, task_id)
        if task.request.repair is not None:
            choice = task.request.repair.join(choice)
        asked = replace(task.request, repair=choice, made_from=task_id)
        name = task.project_name.removesuffix(_REPAIRED)
        name = f"{name[: NAME_MAX_CHARACTERS - len(_REPAIRED)]}{_REPAIRED}"
        return self.results.tasks.submit_again(account, task_id, project_name=name, request=asked)

    @use_case(Role.MEMBER, Event.DELETED, subject="task_id")
    def undo(self, account: str, task_id: str) -> Task:
        """Delete a repaired project, for now (``Deletions``); return the one that it was made from.

        Raises:
            TaskUnknown, Gone: Either no longer exists; nothing is deleted.
        """
        origin = self.results.tasks.get(account, task_id).request.made_from
        if origin is None:
            raise TaskUnknown("The project was not made from another.")
        found = self.results.tasks.get(account, origin)
        self.deletions.delete(account, [task_id])
        return found

    def _look(
        self, stored: StoredTask, at_any_size: bool, tick: Callable[[float], None]
    ) -> "RepairableRows | int":
        """Return the rows found, or only the number of candidates if there are too many."""

        def search() -> "RepairableRows | int":
            from winnow.lists.result import repairs  # brings numpy and polars along
            from winnow.lists.result.row_index import RowIndex

            with naming_loss():
                index = RowIndex.open(self.results.fetch(stored))
                if index.row_count > ROWS_AT_ONCE and not at_any_size:
                    return index.row_count
                candidates = repairs.find_candidates(index)
                if len(candidates) > CANDIDATES_AT_ONCE and not at_any_size:
                    return len(candidates)
                propose = self._open_proposing()
                return repairs.look_through(index, stored.task.plan, candidates, propose, tick)

        key = stored.task.task_id, self.judge_for(stored.task.key_type).knowledge.data_version
        return self._found.get(
            key, search, is_enough=lambda found: not (isinstance(found, int) and at_any_size)
        )

    def _open_proposing(self) -> Callable[[str], Proposal | None]:
        find_facts = lru_cache(maxsize=_DOMAINS_REMEMBERED)(
            self.judge_for(KeyType.LIVE).knowledge.look_up
        )
        return lambda text: propose_repair(text, find_facts)
