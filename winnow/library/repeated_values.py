"""Columns in which few values are different, and answers for them spread over the rows."""

from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.lists.engine.hash_numbers import HashNumbers
from winnow.lists.text.arrow_cells import spread_texts

ROWS_AT_ONCE = 1 << 16
_LEAST_REPEATED = 3 / 4  # of the rows; where fewer are, it costs what it saves


@dataclass(frozen=True, slots=True)
class RepeatedValues:
    """The different values of a column in order of appearance, and each row's place among them."""

    different: pa.ChunkedArray
    indices: NDArray[np.uint32]

    def spread(self, table: pa.Table) -> pa.Table:
        """Return the answers for the different values as those for all rows."""
        indices = pa.array(self.indices)
        columns = [_spread(column.combine_chunks(), indices) for column in table.columns]
        return pa.Table.from_arrays(columns, schema=table.schema)


def find_repeated(values: pa.ChunkedArray) -> RepeatedValues | None:
    """Return what is different in a column of large strings; None where too much is.

    Each value is compared with the first of its hash; two of one hash give None as well.
    """
    numbers, total = HashNumbers(), len(values)
    indices = np.empty(total, np.uint32)
    firsts = [np.empty(0, np.int64)]
    for start in range(0, total, ROWS_AT_ONCE):
        texts = pl.Series(values.slice(start, ROWS_AT_ONCE))
        done = start + len(texts)
        indices[start:done], new = numbers.number(texts.hash().to_numpy())
        firsts.append(new + start)
        repeated = done - len(numbers)  # grows with the square of the rows where drawn at random
        if repeated * total < _LEAST_REPEATED * done**2:
            return None
    indices -= np.uint32(1)
    different = values.take(pa.array(np.concatenate(firsts)))
    expected = pl.Series(different)
    for start in range(0, total, ROWS_AT_ONCE):
        texts = pl.Series(values.slice(start, ROWS_AT_ONCE))
        if not expected.gather(indices[start : start + len(texts)]).eq_missing(texts).all():
            return None
    return RepeatedValues(different, indices)


def _spread(answers: pa.Array, indices: pa.Array) -> pa.Array | pa.ChunkedArray:
    if pa.types.is_dictionary(answers.type):
        return pa.DictionaryArray.from_arrays(answers.indices.take(indices), answers.dictionary)
    if not pa.types.is_large_string(answers.type):
        return answers.take(indices)
    rows = pc.indices_nonzero(answers.is_valid().take(indices))
    return place_texts(spread_texts(answers, indices.take(rows)), rows.to_numpy(), len(indices))


def place_texts(texts: pa.Array, rows: NDArray[np.int64], row_count: int) -> pa.ChunkedArray:
    """Return a column with texts at their rows, which rise, and null elsewhere."""
    nothing = pa.nulls(min(row_count, ROWS_AT_ONCE), texts.type)
    chunks = []
    for start in range(0, row_count, ROWS_AT_ONCE):
        size = min(ROWS_AT_ONCE, row_count - start)
        first, last = np.searchsorted(rows, (start, start + size))
        if first == last:
            chunks.append(nothing[:size])
            continue
        at = np.full(size, -1)
        at[rows[first:last] - start] = np.arange(first, last)
        chunks.append(texts.take(pa.array(at, mask=at < 0)))
    return pa.chunked_array(chunks, texts.type)
