"""Rows counted and filtered by the values of the list's own columns."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.lists.cleaning import list_grounds
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Verdict
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.result.amounts import AmountSums, read_amounts, tell_amounts
from winnow.lists.result.own_cells import LONG_KEY, Cells, iterate_stretches, read_cells_of
from winnow.lists.result.row_columns import Mask, RowIndex
from winnow.lists.result.row_stream import RowStream

VALUES_MAX = 16_384  # of one column; with more it is free text
COLUMNS_MAX = 40  # looked at, from the left
_SAMPLE_ROWS = 2_000
_NEARLY_ALL = 0.8  # so many values of so many filled cells are identifiers, or names
_ADDRESSES_MAX_SHARE = 0.01  # of the filled cells
_FIRST_ROOM = 64
_NO_VALUE, _AN_ADDRESS, _UNKNOWN = -1, -2, -3

_ADDRESS = re.compile(r"\S@\S")

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The verdicts of a project by what may be asked of them, so that few numbers tell all.

    ``verdicts`` are one of each outcome; ``of_place`` gives outcomes by a verdict's place.
    """

    verdicts: tuple[Verdict, ...]
    of_place: NDArray[np.int64]

    @classmethod
    def group(cls, verdicts: Sequence[Verdict]) -> "Outcomes":
        """Put verdicts together that go by the same grounds and are the same kinds of dirt."""
        found: dict[object, int] = {}
        examples: list[Verdict] = []
        numbers = []
        for verdict in verdicts:
            told = (Reason.CLOSE_MISSPELLING, Reason.ROLE_ACCOUNT)
            key = (
                verdict.category,
                verdict.domain_type,
                list_grounds(verdict),
                tuple(reason in verdict.reasons for reason in told),
            )
            if key not in found:
                found[key] = len(found)
                examples.append(verdict)
            numbers.append(found[key])
        return cls(tuple(examples), np.array(numbers, np.int64))


@dataclass(frozen=True, slots=True)
class ValueTable:
    """One column's values, in order of first appearance, and their rows by outcome."""

    column: int
    texts: tuple[str, ...]
    counts: Counts

    @property
    def rows(self) -> Counts:
        """How many rows each value has."""
        rows: Counts = self.counts.sum(axis=1)
        return rows


class ColumnReader:
    """Counts all columns in one pass when first asked; keeps some megabytes at most.

    The column of addresses is left out, and so are columns whose values nearly all differ, or hold
    addresses; a single value that looks like an address has no number, and is never shown.
    """

    def __init__(self, index: RowIndex, stream: RowStream, plan: InputPlan) -> None:
        self._index = index
        self._stream = stream
        self._plan = plan
        self._width = index.text.width or len(plan.columns)
        self._columns = [one for one in range(self._width) if one != plan.email_column]
        self._tables: Mapping[int, ValueTable] | None = None
        self._amount_columns: tuple[int, ...] | None = None
        self._sums: dict[int, AmountSums] = {}
        self.outcomes = Outcomes.group(stream.verdicts)

    @property
    def tables(self) -> Mapping[int, ValueTable]:
        """The columns that can be counted, from the left."""
        if self._tables is None:
            self._tables = self._count()
        return self._tables

    @property
    def outcome_rows(self) -> Counts:
        """How many of all rows have each outcome."""
        rows = np.zeros(len(self.outcomes.verdicts), np.int64)
        for run in self._runs():
            rows += np.bincount(self._read_outcomes(run), minlength=len(rows))
        return rows

    def find_text(self, column: int, number: int) -> str | None:
        """Return the text of a value; None where there is no such."""
        table = self.tables.get(column)
        if table is None or not 0 <= number < len(table.texts):
            return None
        return table.texts[number]

    def match(self, wanted: Mapping[int, Collection[int]]) -> Mask:
        """Return, for every row, whether it has in each column one of the values wanted there."""
        mask = np.zeros(self._index.row_count, np.bool_)
        texts: dict[int, frozenset[str]] = {}
        for column, numbers in wanted.items():
            known = self._read_texts(column, max(numbers, default=0))
            texts[column] = frozenset(known[one] for one in numbers if one < len(known))
        if not all(texts.values()):
            return mask

        def work(run: tuple[int, int]) -> Mask:
            cells = read_cells_of(self._index, self._width, texts, *run)
            passes = np.ones(run[1], np.bool_)
            for column, some in texts.items():
                local = _Local.number(cells[column])
                is_wanted = [
                    _read(cells[column], row) in some for row in local.find_first().tolist()
                ]
                passes &= np.array(is_wanted, np.bool_)[local.numbers]
            return passes

        runs = list(self._runs())
        for (start, count), passes in zip(runs, map_in_order(work, runs), strict=True):
            mask[start : start + count] = passes
        return mask

    def _read_texts(self, column: int, last: int) -> Sequence[str]:
        """Return a column's values by number, at least as far as one of them.

        Without tables the column is read until that value appears, most often in its beginning.
        """
        if self._tables is not None:
            table = self._tables.get(column)
            return () if table is None else table.texts
        growing = _Growing(1)
        for run in self._runs() if column in self._columns else ():
            cells = read_cells_of(self._index, self._width, (column,), *run)[column]
            local = _Local.number(cells)
            counts = local.count(np.zeros(len(cells), np.int64), 1)
            if len(local.keys) > VALUES_MAX or not growing.add(cells, local, counts):
                return ()
            if len(growing.texts) > last:
                break
        return growing.texts

    @property
    def amount_columns(self) -> tuple[int, ...]:
        """The columns whose first cells are amounts, from the left."""
        if self._amount_columns is None:
            run = (0, min(_SAMPLE_ROWS, self._index.row_count))
            wanted = self._columns[:COLUMNS_MAX]
            cells = read_cells_of(self._index, self._width, wanted, *run) if run[1] else {}
            told = (one for one, some in cells.items() if tell_amounts(some.list_texts()))
            self._amount_columns = tuple(told)
        return self._amount_columns

    def sum(self, column: int) -> AmountSums:
        """Add up a column's amounts by outcome."""
        if column not in self._sums:
            self._sums[column] = self._add_up(column)
        return self._sums[column]

    def _add_up(self, column: int) -> AmountSums:
        def work(run: tuple[int, int]) -> tuple[pl.DataFrame, Counts]:
            cells = read_cells_of(self._index, self._width, (column,), *run)
            return read_amounts(cells[column].list_texts()), self._read_outcomes(run)

        is_semicolon = self._plan.delimiter == ";"
        sums = AmountSums(len(self.outcomes.verdicts), is_semicolon)
        for amounts, outcomes in map_in_order(work, self._runs()):
            sums.add(amounts, outcomes)
        return sums

    def _count(self) -> Mapping[int, ValueTable]:
        outcome_count = len(self.outcomes.verdicts)
        growing = {one: _Growing(outcome_count) for one in self._columns}
        going = list(self._columns)

        def work(run: tuple[int, int]) -> Mapping[int, tuple[Cells, "_Local", Counts]]:
            outcomes = self._read_outcomes(run)
            cells = read_cells_of(self._index, self._width, going[:], *run)
            return {
                column: (some, local, local.count(outcomes, outcome_count))
                for column, some in cells.items()
                for local in [_Local.number(some)]
                if len(local.keys) <= VALUES_MAX
            }

        for found in map_in_order(work, self._runs() if going else ()):
            going[:] = [
                column
                for column in going
                if column in found and growing[column].add(*found[column])
            ][:COLUMNS_MAX]
            growing = {column: growing[column] for column in going}
            if not going:
                break
        tables = {column: growing[column].finish(column) for column in going}
        return {column: table for column, table in tables.items() if table is not None}

    def _runs(self) -> Iterator[tuple[int, int]]:
        return iterate_stretches(self._index, self._width)

    def _read_outcomes(self, run: tuple[int, int]) -> Counts:
        outcomes: Counts = self.outcomes.of_place[self._stream.places(*run)]
        return outcomes


@dataclass(frozen=True, slots=True)
class _Local:
    """A stretch's cells by their distinct spellings, in order of first appearance.

    ``numbers`` are the rows' places among these, ``keys`` their hashes.
    """

    numbers: NDArray[np.int32]
    keys: NDArray[np.uint64]

    @classmethod
    def number(cls, cells: Cells) -> "_Local":
        encoded = pa.array(cells.hash()).dictionary_encode()
        return cls(encoded.indices.to_numpy(), encoded.dictionary.to_numpy())

    def find_first(self) -> NDArray[np.int64]:
        """Return the first row of each spelling."""
        first = np.empty(len(self.keys), np.int64)
        first[self.numbers[::-1]] = np.arange(len(self.numbers) - 1, -1, -1)  # the last write stays
        return first

    def count(self, outcomes: Counts, outcome_count: int) -> Counts:
        """Return the rows by spelling and outcome."""
        flat = np.bincount(
            self.numbers * np.int64(outcome_count) + outcomes,
            minlength=len(self.keys) * outcome_count,
        )
        return flat.reshape(len(self.keys), outcome_count)


class _Growing:
    """One column's values as they are met."""

    def __init__(self, outcome_count: int) -> None:
        self._keys = np.array([LONG_KEY], np.uint64)  # rise, with the number of each
        self._numbers = np.array([_NO_VALUE], np.int64)
        self._number_of_text: dict[str, int] = {}
        self._counts = np.zeros((_FIRST_ROOM, outcome_count), np.uint32)
        self._address_rows = 0

    @property
    def texts(self) -> tuple[str, ...]:
        """The values so far, in order of first appearance."""
        return tuple(self._number_of_text)

    def add(self, cells: Cells, local: "_Local", counts: Counts) -> bool:
        """Add a stretch; tell whether the column can still be counted."""
        numbers = self._find_known(local.keys)
        unknown = np.flatnonzero(numbers == _UNKNOWN)
        if len(unknown):
            texts = (_read(cells, row) for row in local.find_first()[unknown].tolist())
            numbers[unknown] = [self._number(text) for text in texts]
            self._remember(local.keys[unknown], numbers[unknown])
        self._address_rows += int(counts[numbers == _AN_ADDRESS].sum())
        if len(self._number_of_text) > VALUES_MAX or len(self._keys) > 2 * VALUES_MAX:
            return False
        while len(self._number_of_text) > len(self._counts):
            self._counts = np.concatenate((self._counts, np.zeros_like(self._counts)))
        is_value = numbers >= 0
        np.add.at(self._counts, numbers[is_value], counts[is_value].astype(np.uint32))
        return True

    def finish(self, column: int) -> ValueTable | None:
        """Return the table; None where the values are no groups."""
        texts = self.texts
        counts = self._counts[: len(texts)].astype(np.int64)
        filled = int(counts.sum()) - self._count_empty(counts)
        values = len(texts) - ("" in self._number_of_text)
        if not values or values > _NEARLY_ALL * filled:
            return None
        if self._address_rows > _ADDRESSES_MAX_SHARE * (filled + self._address_rows):
            return None
        return ValueTable(column, texts, counts)

    def _find_known(self, keys: NDArray[np.uint64]) -> Counts:
        """Return the number of each key, or that it is unknown."""
        ranks = np.searchsorted(self._keys, keys)
        is_known = self._keys.take(ranks, mode="clip") == keys
        return np.where(is_known, self._numbers.take(ranks, mode="clip"), _UNKNOWN)

    def _remember(self, keys: NDArray[np.uint64], numbers: Counts) -> None:
        keys = np.concatenate((self._keys, keys))
        order = np.argsort(keys)
        self._keys = keys[order]
        self._numbers = np.concatenate((self._numbers, numbers))[order]

    def _count_empty(self, counts: Counts) -> int:
        empty = self._number_of_text.get("")
        return 0 if empty is None else int(counts[empty].sum())

    def _number(self, text: str) -> int:
        if _ADDRESS.search(text):
            return _AN_ADDRESS
        return self._number_of_text.setdefault(text, len(self._number_of_text))


def _read(cells: Cells, row: int) -> str:
    return cells.read(row).strip()
