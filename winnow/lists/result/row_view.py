"""Verdicts of a finished project's rows with the own lists and own files of one moment.

The files of a project stay unchanged: what own lists decide, and what do-not-mail files, bounces
and unsubscribed columns match, is laid over them when rows are read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.lists.contact_fields import find_consent
from winnow.core.own_lists.patterns import OwnLists, judge_entry
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.policy import overrule
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.lists.result import cell_queries
from winnow.lists.result.added_columns import list_cells
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.row_index import RowIndex

MATCHES = (Reason.DO_NOT_MAIL, Reason.UNSUBSCRIBED, Reason.BOUNCED_HARD, Reason.BOUNCED_SOFT)
"""In the order of their bits."""

Class = tuple[Category, Reason]
Rows = NDArray[np.int64]
Places = NDArray[np.uint16]


def find_unsubscribed(cells: CellReader) -> Rows:
    """Return the rows, from 0 and rising, that a column of consent says may not be mailed."""
    kinds = dict(find_consent(cells.plan.columns))
    kinds.pop(cells.plan.email_column, None)
    return cells.find(cell_queries.find_forbidding, kinds) if kinds else np.empty(0, np.int64)


def number_domains(index: RowIndex, own: OwnLists) -> NDArray[np.uint32]:
    """Return, by domain code, the entry that decides for the domain: its place plus 1, 0 for none.

    The same as ``OwnLists.match_domain`` for every name, by array operations.
    """
    found = [np.zeros(1, np.uint32)]
    by_depth: dict[int, dict[str, int]] = {}
    for parent, place in own.wildcards.items():
        by_depth.setdefault(parent.count("."), {})[parent] = place + 1
    domains = {domain: place + 1 for domain, place in own.domains.items()}
    for names in index.read_names():
        numbers = np.zeros(len(names), np.uint32)
        for dots in sorted(by_depth):  # the longer wildcard has the last word
            parents = names.str.extract(rf"\.((?:[^.]+\.){{{dots}}}[^.]+)$")
            _put(numbers, parents, by_depth[dots])
        if domains:
            _put(numbers, names, domains)
        found.append(numbers)
    return np.concatenate(found)


def _put(numbers: NDArray[np.uint32], names: pl.Series, wanted: Mapping[str, int]) -> None:
    values = pl.Series(list(wanted.values()), dtype=pl.UInt32)
    given = names.replace_strict(list(wanted), values, default=0, return_dtype=pl.UInt32)
    hits = given.fill_null(0).to_numpy()
    np.copyto(numbers, hits, where=hits > 0)


def _find_addresses(
    index: RowIndex, cells: CellReader, own: OwnLists
) -> tuple[Rows, NDArray[np.uint32]]:
    """Return the rows whose whole address has an entry, ascending, and the entries' numbers."""
    if not index.find_domains({key.rpartition("@")[2] for key in own.addresses}):
        return np.empty(0, np.int64), np.empty(0, np.uint32)
    rows, found = cells.find(cell_queries.find_addresses, list(own.addresses))
    return rows, np.array(list(own.addresses.values()), np.uint32)[found] + np.uint32(1)


@dataclass(frozen=True, slots=True, eq=False)
class RowView:
    """Every row's verdict as it is to be seen now.

    ``verdicts`` are the distinct ones; ``changed`` has each row's place among them, None where it
    is the stored one. ``alters_result``: whether any row's added cells are others than in the
    stored file.
    """

    index: RowIndex
    verdicts: tuple[Verdict, ...]
    changed: Places | None = None
    alters_result: bool = False

    @classmethod
    def as_judged(cls, index: RowIndex) -> "RowView":
        """Return the view of a project as it was judged."""
        return cls(index, index.verdicts)

    @classmethod
    def lay_own(cls, cells: CellReader, own: OwnLists) -> "RowView | None":
        """Return the view of a project with own lists; None where they change nothing.

        Raises:
            FileNotFoundError: The folder holds no finished row index.
        """
        index = RowIndex.open(cells.folder)
        if not own.entries and all(verdict.overruled is None for verdict in index.verdicts):
            return None
        classes: dict[Class, int] = {}
        kind_of = np.zeros(1 + len(own.entries), np.uint8)  # by an entry's number; 0: none
        for number, entry in enumerate(own.entries, start=1):
            kind_of[number] = classes.setdefault((entry.category, entry.reason), len(classes) + 1)
        by_domain = kind_of[number_domains(index, own)]
        kinds = np.empty(index.row_count, np.uint8)
        for start, count in index.iterate_runs():
            kinds[start : start + count] = by_domain[index.domain_codes(start, count)]
        rows, numbers = _find_addresses(index, cells, own)
        kinds[rows] = kind_of[numbers]
        changes = {kind: partial(_overrule, judge_entry(*one)) for one, kind in classes.items()}
        plain = cls(index, tuple(verdict.overruled or verdict for verdict in index.verdicts))
        view = plain._change(kinds, {0: lambda verdict: verdict, **changes})
        return replace(view, alters_result=view._changes_cells())

    def add_matches(self, found: Mapping[Reason, Sequence[Rows]]) -> "RowView":
        """Return this view with ``MATCHES`` after each verdict's own reasons.

        Category, type and what decided stay as they are: a file of addresses judges none of them.

        Args:
            found: The rows that each reason holds for, however many files say so.
        """
        kinds = np.zeros(self.index.row_count, np.uint8)
        for reason, parts in found.items():
            for rows in parts:
                kinds[rows] |= np.uint8(1 << MATCHES.index(reason))
        if not kinds.any():
            return self
        changes = {kind: partial(_add_matches, kind) for kind in np.unique(kinds).tolist()}
        return self._change(kinds, changes)

    def places(self, start: int, count: int) -> Places:
        """Return each row's place in ``verdicts``; not to be written to."""
        if self.changed is None:
            return self.index.verdict_places(start, count)
        return self.changed[start : start + count]

    def count(self) -> NDArray[np.int64]:
        """Return how many rows each verdict has."""
        counts = np.zeros(len(self.verdicts), np.int64)
        for run in self.index.iterate_runs():
            counts += np.bincount(self.places(*run), minlength=len(counts))
        return counts

    def _change(
        self, kinds: NDArray[np.uint8], changes: Mapping[int, Callable[[Verdict], Verdict]]
    ) -> "RowView":
        """Return a view in which each row's verdict is changed as its kind says."""
        numbers: dict[Verdict, int] = {}
        table = np.zeros((max(changes) + 1, len(self.verdicts)), np.uint16)
        for kind, change in changes.items():
            table[kind] = [numbers.setdefault(change(one), len(numbers)) for one in self.verdicts]
        changed = np.empty(len(kinds), np.uint16)
        for start, count in self.index.iterate_runs():
            some = slice(start, start + count)
            changed[some] = table[kinds[some], self.places(start, count)]
        return replace(self, verdicts=tuple(numbers), changed=changed)

    def _changes_cells(self) -> bool:
        new, old = list(map(list_cells, self.verdicts)), list(map(list_cells, self.index.verdicts))
        differs = np.array([[one != other for other in old] for one in new], np.bool_)
        return any(
            bool(differs[self.places(*run), self.index.verdict_places(*run)].any())
            for run in self.index.iterate_runs()
        )


def _overrule(exact: Verdict, verdict: Verdict) -> Verdict:
    return verdict if verdict.domain_type is DomainType.INVALID else overrule(exact, verdict)


def _add_matches(bits: int, verdict: Verdict) -> Verdict:
    reasons = (one for place, one in enumerate(MATCHES) if bits >> place & 1)
    return replace(verdict, reasons=(*verdict.reasons, *reasons))
