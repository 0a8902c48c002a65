"""Verdicts of a finished project's rows with the own lists and own files of one moment.

The files of a project stay unchanged: what own lists decide, and what do-not-mail files, bounces
and unsubscribed columns match, is laid over them when rows are read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from winnow.core.own_lists.patterns import OwnLists, judge_entry
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.policy import overrule_last
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.lists.result.added_columns import list_cells
from winnow.lists.result.cell_queries import find_addresses, find_local_parts
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.row_index import RowIndex

MATCHES = (
    Reason.DO_NOT_MAIL,
    Reason.UNSUBSCRIBED,
    Reason.UNSUBSCRIBED_ELSEWHERE,
    Reason.UNSUBSCRIBED_BEFORE,
    Reason.BOUNCED_HARD,
    Reason.BOUNCED_SOFT,
    Reason.LEFT_OUT,
    Reason.DOUBTED,
)
"""In the order of their bits."""

Class = tuple[Category, Reason]
Rows = NDArray[np.int64]
Indices = NDArray[np.uint16]


@dataclass(frozen=True, slots=True, eq=False)
class RowView:
    """Every row's verdict as it is to be seen now.

    ``verdicts`` are the distinct ones; ``changed`` has each row's place among them, None where it
    is the stored one. ``alters_result``: whether any row's added cells are others than in the
    stored file.
    """

    index: RowIndex
    verdicts: tuple[Verdict, ...]
    changed: Indices | None = None
    alters_result: bool = False

    @classmethod
    def as_judged(cls, index: RowIndex) -> "RowView":
        """Return the view of a project as it was judged."""
        return cls(index, index.verdicts)

    @classmethod
    def with_own_lists(cls, cells: CellReader, own: OwnLists) -> "RowView | None":
        """Return the view of a project with own lists; None where they change nothing.

        Raises:
            FileNotFoundError: The folder holds no finished row index.
        """
        index = RowIndex.open(cells.folder)
        if not own.entries and all(verdict.overruled is None for verdict in index.verdicts):
            return None
        classes: dict[Class, int] = {}

        def number(entry: OwnEntry | None) -> int:
            """Return the number of an entry's class; 0 without an entry."""
            one = None if entry is None else (entry.category, entry.reason)
            return 0 if one is None else classes.setdefault(one, len(classes) + 1)

        names = chain.from_iterable(index.read_names())
        numbers = (number(own.match_domain(name)) for name in names)
        by_domain = np.fromiter(chain([0], numbers), np.uint8)
        kinds = np.empty(index.row_count, np.uint8)
        for start, count in index.iterate_runs():
            kinds[start : start + count] = by_domain[index.domain_codes(start, count)]
        known = index.find_domains({key.rpartition("@")[2] for key in own.addresses})
        for named, search in (
            (own.local_parts, find_local_parts),
            (own.addresses if known else {}, find_addresses),
        ):
            if not named:
                continue
            rows, found = cells.find(search, list(named))
            entries = np.array([number(own.entries[place]) for place in named.values()], np.uint8)
            is_open = (kinds[rows] == 0) | (named is own.addresses)
            kinds[rows[is_open]] = entries[found[is_open]]
        changes = {kind: partial(overrule_last, judge_entry(*one)) for one, kind in classes.items()}
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

    def add_silence(self, months: NDArray[np.uint8]) -> "RowView":
        """Return this view with how many months each row's person has been silent."""
        if not months.any():
            return self
        known = np.unique(months).tolist()
        return self._change(months, {one: partial(replace, silent_months=one) for one in known})

    def indices(self, start: int, count: int) -> Indices:
        """Return each row's place in ``verdicts``; not to be written to."""
        if self.changed is None:
            return self.index.verdict_indices(start, count)
        return self.changed[start : start + count]

    def count_verdicts(self, rows: Rows | None = None) -> tuple[tuple[Verdict, int], ...]:
        """Return the distinct verdicts of some rows, or of all, and how many of them have each."""
        counts = np.zeros(len(self.verdicts), np.int64)
        for start, count in self.index.iterate_runs():
            indices = self.indices(start, count)
            if rows is not None:
                indices = indices[rows[(rows >= start) & (rows < start + count)] - start]
            counts += np.bincount(indices, minlength=len(counts))
        found = zip(self.verdicts, counts.tolist(), strict=True)
        return tuple((verdict, count) for verdict, count in found if count)

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
            changed[some] = table[kinds[some], self.indices(start, count)]
        return replace(self, verdicts=tuple(numbers), changed=changed)

    def _changes_cells(self) -> bool:
        count = self.index.text.added_count
        new, old = (
            [list_cells(one, count) for one in verdicts]
            for verdicts in (self.verdicts, self.index.verdicts)
        )
        differs = np.array([[one != other for other in old] for one in new], np.bool_)
        return any(
            bool(differs[self.indices(*run), self.index.verdict_indices(*run)].any())
            for run in self.index.iterate_runs()
        )


def _add_matches(bits: int, verdict: Verdict) -> Verdict:
    reasons = (one for place, one in enumerate(MATCHES) if bits >> place & 1)
    return replace(verdict, reasons=(*verdict.reasons, *reasons))
