"""How much room a Parquet list's result can take at most.

It is read through as a run does, so what cannot be read, or unpacks beyond all measure, is met here
first, in a process that may be ended.
"""

from pathlib import Path

import pyarrow as pa

from winnow.core.tasks.task import InputPlan
from winnow.lists.formats.parquet.addresses import list_places
from winnow.lists.formats.parquet.cell_texts import word_lines
from winnow.lists.formats.parquet.result_file import HELD_BYTES
from winnow.lists.formats.parquet.source import ParquetSource, open_parquet
from winnow.lists.result.added_columns import ADDED
from winnow.lists.result.row_room import RowCounts

_WIDENED = 4  # bits of nesting and 32-bit numbers, to what the same takes in memory
_GROWN = 7, 6  # bytes that do not pack take a sixth more: Snappy, ``MaxCompressedLength``
_DICTIONARY_BYTES = 1 << 20  # of a column in a row group, before its values are written plain
_CHUNK_BYTES = 1 << 14  # of a column in a row group: its pages' headers, least and largest value
_PAGE_ROWS = 20_000  # Arrow's limit
_PAGE_BYTES = 1 << 10  # of each page's header


def bound_parquet_bytes(path: Path, plan: InputPlan) -> int:
    """Return the most that a run writes for a list, which is read through once.

    Raises:
        BrokenFile: It cannot be read through.
    """
    counts = RowCounts(ord(","))
    text_bytes = value_bytes = 0
    with open_parquet(path) as source:
        for step, _ in source.read_whole():
            lines, _ = word_lines(step)
            text_bytes += len(lines)
            value_bytes += _measure(step)
            emails, _ = word_lines(step.select(list(list_places(plan))))
            counts.feed(emails.tobytes())
        result_bytes = _bound_file(source, value_bytes)
        counts.finish()
        counts.rows = source.row_count
    return result_bytes + text_bytes + counts.bound_index_bytes()


def _measure(step: pa.Table) -> int:
    """Return the most that all values take, each written out, with a byte a cell for its levels."""
    size = 0
    for column in step.columns:
        times = _WIDENED if pa.types.is_nested(column.type) or _is_narrow(column.type) else 1
        for chunk in column.chunks:
            if pa.types.is_dictionary(chunk.type):
                chunk = chunk.dictionary_decode()
            size += times * int(chunk.nbytes) + len(chunk)
    return size


def _is_narrow(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind)) and kind.bit_width < 32  # all are written in 32 bits


def _bound_file(source: ParquetSource, value_bytes: int) -> int:
    columns = len(source.parquet_schema) + ADDED.count
    times, by = _GROWN
    groups = source.group_count + value_bytes // HELD_BYTES
    chunks = columns * groups
    pages = chunks + columns * (source.row_count // _PAGE_ROWS)
    added = ADDED.count * source.row_count  # their values' numbers
    dictionaries = min(value_bytes, chunks * _DICTIONARY_BYTES)
    packed: int = (value_bytes + dictionaries + added) * times // by
    return packed + chunks * _CHUNK_BYTES + pages * _PAGE_BYTES + source.size_bytes
