"""Rows counted and filtered by the values of the list's own columns."""

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from winnow.core.lists.cleaning import list_grounds
from winnow.core.lists.own_columns import OwnValue
from winnow.core.verdicts.verdict import Verdict
from winnow.lists.result.cell_queries import Counts, ValueTable, count_values, match_values
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.row_index import Mask
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
        return self._cells.find(count_values, self._read_outcomes(), len(self.verdicts))

    @property
    def outcome_rows(self) -> Counts:
        """How many of all rows have each outcome."""
        return np.bincount(self._outcome_of, self._view.count(), len(self.verdicts)).astype(int)

    def find_text(self, column: int, number: int) -> str | None:
        """Return the text of a value; None where there is no such."""
        table = self.tables.get(column)
        if table is None or not 0 <= number < len(table.texts):
            return None
        return table.texts[number]

    def match(self, wanted: Iterable[OwnValue]) -> Mask:
        """Return, for every row, whether it has in each column one of the values wanted there."""
        texts: dict[int, list[str]] = {}
        for value in wanted:
            text = self.find_text(value.column, value.number)
            texts.setdefault(value.column, []).extend([] if text is None else [text])
        if not all(texts.values()):
            return np.zeros(self._view.index.row_count, np.bool_)
        return self._cells.find(match_values, texts)

    def _read_outcomes(self) -> NDArray[np.uint16]:
        return self._outcome_of[self._view.places(0, self._view.index.row_count)]
