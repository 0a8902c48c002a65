"""A text list as a run reads and writes it: the bytes of each record pass through unchanged.

The first pass finds records and reads their email cells; the second writes the kept ones again.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.lists.notices import Notice
from winnow.lists.engine.address_column import AddressBlock, AddressColumn
from winnow.lists.engine.date_cells import DateCounts
from winnow.lists.engine.late_columns import LateColumns
from winnow.lists.engine.repairer import Repairer
from winnow.lists.engine.row_codes import BLANK_LINE, HEADER, RowColumns
from winnow.lists.engine.said_cells import SAMPLE_BYTES, SaidCells
from winnow.lists.execution.blocks import BLOCK_BYTES, find_lines, read_blocks
from winnow.lists.execution.memory import give_back_memory, keep_freed_memory
from winnow.lists.formats.delimited.read import RecordsFile, open_records
from winnow.lists.formats.delimited.write import write_result
from winnow.lists.list_source import ListSource, ReadOptions, ResultPlan, StoredRows, WrittenRows
from winnow.lists.requests import RowsRequest, ignore_progress
from winnow.lists.text.arrow_cells import RowBlock, unquote_cells
from winnow.lists.text.block_reader import Block
from winnow.lists.text.cell_text import decode_cell
from winnow.lists.text.records import Records, scan_records
from winnow.words import translatable

T = TypeVar("T")

_SAMPLE_ROWS = 1_000
_LINES_SHOWN = 100  # of rows with more or fewer cells than the list has columns


@dataclass(frozen=True, slots=True)
class _ReadBlock:
    """A block's rows, an entry each; domains are not numbered yet."""

    columns: RowColumns
    addresses: AddressBlock
    dates: DateCounts
    said: tuple[NDArray[np.int32], pl.Series] | None
    odd_positions: NDArray[np.int64]  # in the file; at most as many as a notice shows
    odd_count: int
    bytes_end: int


@contextmanager
def open_text(request: RowsRequest) -> Iterator["TextList"]:
    """Open a text list, decoded where it must be.

    Raises:
        BrokenFile: It is not in its encoding; the line is named.
    """
    most_bytes = request.most_bytes
    if most_bytes is not None:  # of UTF-16; no block that is read ends where decoding did
        most_bytes = 2 * most_bytes + BLOCK_BYTES
    with open_records(replace(request, most_bytes=most_bytes)) as records:
        yield TextList(records, request)


class TextList(ListSource):
    """An open text list."""

    def __init__(self, source: RecordsFile, request: RowsRequest) -> None:
        super().__init__(source.plan)
        self.size_bytes = request.path.stat().st_size
        self.own_names = self.plan.columns if self.plan.has_header else ()
        self.rows_above = max(0, self.plan.first_row - 1)
        self._source = source
        self._request = request
        self._widest = len(self.plan.columns)
        self._odd_count = 0
        self._odd_positions: list[int] = []

    def read(self, reading: ReadOptions) -> Iterator[RowColumns]:
        """Find the records and read their email cells; see ``ListSource.read``."""
        keep_freed_memory()
        source, awaits_header = self._source, self.plan.has_header
        self.said, search = self._choose_said(reading)
        choice, joins = reading.choice, reading.ranks.rule.joins_aliases
        repairs = choice is not None and not choice.is_empty
        column = AddressColumn(
            partial(decode_cell, codec=source.codec),
            reading.local_words,
            is_utf8=source.codec == "utf-8",
            repairer=Repairer(choice, source.written_in) if choice and repairs else None,
            tag_domains=reading.tag_domains if repairs or joins or self.said is not None else None,
        )
        work = partial(self._read_block, column, reading, search)
        for block in source.work_on(work, self._request.block_bytes):
            columns = block.columns
            block.addresses.number_domains(self.domains)
            if self.said is not None and block.said is not None:
                columns = replace(columns, said=self.said.number(*block.said))
            is_filled = columns.codes != BLANK_LINE
            if awaits_header and is_filled.any():
                awaits_header = False
                header = int(is_filled.argmax())
                columns.codes[header], columns.flags[header] = HEADER, 0
                repaired = columns.repaired.pick(np.arange(len(is_filled)) != header)
                columns = replace(columns, repaired=repaired)
            reading.ranks.dates.add(block.dates)
            if block.odd_count:
                self._widest = max(self._widest, int(columns.widths[is_filled].max()))
            self._odd_count += block.odd_count
            self._odd_positions += block.odd_positions.tolist()
            del self._odd_positions[_LINES_SHOWN:]
            self.bytes_done = block.bytes_end
            yield columns
        self.late = frozenset() if search is None else search.found
        give_back_memory()

    def _read_block(
        self, column: AddressColumn, reading: ReadOptions, search: LateColumns | None, block: Block
    ) -> _ReadBlock | None:
        """Read one block; None where its quotes must be found first."""
        records = _find_records(block, self._source)
        if records is None:
            return None
        plan = self.plan
        odd = np.flatnonzero((records.widths != len(plan.columns)) & ~records.is_blank)
        starts, ends = records.find_either(plan.email_column, plan.second_email_column)
        read = column.read(block.data, starts, ends, records.is_blank)
        sizes = (records.ends - records.starts).astype(np.uint32)
        if len(sizes):
            sizes[-1] -= block.added_line_end
        cells = None
        if reading.choice is not None:
            cells = np.stack((starts - records.starts, ends - starts), 1).astype(np.uint32)
        ranks, dates = reading.ranks.rank(records, _find_rows(records, block, self._source))
        widths, boxes = records.widths.astype(np.uint16), read.boxes
        said = None
        if self.said is not None:
            said = self.said.gather(lambda cell: unquote_cells(block.data, *records.find(cell)))
        if search is not None:
            search.search(block.data, records)
        rows = RowColumns(sizes, read.codes, read.flags, read.keys, widths, ranks, boxes)
        return _ReadBlock(
            replace(rows, cells=cells, repaired=read.repaired),
            read,
            dates,
            said,
            records.starts[odd[:_LINES_SHOWN]] + block.offset,
            len(odd),
            block.offset + len(block.data),
        )

    def _choose_said(self, reading: ReadOptions) -> tuple[SaidCells | None, LateColumns | None]:
        """Choose the columns that may say who may be mailed, and those to search in all rows."""
        decisions, late = reading.decisions, reading.late
        if decisions is None:
            return None, None
        source, plan = self._source, self.plan
        find_rows = partial(_read_rows, source, lambda found: found)
        with closing(source.work_on(find_rows, SAMPLE_BYTES)) as blocks:  # reads some ahead
            some = ((block, block.rows[:_SAMPLE_ROWS].tolist()) for block in islice(blocks, 1))
            rows = [block.read_cells(record) for block, records in some for record in records]
        indices = (plan.email_column, plan.second_email_column)
        left_out = frozenset(place for place in indices if place is not None)
        said = SaidCells.choose(plan.columns, rows, left_out, source.codec, decisions, late)
        chosen = left_out if said is None else left_out.union(said.indices)
        search = LateColumns(plan.columns, chosen, source.codec, source.delimiter)
        return said, None if late else search

    def read_rows(self, work: Callable[[RowBlock], T]) -> Iterator[T]:
        """Read the rows in UTF-8; see ``ListSource.read_rows``."""
        request = replace(self._request, report=ignore_progress)
        with open_records(request, to_utf8=True) as source:
            yield from source.work_on(partial(_read_rows, source, work), request.block_bytes)

    def write(
        self, result: ResultPlan, blocks: Iterator[StoredRows]
    ) -> Generator[WrittenRows, None, None]:
        """Write the kept records with the added cells; see ``ListSource.write``."""
        self.text_form = yield from write_result(self._source, self._widest, result, blocks)

    def list_notices(self, result: ResultPlan) -> tuple[Notice, ...]:
        """Return which rows have more or fewer cells than the list has columns."""
        if not self._odd_count:
            return ()
        text = translatable(
            "Rows with more or fewer cells than the {width:d} columns: all rows were padded with "
            "empty cells to {most:d} columns.",
            width=len(self.plan.columns),
            most=self._widest,
        )
        lines = find_lines(read_blocks(self._source.path), self._odd_positions)
        return (Notice("ragged_rows", text, tuple(lines), self._odd_count),)


def _find_records(block: Block, source: RecordsFile) -> Records | None:
    """Return a block's records; None where its quotes must be found first.

    Raises:
        RecordFault: A cell or a record is over its limit.
    """
    width = len(source.plan.columns)
    records = scan_records(block.data, source.delimiter, block.quotes, width)
    if records is not None and block.added_line_end:
        records.drop_end_mark()
    return records


def _find_rows(records: Records, block: Block, source: RecordsFile) -> NDArray[np.bool_]:
    """Return which of a block's records are rows: neither blank nor the header."""
    is_row = ~records.is_blank
    if source.plan.has_header and block.offset == len(source.above):
        is_row[np.flatnonzero(is_row)[:1]] = False
    return is_row


def _read_rows(source: RecordsFile, work: Callable[[RowBlock], T], block: Block) -> T | None:
    """Work on the rows of one block; None where its quotes must be found first."""
    records = _find_records(block, source)
    if records is None:
        return None
    rows = np.flatnonzero(_find_rows(records, block, source))
    width = len(source.plan.columns)
    return work(RowBlock(block.data, records, rows, width, source.delimiter))
