"""An open Parquet file: its schema, and its rows as Arrow tables of bounded size."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile, EmptyFile
from winnow.lists.formats.parquet.footer import (
    MOST_COLUMNS,
    MOST_FOOTER_BYTES,
    MOST_ROWS,
    check_footer,
)
from winnow.lists.unpacked_size import UnpackedSize
from winnow.words import mark, mark_many

STEP_BYTES = 4 << 20
_MOST_ROWS_PER_STEP = 1 << 15
_ROWS_READ, _ALIKE_ROWS_READ = 1 << 12, 1 << 7  # at once; the second where rows hardly differ
_ALIKE_BYTES = 4  # of a row, encoded: addresses that differ take more
_CELL_BYTES = 16  # of a cell more than its encoded bytes: what a dictionary saves
_BUFFER_BYTES = 1 << 16
_HINT = mark("Write the file again with the program that made it, or save the list as CSV.")


class ParquetSource:
    """Reads one file; what its footer says of sizes chooses steps only, and is checked."""

    def __init__(self, file: pq.ParquetFile, size_bytes: int, step_bytes: int = STEP_BYTES) -> None:
        self._step_bytes = step_bytes
        self.metadata = file.metadata
        self.schema: pa.Schema = file.schema_arrow
        self.parquet_schema = file.schema
        self.size_bytes = size_bytes
        self._reader = file.reader
        groups = [file.metadata.row_group(place) for place in range(file.num_row_groups)]
        self.group_rows: list[int] = [group.num_rows for group in groups]
        self._group_bytes: list[int] = [max(0, group.total_byte_size) for group in groups]
        self.content_bytes = sum(self._group_bytes)
        self.row_count = sum(self.group_rows)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names; a nested column is one."""
        return tuple(self.schema.names)

    def read(
        self,
        columns: Sequence[int] | None = None,
        *,
        groups: Sequence[int] | None = None,
        most_rows: int = _MOST_ROWS_PER_STEP,
    ) -> Iterator[pa.Table]:
        """Yield rows in the same steps whichever columns are wanted.

        Args:
            columns: Those wanted, from 0 and rising; None: all.
            groups: The row groups, from 0; None: all.
            most_rows: Of a step.

        Raises:
            BrokenFile: It is damaged, holds other rows than its footer says, or unpacks to more
                than any list does.
        """
        size = UnpackedSize(self.size_bytes)
        wanted = range(len(self.schema)) if columns is None else columns
        leaves = [leaf for column in wanted for leaf in self._find_leaves(column)]
        schema = pa.schema([self.schema.field(column) for column in wanted])
        for group in range(len(self.group_rows)) if groups is None else groups:
            rows = min(most_rows, self._choose_step(group))
            left = self.group_rows[group]
            with naming_faults():
                batches = self._reader.iter_batches(
                    min(rows, self._choose_batch(group)), row_groups=[group], column_indices=leaves
                )
                for table in _even_out(_count(batches, size), schema, rows):
                    left -= table.num_rows
                    if left < 0:
                        break
                    yield table
            if left:
                raise BrokenFile("The file does not hold the rows that it says.", hint=_HINT)

    def _choose_batch(self, group: int) -> int:
        """Return how many rows are read at once: few where a small group may be large in memory."""
        is_alike = self._group_bytes[group] < _ALIKE_BYTES * self.group_rows[group]
        return _ALIKE_ROWS_READ if is_alike else _ROWS_READ

    def _choose_step(self, group: int) -> int:
        leaf_count = len(self.parquet_schema)
        encoded = self._group_bytes[group] // max(1, self.group_rows[group])
        rows = self._step_bytes // (encoded + _CELL_BYTES * leaf_count + 1)
        return max(1, min(rows, _MOST_ROWS_PER_STEP))

    def _find_leaves(self, column: int) -> range:
        """Return the Parquet columns that an Arrow column is made of: several where it nests."""
        first = sum(_count_leaves(self.schema.field(place).type) for place in range(column))
        return range(first, first + _count_leaves(self.schema.field(column).type))


@contextmanager
def open_parquet(path: Path, step_bytes: int = STEP_BYTES) -> Iterator[ParquetSource]:
    """Open a file for reading in steps of about so many bytes.

    Raises:
        BrokenFile: It is damaged, encrypted, or has a footer that no ordinary file has.
        EmptyFile: It has no columns or no rows.
    """
    check_footer(path)
    with naming_faults():
        file = pq.ParquetFile(
            path,
            pre_buffer=False,
            buffer_size=_BUFFER_BYTES,
            thrift_string_size_limit=MOST_FOOTER_BYTES,
            thrift_container_size_limit=MOST_FOOTER_BYTES,
        )
    with file:
        with naming_faults():
            source = ParquetSource(file, path.stat().st_size, step_bytes)
        UnpackedSize(source.size_bytes).add(source.content_bytes)
        if any(rows < 0 for rows in source.group_rows) or source.row_count > MOST_ROWS:
            rows = mark_many(source.row_count, "{count} row", "{count} rows")
            raise BrokenFile("The file says that it has {rows}.", rows=rows, hint=_HINT)
        if len(source.parquet_schema) > MOST_COLUMNS:
            raise BrokenFile(
                "The file has more than {most} columns.",
                most=MOST_COLUMNS,
                hint="Leave out columns that are not needed.",
            )
        if not source.names or not source.row_count:
            raise EmptyFile("The list has no rows.", hint="Check that it is the right file.")
        yield source


@contextmanager
def naming_faults() -> Iterator[None]:
    """Convert Arrow's errors of a damaged file to the product's."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        if isinstance(error, MemoryError) or getattr(error, "errno", None):
            raise  # the machine's, or the disk's
        raise BrokenFile("The Parquet file is damaged and cannot be read.", hint=_HINT) from error


def take_rows(rows: pa.Table, places: NDArray[np.int64]) -> pa.Table:
    """Return some rows of a table, in order, whatever its types."""
    if len(places) == rows.num_rows:
        return rows
    try:
        return rows.take(pa.array(places))
    except pa.ArrowNotImplementedError:  # of views, and of what holds them
        begins = np.flatnonzero(np.diff(places, prepend=-2) != 1)
        sizes = np.diff(begins, append=len(places))
        runs = zip(places[begins].tolist(), sizes.tolist(), strict=True)
        pieces = [rows.slice(start, size) for start, size in runs]
        return pa.concat_tables(pieces or [rows.slice(0, 0)]).combine_chunks()


def _count(batches: Iterator[pa.RecordBatch], size: UnpackedSize) -> Iterator[pa.RecordBatch]:
    """Count the bytes of batches, where they are dictionaries those of their cells."""
    for batch in batches:
        size.add(sum(_measure(column) for column in batch.columns))
        yield batch


def _measure(column: pa.Array) -> int:
    kind = column.type
    if not pa.types.is_dictionary(kind) or pa.types.is_nested(kind.value_type):
        return int(column.nbytes)
    try:
        lengths = pc.binary_length(column.dictionary)
    except pa.ArrowNotImplementedError:  # of values that have one size, and need few bytes
        return int(column.nbytes)
    return pc.sum(lengths.take(column.indices)).as_py() or 0


def _count_leaves(kind: pa.DataType) -> int:
    if isinstance(kind, pa.BaseExtensionType):
        return _count_leaves(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return _count_leaves(kind.value_type)
    if not kind.num_fields:
        return 1
    return sum(_count_leaves(kind.field(place).type) for place in range(kind.num_fields))


def _even_out(
    batches: Iterator[pa.RecordBatch], schema: pa.Schema, rows: int
) -> Iterator[pa.Table]:
    """Yield so many rows at a time, whatever pieces a reader gives; fewer at the end."""
    held: Sequence[pa.RecordBatch] = []
    for batch in batches:
        held = [*held, batch]
        if sum(one.num_rows for one in held) < rows:
            continue
        table = pa.Table.from_batches(held)
        while table.num_rows >= rows:
            yield _name(table.slice(0, rows), schema)
            table = table.slice(rows)
        held = table.to_batches()
    if held:
        yield _name(pa.Table.from_batches(held), schema)


def _name(table: pa.Table, schema: pa.Schema) -> pa.Table:
    return pa.Table.from_arrays(table.columns, schema=schema)
