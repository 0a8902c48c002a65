"""An open Parquet file: its schema, and its rows as Arrow tables of bounded size."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile, EmptyFile
from winnow.core.file_faults import FileFault
from winnow.lists.text.records import MAX_COLUMNS
from winnow.lists.unpacked_size import UnpackedSize
from winnow.words import translatable, translatable_many

MAGIC, ENCRYPTED_MAGIC = b"PAR1", b"PARE"  # Apache Parquet, "File Format" and "Encryption", 5.1
MOST_FOOTER_BYTES = 32 << 20  # 1,000 columns in 100 row groups take some 10 MB
MOST_ROWS = (1 << 32) - 1  # rows are numbered in 32 bits
_LENGTH = struct.Struct("<I")
_TAIL_BYTES = _LENGTH.size + len(MAGIC)

_STEP_BYTES = 4 << 20
_ROWS_READ, _ALIKE_ROWS_READ = 1 << 12, 1 << 7  # at once; the second where rows hardly differ
_ALIKE_BYTES = 4  # of a row, encoded: addresses that differ take more
_CELL_BYTES = 16  # of a cell more than its encoded bytes: what a dictionary saves
_BUFFER_BYTES = 1 << 16
_HINT = translatable("Write the file again with the program that made it, or save the list as CSV.")


class ParquetSource:
    """Reads one file; what its footer says of sizes chooses steps only, and is checked."""

    def __init__(self, file: pq.ParquetFile, size_bytes: int) -> None:
        self.metadata = file.metadata
        self.schema: pa.Schema = file.schema_arrow
        self.names = tuple[str, ...](self.schema.names)  # a nested column is one
        self.parquet_schema = file.schema
        self.size_bytes = size_bytes
        self._reader = file.reader
        groups = [file.metadata.row_group(place) for place in range(file.num_row_groups)]
        self.group_rows: list[int] = [group.num_rows for group in groups]
        self._group_bytes: list[int] = [max(0, group.total_byte_size) for group in groups]
        self.content_bytes = sum(self._group_bytes)
        self.row_count = sum(self.group_rows)

    def read(self) -> Iterator[pa.Table]:
        """Yield the rows in steps of a few MiB.

        Raises:
            BrokenFile: It is damaged, holds other rows than its footer says, or unpacks to more
                than any list does.
        """
        size = UnpackedSize(self.size_bytes)
        for group, left in enumerate(self.group_rows):
            with naming_faults():
                for batch in self._reader.iter_batches(
                    self._choose_rows(group), row_groups=[group]
                ):
                    size.add(sum(_measure(column) for column in batch.columns))
                    left -= batch.num_rows
                    if left < 0:
                        break
                    yield pa.Table.from_arrays(batch.columns, schema=self.schema)
            if left:
                raise BrokenFile("The file does not hold the rows that it says.", hint=_HINT)

    def _choose_rows(self, group: int) -> int:
        """Return how many rows are read at once: few where a small group may be large in memory."""
        row_count, encoded_bytes = max(1, self.group_rows[group]), self._group_bytes[group]
        most = _ALIKE_ROWS_READ if encoded_bytes < _ALIKE_BYTES * row_count else _ROWS_READ
        row_bytes = encoded_bytes // row_count + _CELL_BYTES * len(self.parquet_schema) + 1
        return max(1, min(most, _STEP_BYTES // row_bytes))


@contextmanager
def open_parquet(path: Path) -> Iterator[ParquetSource]:
    """Open a file for reading.

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
            source = ParquetSource(file, path.stat().st_size)
        UnpackedSize(source.size_bytes).add(source.content_bytes)
        if any(rows < 0 for rows in source.group_rows) or source.row_count > MOST_ROWS:
            rows = translatable_many(source.row_count, "{count} row", "{count} rows")
            raise BrokenFile("The file says that it has {rows}.", rows=rows, hint=_HINT)
        if len(source.parquet_schema) > MAX_COLUMNS:
            raise BrokenFile(
                "The file has more than {most} columns.",
                fault=FileFault.TOO_LARGE,
                most=MAX_COLUMNS,
                hint="Leave out columns that are not needed.",
            )
        if not source.names or not source.row_count:
            raise EmptyFile("The list has no rows.", hint="Check that it is the right file.")
        yield source


def check_footer(path: Path) -> None:
    """Refuse a file that cannot be a whole Parquet file.

    Raises:
        BrokenFile: It is cut off, encrypted, or has too large a footer.
    """
    size_bytes = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size_bytes - _TAIL_BYTES))
        tail = file.read()
    refuse_encrypted(tail[-len(MAGIC) :])
    if len(tail) < _TAIL_BYTES or not tail.endswith(MAGIC):
        raise BrokenFile(
            "The Parquet file ends early: its last bytes, which say what it holds, are missing.",
            fault=FileFault.TRUNCATED,
            hint="Copy or download it again.",
        )
    (footer_bytes,) = _LENGTH.unpack(tail[: _LENGTH.size])
    if footer_bytes > size_bytes - _TAIL_BYTES - len(MAGIC):
        raise BrokenFile(
            "The Parquet file is damaged: what says what it holds is longer than the file.",
            fault=FileFault.TRUNCATED,
            hint="Copy or download it again.",
        )
    if footer_bytes > MOST_FOOTER_BYTES:
        raise BrokenFile(
            "The Parquet file's description of itself is larger than that of any ordinary list.",
            fault=FileFault.TOO_LARGE,
            hint="Write it again with fewer columns or larger row groups.",
        )


def refuse_encrypted(mark: bytes) -> None:
    """Refuse a file by the mark at its beginning or end.

    Raises:
        BrokenFile: It is encrypted.
    """
    if mark == ENCRYPTED_MAGIC:
        raise BrokenFile(
            "The Parquet file is encrypted.",
            fault=FileFault.PASSWORD,
            hint="Write it again without encryption.",
        )


@contextmanager
def naming_faults() -> Iterator[None]:
    """Convert Arrow's errors of a damaged file to the product's."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        if isinstance(error, MemoryError) or getattr(error, "errno", None):
            raise  # the machine's, or the disk's
        raise BrokenFile("The Parquet file is damaged and cannot be read.", hint=_HINT) from error


def take_rows(rows: pa.Table, indices: NDArray[np.int64]) -> pa.Table:
    """Return some rows of a table, in order, whatever its types."""
    if len(indices) == rows.num_rows:
        return rows
    try:
        return rows.take(pa.array(indices))
    except pa.ArrowNotImplementedError:  # of views, and of what holds them
        begins = np.flatnonzero(np.diff(indices, prepend=-2) != 1)
        sizes = np.diff(begins, append=len(indices))
        runs = zip(indices[begins].tolist(), sizes.tolist(), strict=True)
        pieces = [rows.slice(start, size) for start, size in runs]
        return pa.concat_tables(pieces or [rows.slice(0, 0)]).combine_chunks()


def _measure(column: pa.Array) -> int:
    kind = column.type
    if not pa.types.is_dictionary(kind) or pa.types.is_nested(kind.value_type):
        return int(column.nbytes)
    try:
        lengths = pc.binary_length(column.dictionary)
    except pa.ArrowNotImplementedError:  # of values that have one size, and need few bytes
        return int(column.nbytes)
    return pc.sum(lengths.take(column.indices)).as_py() or 0
