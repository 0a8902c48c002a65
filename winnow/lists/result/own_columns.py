"""Rows counted and filtered by the values of the list's own columns."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.core.lists.cleaning import list_grounds
from winnow.core.verdicts.verdict import Verdict
from winnow.lists.result.cell_queries import Counts, ValueTable, count_values, match_values
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.row_columns import Mask, RowIndex
from winnow.lists.result.row_stream import RowStream


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The verdicts of a project, grouped by the outcomes that are counted.

    ``verdicts`` are one of each outcome; ``of_place`` gives outcomes by a verdict's place.
    """

    verdicts: tuple[Verdict, ...]
    of_place: NDArray[np.int64]

    @classmethod
    def group(cls, verdicts: Sequence[Verdict]) -> "Outcomes":
        """Put verdicts together that are removed on the same grounds."""
        found: dict[object, int] = {}
        examples: list[Verdict] = []
        numbers = []
        for verdict in verdicts:
            key = list_grounds(verdict)
            if key not in found:
                found[key] = len(found)
                examples.append(verdict)
            numbers.append(found[key])
        return cls(tuple(examples), np.array(numbers, np.int64))


class ColumnReader:
    """Counts all columns when first asked; keeps some megabytes at most."""

    def __init__(self, index: RowIndex, stream: RowStream, cells: CellReader) -> None:
        self._index = index
        self._stream = stream
        self._cells = cells
        self._tables: Mapping[int, ValueTable] | None = None
        self.outcomes = Outcomes.group(stream.verdicts)

    @property
    def tables(self) -> Mapping[int, ValueTable]:
        """The columns that can be counted, from the left."""
        if self._tables is None:
            outcomes, count = self._read_outcomes(), len(self.outcomes.verdicts)
            self._tables = self._cells.find(count_values, outcomes, count)
        return self._tables

    @property
    def outcome_rows(self) -> Counts:
        """How many of all rows have each outcome."""
        return np.bincount(self._read_outcomes(), minlength=len(self.outcomes.verdicts))

    def find_text(self, column: int, number: int) -> str | None:
        """Return the text of a value; None where there is no such."""
        table = self.tables.get(column)
        if table is None or not 0 <= number < len(table.texts):
            return None
        return table.texts[number]

    def match(self, wanted: Mapping[int, Collection[int]]) -> Mask:
        """Return, for every row, whether it has in each column one of the values wanted there."""
        texts = {
            column: [text for one in numbers if (text := self.find_text(column, one)) is not None]
            for column, numbers in wanted.items()
        }
        if not all(texts.values()):
            return np.zeros(self._index.row_count, np.bool_)
        return self._cells.find(match_values, texts)

    def _read_outcomes(self) -> NDArray[np.uint16]:
        places = self._stream.places(0, self._index.row_count)
        return self.outcomes.of_place.astype(np.uint16)[places]
