"""A Parquet list as it is inspected, read and written.

The first pass reads the buffers of the email column; the second writes the kept rows again as Arrow
tables with more columns, and once more as lines of CSV for the pages.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.task import InputPlan, Notice
from winnow.lists.engine.address_column import AddressBlock, AddressColumn
from winnow.lists.engine.repairer import RepairedCells
from winnow.lists.engine.row_ranks import RankBlock, rank_by_count, rank_by_date_texts
from winnow.lists.execution.durable_file import DurableFile
from winnow.lists.execution.ordered import hand_on, map_in_order
from winnow.lists.execution.row_store import RowColumns
from winnow.lists.formats.parquet.cell_texts import is_blank, word_column, word_lines
from winnow.lists.formats.parquet.result_file import ResultFile, name_lost_types
from winnow.lists.formats.parquet.source import (
    STEP_BYTES,
    ParquetSource,
    naming_faults,
    open_parquet,
    take_rows,
)
from winnow.lists.inspection.first_look import SAMPLE_ROWS, tell_columns
from winnow.lists.inspection.first_row import GUESS_ROWS
from winnow.lists.list_source import ListSource, Reading, ReadRows, Result, StoredRows, WrittenRows
from winnow.lists.requests import RowsRequest
from winnow.lists.result.added_columns import ADDED
from winnow.lists.result.row_text import RESULT_NAME, ROWS_TEXT_NAME, RowText
from winnow.lists.text.cell_text import decode_text
from winnow.lists.text.row_block import RowBlock

T = TypeVar("T")

_SHOWN_CHARACTERS = 1000  # of a cell, where columns are described


@contextmanager
def open_table(request: RowsRequest) -> Iterator["ParquetList"]:
    """Open a Parquet list.

    Raises:
        BrokenFile, EmptyFile: As ``open_parquet``.
    """
    with open_parquet(request.path, min(STEP_BYTES, request.block_bytes)) as source:
        yield ParquetList(source, request.plan)


class ParquetList(ListSource):
    """An open Parquet file."""

    def __init__(self, source: ParquetSource, plan: InputPlan) -> None:
        super().__init__(plan)
        second = plan.second_email_column
        self.size_bytes = source.size_bytes
        self.own_names = source.names
        self.row_total = source.row_count
        self._places = (plan.email_column,) if second is None else (plan.email_column, second)
        self._source = source

    @property
    def replaces_addresses(self) -> bool:  # type: ignore[override]
        """Whether the email column holds texts."""
        return _holds_text(self._source.schema.field(self._places[0]).type)

    def read(self, reading: Reading) -> Iterator[ReadRows]:
        """Read the columns with addresses, and those that rank rows; see ``ListSource.read``."""
        rule = reading.ranks.rule
        column = AddressColumn(
            decode_text,
            reading.local_words,
            is_utf8=True,
            repairer=reading.repairer,
            has_plus_tags=reading.has_plus_tags,
        )
        wanted = sorted({*self._places, *([] if rule.date_column is None else [rule.date_column])})
        if rule.keep is Keep.COMPLETE:
            wanted = list(range(len(self._source.names)))
        steps = self._source.read(wanted)
        done = 0
        for block, ranked in map_in_order(partial(self._read_step, column, rule, wanted), steps):
            read = block.number_domains(self.domains)
            alike = np.ones(len(read.codes), np.uint16)  # of sizes and widths
            sizes = alike.astype(np.uint32)
            columns = RowColumns(sizes, read.codes, read.flags, read.keys, alike, read.boxes)
            done += len(read.codes)
            share = self.size_bytes * done // self._source.row_count
            yield ReadRows(columns, reading.ranks.take(ranked), read.repaired, share)

    def _read_step(
        self, column: AddressColumn, rule: KeepRule, wanted: Sequence[int], step: pa.Table
    ) -> tuple[AddressBlock, RankBlock | None]:
        ranks = None
        if rule.date_column is not None:
            dates = step.column(wanted.index(rule.date_column))
            ranks = rank_by_date_texts(word_column(dates, rule.date_column))
        elif rule.keep is Keep.COMPLETE:
            counts = np.zeros(step.num_rows, np.int64)
            for place, cells in enumerate(step.columns):
                counts += ~is_blank(word_column(cells, place)).to_numpy(zero_copy_only=False)
            ranks = rank_by_count(counts)
        columns = [step.column(wanted.index(place)) for place in self._places]
        return column.read_texts(self._word_addresses(columns)), ranks

    def _word_addresses(self, columns: Sequence[pa.ChunkedArray]) -> pa.Array:
        """Return each row's address as text: that of the second column where the first is blank."""
        texts, *more = map(word_column, columns, self._places)
        if not more:
            return texts
        others = more[0]
        return pc.if_else(pc.and_(is_blank(texts), pc.invert(is_blank(others))), others, texts)

    def read_rows(self, work: Callable[[RowBlock], T]) -> Iterator[T]:
        """Read the cells as texts; see ``ListSource.read_rows``."""
        width = len(self.plan.columns)
        steps = (step for step in self._source.read() if step.num_rows)
        return map_in_order(lambda step: work(RowBlock.of_lines(word_lines(step)[0], width)), steps)

    def write(
        self, result: Result, blocks: Iterator[StoredRows]
    ) -> Generator[WrittenRows, None, RowText]:
        """Write the kept rows with the added columns; see ``ListSource.write``."""
        source = self._source
        fields = [pa.field(name, pa.string()) for name in (*result.extra, *result.names)]
        texts = [ADDED.list_cells(verdict) for verdict in result.table.verdicts]
        columns = [
            pa.array([word or None for word in words], pa.string())
            for words in zip(*texts, strict=True)
        ]
        path = result.folder / RESULT_NAME
        steps = zip(source.read(), blocks, strict=True)
        with (
            closing(DurableFile(result.folder / ROWS_TEXT_NAME)) as lines,
            ResultFile(path, source, len(source.names), fields) as file,
        ):
            judged = map_in_order(partial(self._judge, result, columns), steps)
            for _, text, rows in hand_on(judged, lambda step: file.write(*step[0])):
                lines.write(text)
                yield rows
            lines.sync()
        return RowText(
            width=len(source.names) + len(result.extra),
            added_count=ADDED.count,
            repaired=result.repaired,
            original=result.beside,
        )

    def _judge(
        self,
        result: Result,
        columns: list[pa.Array],
        item: tuple[pa.Table, StoredRows],
    ) -> tuple[tuple[pa.Table, list[pa.Array]], NDArray[np.uint8], WrittenRows]:
        """Return what ``ResultFile.write`` takes of a step, and its lines."""
        step, stored = item
        columns_read, kept = stored.columns, np.flatnonzero(stored.is_kept)
        places = result.table.find_places(columns_read.codes, columns_read.flags, columns_read.keys)
        added = [column.take(pa.array(places.take(kept))) for column in columns]
        rows = shown = take_rows(step, kept)
        if result.extra:
            whole, addresses = self._put_repairs(step, stored.repaired, result)
            rows = take_rows(whole, kept)
            added.insert(0, addresses.take(pa.array(kept)))
            shown = rows.append_column(result.extra[0], added[0])
        lines, sizes = word_lines(shown)
        written = WrittenRows.of(result.table, stored, places, kept, sizes)
        return (rows, added), lines, written

    def _put_repairs(
        self, rows: pa.Table, repaired: RepairedCells, result: Result
    ) -> tuple[pa.Table, pa.Array]:
        """Return rows with their repairs, and the cells of the added column."""
        place = self._places[0]
        column = rows.column(place).combine_chunks()
        if result.original:
            kind = column.type
            inner = kind.value_type if pa.types.is_dictionary(kind) else kind
            texts = _merge(column.cast(inner), repaired, inner)
            rows = rows.set_column(place, rows.schema.field(place), texts.cast(kind))
            return rows, column.cast(pa.string())
        texts = self._word_addresses([rows.column(one) for one in self._places])
        is_null = pc.and_(pc.is_null(column), pc.equal(pc.binary_length(texts), 0))
        cells = pc.if_else(is_null, pa.scalar(None, texts.type), texts)
        return rows, _merge(cells, repaired, texts.type).cast(pa.string())

    def list_notices(self, result: Result) -> tuple[Notice, ...]:
        """Return which columns could not keep their types."""
        return name_lost_types(self._source)


def _merge(cells: pa.Array, repaired: RepairedCells, kind: pa.DataType) -> pa.Array:
    """Return cells, the repaired ones in their rows."""
    mask = np.zeros(len(cells), np.bool_)
    mask[repaired.rows] = True
    return pc.replace_with_mask(cells, mask, pa.array(list(repaired.new), pa.string()).cast(kind))


def _holds_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _holds_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def inspect_parquet(path: Path, choices: Choices) -> Head:
    """Inspect a file; see ``ListFormat.read_head``. Its columns have their names."""
    with open_parquet(path) as source:
        names, row_count = source.names, source.row_count
        rows = _read_first_rows(source)
    head = tell_columns(names, rows, replace(choices, has_header=True))
    return replace(
        head,
        file_format=FileFormat.PARQUET,
        size_bytes=path.stat().st_size,
        row_count=row_count,
        row_estimate=row_count,
        row_numbers=tuple(range(1, len(head.sample_rows) + 1))[:SAMPLE_ROWS],
    )


def _read_first_rows(source: ParquetSource) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for group in range(len(source.group_rows)):
        for step in islice(source.read(groups=[group], most_rows=GUESS_ROWS), 1):
            with naming_faults():
                columns = [
                    [
                        text.decode("utf-8", "replace")[:_SHOWN_CHARACTERS]
                        for text in word_column(column, place).to_pylist()
                    ]
                    for place, column in enumerate(step.columns)
                ]
            rows += zip(*columns, strict=True)
        if len(rows) >= GUESS_ROWS:
            break
    return rows[:GUESS_ROWS]
