"""The email cells of a finished project's rows read once more, a stretch of rows at a time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from winnow.core.tasks.task import InputPlan
from winnow.lists.engine.address_column import AddressBlock, AddressColumn
from winnow.lists.engine.parsed_value import HashText
from winnow.lists.execution.blocks import BLOCK_BYTES, work_in_order
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.result.empty_runs import expand_runs
from winnow.lists.result.own_rows import iterate_runs
from winnow.lists.result.row_columns import RowIndex
from winnow.lists.result.row_search import read_bytes
from winnow.lists.text.block_reader import Block, Marks
from winnow.lists.text.cell_text import decode_cell
from winnow.lists.text.records import scan_records


@dataclass(frozen=True, slots=True)
class RowCells:
    """Some rows from ``start`` on: ``places`` are theirs in what was read with them.

    Comments and totals, which are no rows, stand between rows or behind the last one.
    """

    start: int
    places: NDArray[np.int64]
    addresses: AddressBlock


def read_row_cells(
    index: RowIndex,
    plan: InputPlan,
    hash_text: HashText | None = None,
    *,
    block_bytes: int = BLOCK_BYTES,
) -> Iterator[RowCells]:
    """Yield all rows in their order.

    Args:
        index: The project.
        plan: The plan that it was made by.
        hash_text: Hashes the local parts; None: as a run does, comparable in one process only.
        block_bytes: How much is read at once.
    """
    column_place = index.text.see(plan).email_column
    decode = partial(decode_cell, codec=index.text.encoding, escape=index.text.escape)
    column = AddressColumn(
        decode,
        frozenset(),
        is_utf8=index.text.encoding == "utf-8",
        has_escapes=bool(index.text.escape),
        hash_text=hash_text,
    )
    marks = Marks.of(index.text.delimiter, index.text.escape, is_settled=True)
    width = index.text.width or len(plan.columns)
    width += index.text.added.width if index.text.has_verdicts else 0

    def work(block: Block) -> tuple[NDArray[np.int64], AddressBlock] | None:
        records = scan_records(block.shape, marks.delimiter, column_place, block.quotes, width)
        if records is None:
            return None
        is_row = ~records.is_blank
        starts, ends = records.cell_starts[is_row], records.cell_ends[is_row]
        record_ends = records.ends[is_row] + block.offset
        record_ends[-1:] -= block.added_line_end
        return record_ends, column.read(block.data, starts, ends)

    done = 0
    blocks: Iterable[tuple[NDArray[np.int64], AddressBlock] | None]
    if index.text.has_runs:
        blocks = map_in_order(work, _read_expanded(index))
    else:
        head_bytes = index.text.head_bytes
        blocks = work_in_order(index.text_path, head_bytes, marks, work, block_bytes=block_bytes)
    for found in blocks:
        if found is None:
            msg = "rows that we wrote have no stray quotes"
            raise RuntimeError(msg)
        record_ends, addresses = found
        if index.text.has_runs:  # only rows are there
            places = np.arange(len(record_ends))
        else:
            places = _find_rows(index, done, record_ends)
        yield RowCells(done, places, addresses)
        done += len(places)


def _find_rows(index: RowIndex, start: int, record_ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return which records are rows: a row ends where the index says that one ends."""
    count = min(len(record_ends), index.row_count - start)
    row_ends = index.bounds(start, count)[1:] if count else np.empty(0, np.int64)
    if len(row_ends) == len(record_ends) and np.array_equal(row_ends, record_ends):
        return np.arange(count)
    places = np.searchsorted(row_ends, record_ends)
    is_row = row_ends.take(places, mode="clip") == record_ends if count else places < 0
    return np.flatnonzero(is_row)


def _read_expanded(index: RowIndex) -> Iterator[Block]:
    """Yield the rows with all their delimiters, a stretch at a time."""
    delimiter = index.text.delimiter.encode()
    for start, count in iterate_runs(index.row_count, index.text.width):
        bounds = index.bounds(start, count)
        stored = read_bytes(index, int(bounds[0]), int(bounds[-1])).tobytes()
        data = np.frombuffer(expand_runs(stored, delimiter), np.uint8)
        yield Block(int(bounds[0]), data, data, None)
