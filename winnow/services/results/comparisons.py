"""Comparison of two completed projects of an account, with the own lists of now."""

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from cachetools import LRUCache

from winnow.core.errors import Gone
from winnow.core.lists.comparison import Comparison, Difference, DifferentAddress
from winnow.services.own.own_effects import OwnEffects
from winnow.services.results.results import Results
from winnow.storage.repositories.tasks import StoredTask

if TYPE_CHECKING:
    from winnow.lists.result.comparing import ComparedProject, ComparedRows

PAIRS_KEPT = 2  # each takes some 30 bytes a row, for all sessions together


class Comparisons:
    """Compares pairs of projects. Synchronous and thread-safe.

    Every method raises TaskUnknown, Gone, or ResultNotReady as ``Results.require_completed``.
    """

    def __init__(self, results: Results, own_effects: OwnEffects) -> None:
        self._results = results
        self._own_effects = own_effects
        self._guard = threading.Lock()  # one at a time: each reads two lists
        self._kept: LRUCache[tuple[str, str, int], ComparedRows] = LRUCache(PAIRS_KEPT)

    def compare(self, account: str, before_id: str, now_id: str) -> Comparison:
        """Count what differs between an earlier project and a later one."""
        return self._open(account, before_id, now_id).comparison

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

    def open_stream(
        self, account: str, before_id: str, now_id: str
    ) -> Callable[[], Iterator[bytes]]:
        """Compare now; the returned function yields every address that differs, as CSV in UTF-8."""
        return self._open(account, before_id, now_id).stream

    def _open(self, account: str, before_id: str, now_id: str) -> "ComparedRows":
        before = self._results.require_completed(account, before_id)
        now = self._results.require_completed(account, now_id)
        key = before_id, now_id, self._own_effects.version(now)
        with self._guard:
            if key not in self._kept:
                from winnow.lists.result.comparing import ComparedRows  # brings polars along

                self._kept[key] = ComparedRows(self._read(before), self._read(now))
            return self._kept[key]

    def _read(self, stored: StoredTask) -> "ComparedProject":
        from winnow.lists.result.comparing import ComparedProject

        try:
            return ComparedProject(
                self._results.open_cells(stored),
                self._own_effects.find_overlay(stored),
            )
        except FileNotFoundError as error:
            raise Gone("The project has been deleted.") from error
