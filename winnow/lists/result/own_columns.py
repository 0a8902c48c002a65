"""Rows counted by the values of the list's own columns."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from winnow.core.lists.cleaning import CleaningPolicy, list_grounds
from winnow.core.lists.own_columns import ColumnSplit, OwnColumn, ValueShare, name_own_column
from winnow.core.verdicts.verdict import Verdict
from winnow.lists.result.cell_queries import ValueTable, count_values
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.row_view import RowView


class ColumnReader:
    """Counts all columns when first asked; keeps some megabytes at most.

    Verdicts that are removed on the same grounds are one outcome: ``verdicts`` has one of each.
    """

    def __init__(self, view: RowView, cells: CellReader, names: Sequence[str]) -> None:
        self._view = view
        self._cells = cells
        self._names = names
        found: dict[object, tuple[int, Verdict]] = {}
        numbers = [
            found.setdefault(list_grounds(verdict), (len(found), verdict))[0]
            for verdict in view.verdicts
        ]
        self._outcome_of = np.array(numbers, np.uint16)
        self.verdicts = tuple(verdict for _, verdict in found.values())

    def list_columns(self) -> tuple[OwnColumn, ...]:
        """Return the columns with few enough values to count by, from the left."""
        return tuple(map(self._name, self.tables))

    def split(self, place: int, policy: CleaningPolicy, most: int) -> ColumnSplit | None:
        """Return what a policy removes by a column's values; None for one that has no groups.

        The largest values are shown, at most so many; the rest is one share.
        """
        table = self.tables.get(place)
        if table is None:
            return None
        is_removed = [int(policy.removes(verdict)) for verdict in self.verdicts]
        by_outcome = np.bincount(self._outcome_of, self._view.count(), len(is_removed)).astype(int)
        shown = zip(table.texts[:most], table.counts[:most], strict=True)
        shares = tuple(
            ValueShare(text, int(counts.sum()), int(counts @ is_removed)) for text, counts in shown
        )
        rest = ValueShare(
            "",
            int(by_outcome.sum()) - sum(share.rows for share in shares),
            int(by_outcome @ is_removed) - sum(share.removed for share in shares),
        )
        return ColumnSplit(self._name(place), shares, rest)

    def _name(self, place: int) -> OwnColumn:
        return OwnColumn(place, name_own_column(self._names[place], place))

    @cached_property
    def tables(self) -> Mapping[int, ValueTable]:
        """The columns that can be counted, from the left."""
        outcomes = self._outcome_of[self._view.places(0, self._view.index.row_count)]
        return self._cells.find(count_values, outcomes, len(self.verdicts))
