"""Cells of the columns that may say who may be mailed, read in a run's first pass.

Each distinct combination of a row's cells in these columns has a number; a row is that number.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.meaning.columns import (
    NO_DECISIONS,
    ColumnMeaning,
    HeadingKind,
    MailDecisions,
    count_values,
    may_speak_of_mail,
    read_columns,
    read_heading,
)
from winnow.lists.engine.hash_numbers import HashNumbers

SAMPLE_BYTES = 1 << 18
_SAMPLE_ROWS = 1_000
_OFFERED_MAX = 16  # columns that count only once the analyst says so
_SEPARATOR = b"\x1f"
_CLOCKS = (  # the day is enough: fewer distinct cells; of seconds since 1970, some three hours
    (r"(\d)[T ]\d{1,2}:\d\d[\d:.+\-ZUTCGMAPapm ]*$", rb"\1"),
    (r"^((?:19|20)\d{6})\d{6}$", rb"\1"),
    (r"^(1\d{5})\d{4}(?:\d{3}){0,3}(?:\.\d*)?$", rb"\1" + b"0000"),
)
_HAS_CLOCK = re.compile(r"\d[T ]\d{1,2}:\d\d|^\d{9,19}(?:\.\d*)?$")


class SaidCells:
    """The columns of a list, by their indices, and the distinct combinations of their cells."""

    def __init__(self, indices: Sequence[int], with_clocks: frozenset[int], codec: str) -> None:
        self.indices = tuple(indices)
        self._codec = codec
        self._with_clocks = with_clocks
        self._numbers = HashNumbers()
        self._cells: list[bytes] = []

    @classmethod
    def choose(
        cls,
        names: Sequence[str],
        rows: Sequence[Sequence[str]],
        left_out: frozenset[int],
        codec: str,
        decisions: MailDecisions = NO_DECISIONS,
        late: frozenset[int] = frozenset(),
    ) -> "SaidCells | None":
        """Choose columns by their headings and a list's first rows; None: it has none.

        Args:
            names: The headings; none for a list without.
            rows: The first rows.
            left_out: Places of the columns of addresses.
            codec: Of the cells.
            decisions: On columns, which outrank headings and cells.
            late: Places of columns that ``LateColumns`` found.
        """
        width = max(map(len, (names, *rows)))
        names = (*names, *[""] * (width - len(names)))
        values = count_values(rows[:_SAMPLE_ROWS], width)
        found = read_columns(names, values, min(left_out), decisions)
        applied = {one.position for one in found if one.applied}
        applied |= {place for place, name in enumerate(names) if _is_about_mail(name)}
        offered = sorted({one.position for one in found} - applied - left_out)[:_OFFERED_MAX]
        indices = sorted({*(applied - left_out), *offered, *late})
        clocks = {place for place in indices if any(map(_HAS_CLOCK.search, values[place]))}
        return cls(indices, frozenset(clocks), codec) if indices else None

    def gather(self, take: Callable[[int], pa.Array]) -> tuple[NDArray[np.int32], pl.Series]:
        """Return the joined cells of a block's records, each once, and of each record which.

        ``take`` gives a column.
        """
        columns = [take(place).dictionary_encode() for place in self.indices]
        numbers = columns[0].indices.to_numpy()
        for column in columns[1:]:
            pairs = numbers.astype(np.int64) * len(column.dictionary) + column.indices.to_numpy()
            numbers = pa.array(pairs).dictionary_encode().indices.to_numpy()
        firsts = np.empty(int(numbers.max(initial=-1)) + 1, np.int64)
        firsts[numbers[::-1]] = np.arange(len(numbers))[::-1]
        texts = (column.take(pa.array(firsts)).dictionary_decode() for column in columns)
        cells = []
        for place, some in zip(self.indices, texts, strict=True):
            for pattern, day in _CLOCKS if place in self._with_clocks else ():
                some = pc.replace_substring_regex(some, pattern, day)
            cells.append(pc.replace_substring(some, _SEPARATOR, b" "))
        joined = pc.binary_join_element_wise(*cells, pa.scalar(_SEPARATOR, cells[0].type))
        return numbers, pl.Series("cells", pl.from_arrow(joined), pl.Binary)

    def number(self, indices: NDArray[np.int32], cells: pl.Series) -> NDArray[np.uint32]:
        """Return each record's number, from 0; called for block after block."""
        numbers, new = self._numbers.number(cells.hash().to_numpy())
        if len(new):
            self._cells += cells.gather(new).to_list()
        numbers -= np.uint32(1)
        return numbers.take(indices)

    def count(
        self, cells: Sequence[tuple[str, ...]], counts: NDArray[np.int64]
    ) -> dict[int, Counter[str]]:
        """Return how many rows have each cell, by column; ``counts`` are those of each number."""
        found = {place: Counter[str]() for place in self.indices}
        for some, count in zip(cells, counts.tolist(), strict=True):
            for place, cell in zip(self.indices, some, strict=True):
                if count:
                    found[place][cell] += count
        return found

    def read(self) -> list[tuple[str, ...]]:
        """Return the cells of each number."""
        decode = cache(partial(str, encoding=self._codec, errors="replace"))  # one text for alike
        parts = (cells.split(_SEPARATOR, len(self.indices) - 1) for cells in self._cells)
        return [tuple(map(decode, some)) for some in parts]


def read_meanings(
    names: Sequence[str],
    values: Mapping[int, Mapping[str, int]],
    email_column: int,
    decisions: MailDecisions = NO_DECISIONS,
) -> tuple[ColumnMeaning, ...]:
    """Return what columns mean; ``values`` are the rows of each cell, by the columns' indices."""
    width = 1 + max(len(names), *values)
    names = (*names, *[""] * (width - len(names)))
    counts = [values.get(place, {}) for place in range(width)]
    found = read_columns(names, counts, email_column, decisions)
    return tuple(one for one in found if one.position in values)


def _is_about_mail(name: str) -> bool:
    heading = read_heading(name)
    return heading is not None and heading[0] is not HeadingKind.OTHER and may_speak_of_mail(name)
