"""Rows counted by the values of the list's own columns."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from winnow.core.lists.cleaning import list_grounds
from winnow.core.verdicts.verdict import Verdict
from winnow.lists.result.cell_queries import Counts, ValueTable, count_values
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.row_view import RowView


class ColumnReader:
    """Counts all columns when first asked; keeps some megabytes at most.

    Verdicts that are removed on the same grounds are one outcome: ``verdicts`` has one of each.
    """

    def __init__(self, view: RowView, cells: CellReader) -> None:
        self._view = view
        self._cells = cells
        found: dict[object, tuple[int, Verdict]] = {}
        numbers = [
            found.setdefault(list_grounds(verdict), (len(found), verdict))[0]
            for verdict in view.verdicts
        ]
        self._outcome_of = np.array(numbers, np.uint16)
        self.verdicts = tuple(verdict for _, verdict in found.values())

    @cached_property
    def tables(self) -> Mapping[int, ValueTable]:
        """The columns that can be counted, from the left."""
        outcomes = self._outcome_of[self._view.places(0, self._view.index.row_count)]
        return self._cells.find(count_values, outcomes, len(self.verdicts))

    @property
    def outcome_rows(self) -> Counts:
        """How many of all rows have each outcome."""
        return np.bincount(self._outcome_of, self._view.count(), len(self.verdicts)).astype(int)
