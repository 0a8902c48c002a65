"""Comparison of two completed projects of an account, with the own lists of now."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from winnow.core.identities import Role
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.comparison import Comparison, Difference, DifferentAddress
from winnow.services.own.policies import Policies
from winnow.services.own.project_views import ProjectViews, naming_loss
from winnow.services.per_project import PerProject
from winnow.services.results.results import Results
from winnow.services.use_cases import use_case
from winnow.storage.repositories.tasks import StoredTask

if TYPE_CHECKING:
    from winnow.lists.result.comparing import ComparedProject, ComparedRows

PAIRS_KEPT = 2  # each takes some 30 bytes a row, for all sessions together


@dataclass(eq=False, repr=False)
class Comparisons:
    """Compares pairs of projects by the default policy. Synchronous and thread-safe.

    Every method raises TaskUnknown, Gone, or ResultNotReady as ``Results.require_completed``.
    """

    results: Results
    views: ProjectViews
    policies: Policies

    def __post_init__(self) -> None:
        self._kept = PerProject[tuple[str, str, int, CleaningPolicy], "ComparedRows"](PAIRS_KEPT)

    @use_case(Role.READER)
    def compare(self, account: str, before_id: str, now_id: str) -> Comparison:
        """Count what differs between an earlier project and a later one."""
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
    def open_stream(
        self, account: str, before_id: str, now_id: str
    ) -> Callable[[], Iterator[bytes]]:
        """Compare now; the returned function yields every address that differs, as CSV in UTF-8."""
        return self._open(account, before_id, now_id).stream

    def _open(self, account: str, before_id: str, now_id: str) -> "ComparedRows":
        before = self.results.require_completed(account, before_id)
        now = self.results.require_completed(account, now_id)

        def compare() -> "ComparedRows":
            from winnow.lists.result.comparing import ComparedRows  # brings polars along

            return ComparedRows(self._read(before, policy), self._read(now, policy))

        policy = self.policies.find_default(account).choice.policy
        return self._kept.get((before_id, now_id, self.views.version(now), policy), compare)

    def _read(self, stored: StoredTask, policy: CleaningPolicy) -> "ComparedProject":
        from winnow.lists.result.comparing import ComparedProject

        with naming_loss():
            view = self.views.find_view(stored)
            return ComparedProject(self.views.open_cells(stored), view, policy)
