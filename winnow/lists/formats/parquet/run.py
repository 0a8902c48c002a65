"""A Parquet list as it is inspected, read and written.

Its rows are written as plain CSV first, which is read and judged as a text list is. Then the kept
rows are written again as Arrow tables with more columns.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.task import InputPlan, Notice
from winnow.lists.execution.ordered import hand_on, map_in_order
from winnow.lists.execution.run_files import create_file, rename_file
from winnow.lists.formats.parquet.cell_texts import is_blank, word_column, word_lines
from winnow.lists.formats.parquet.result_file import ResultFile, name_lost_types
from winnow.lists.formats.parquet.source import (
    ParquetSource,
    naming_faults,
    open_parquet,
    take_rows,
)
from winnow.lists.inspection.first_look import SAMPLE_ROWS, tell_columns
from winnow.lists.inspection.first_row import GUESS_ROWS
from winnow.lists.list_format import ListFormat
from winnow.lists.list_source import ListSource, Reading, ReadRows, Result, StoredRows, WrittenRows
from winnow.lists.requests import RowsRequest
from winnow.lists.result.added_columns import list_cells
from winnow.lists.result.row_text import RESULT_NAME, ROWS_TEXT_NAME, RowText
from winnow.lists.text.row_block import RowBlock
from winnow.lists.unpacked_size import UnpackedSize

T = TypeVar("T")

_LINES, _TABLE = "pass.lines", "pass.table"
_SHOWN_CHARACTERS = 1000  # of a cell, where columns are described


@contextmanager
def open_table(request: RowsRequest, text: ListFormat) -> Iterator["ParquetList"]:
    """Write a Parquet list as plain CSV, and open that; ``text`` reads it.

    Raises:
        BrokenFile, EmptyFile: As ``open_parquet`` and ``ParquetSource.read``; or the lines take
            more room than those of any list.
    """
    path = request.scratch / _LINES
    plan = replace(request.plan, file_format=FileFormat.CSV, has_header=False, first_row=1)
    lines = RowsRequest(path, plan, request.scratch, request.block_bytes)
    try:
        with open_parquet(request.path) as source:
            is_whole = _write_lines(source, request, path)
            with text.open_source(lines) as text_list:
                yield ParquetList(source, request.plan, text_list, is_whole=is_whole)
    finally:
        path.unlink(missing_ok=True)


def _write_lines(source: ParquetSource, request: RowsRequest, path: Path) -> bool:
    """Write the rows, no further than soon after ``most_bytes``; return whether these are all."""
    size, row_count, row_total = UnpackedSize(source.size_bytes), 0, source.row_count
    with create_file(path) as file:
        for text, rows in map_in_order(_word, source.read()):
            size.add(len(text))
            file.write(text)
            row_count += rows
            request.tell(row_count, row_total, source.size_bytes * row_count // row_total)
            if request.most_bytes is not None and file.tell() > request.most_bytes:
                break
    return row_count == row_total


class ParquetList(ListSource):
    """An open Parquet file, and the text list of its rows."""

    def __init__(
        self, source: ParquetSource, plan: InputPlan, text_list: ListSource, *, is_whole: bool
    ) -> None:
        super().__init__(plan)
        self.domains = text_list.domains
        self.size_bytes = source.size_bytes
        self.own_names = source.names
        self.row_total = source.row_count
        self.replaces_addresses = _holds_text(source.schema.field(plan.email_column).type)
        self.is_whole = is_whole
        self._source = source
        self._list = text_list

    def read(self, reading: Reading) -> Iterator[ReadRows]:
        """Read the lines, when all bytes are done; see ``ListSource.read``."""
        for rows in self._list.read(reading):
            yield replace(rows, bytes_done=self.size_bytes)

    def read_rows(self, work: Callable[[RowBlock], T]) -> Iterator[T]:
        """Read the cells as texts; see ``ListSource.read_rows``."""
        return self._list.read_rows(work)

    def list_rows(self, places: NDArray[np.int64]) -> list[tuple[int, tuple[str, ...]]]:
        """Return rows by their places; see ``ListSource.list_rows``."""
        return self._list.list_rows(places)

    def write(
        self, result: Result, blocks: Iterator[StoredRows]
    ) -> Generator[WrittenRows, None, RowText]:
        """Write the rows again with more columns, and as text; see ``ListSource.write``."""
        fields = [pa.field(name, pa.string()) for name in result.columns]
        form = RowText()

        def write_text() -> Iterator[WrittenRows]:
            nonlocal form
            form = yield from self._list.write(result, blocks)

        path = result.folder / _TABLE
        with ResultFile(path, self._source, len(self._source.names), fields) as file:
            yield from hand_on(write_text(), _RowCopier(self._source, self.plan, file, result).add)
        rename_file(result.folder / RESULT_NAME, ROWS_TEXT_NAME)
        rename_file(path, RESULT_NAME)
        return replace(form, file_name=ROWS_TEXT_NAME)

    def list_notices(self, result: Result) -> tuple[Notice, ...]:
        """Return which columns could not keep their types."""
        return name_lost_types(self._source)


def _word(step: pa.Table) -> tuple[bytes, int]:
    return word_lines(step), step.num_rows


class _RowCopier:
    """Copies the kept rows of a list, with more columns, block by block of its text."""

    def __init__(
        self, source: ParquetSource, plan: InputPlan, file: ResultFile, result: Result
    ) -> None:
        second = plan.second_email_column
        self._places = (plan.email_column,) if second is None else (plan.email_column, second)
        self._file = file
        self._result = result
        self._steps = source.read()
        self._step = source.schema.empty_table()  # what is left of the last one
        texts = map(list_cells, result.table.verdicts)
        self._verdicts = [
            pa.array([word or None for word in words], pa.string())
            for words in zip(*texts, strict=True)
        ]

    def add(self, rows: WrittenRows) -> None:
        """Copy the next block."""
        begin = 0
        while begin < rows.record_count:
            step = self._step if self._step.num_rows else next(self._steps)
            end = min(rows.record_count, begin + step.num_rows)
            self._step = step.slice(end - begin)
            self._copy(step.slice(0, end - begin), rows, begin)
            begin = end

    def _copy(self, step: pa.Table, rows: WrittenRows, begin: int) -> None:
        """Copy some rows of a block, from its row ``begin`` on."""
        bounds = begin, begin + step.num_rows
        some = slice(*np.searchsorted(rows.kept, bounds))
        kept, places = rows.kept[some] - begin, pa.array(rows.verdict_places[some])
        added = [column.take(places) for column in self._verdicts]
        if self._result.extra:
            repaired = slice(*np.searchsorted(rows.repaired.rows, bounds))
            numbers, texts = rows.repaired.rows[repaired] - begin, rows.repaired.new[repaired]
            step, addresses = self._put_repairs(step, numbers, texts)
            added.insert(0, addresses.take(pa.array(kept)))
        self._file.write(take_rows(step, kept), added)

    def _put_repairs(
        self, rows: pa.Table, numbers: NDArray[np.int64], repaired: Sequence[str]
    ) -> tuple[pa.Table, pa.Array]:
        """Return rows with their repairs, and the cells of the added column."""
        place = self._places[0]
        column = rows.column(place).combine_chunks()
        if self._result.has_former:
            kind = column.type
            inner = kind.value_type if pa.types.is_dictionary(kind) else kind
            texts = _merge(column.cast(inner), numbers, repaired)
            rows = rows.set_column(place, rows.schema.field(place), texts.cast(kind))
            return rows, column.cast(pa.string())
        texts = self._word_addresses([rows.column(one) for one in self._places])
        is_null = pc.and_(pc.is_null(column), pc.equal(pc.binary_length(texts), 0))
        cells = pc.if_else(is_null, pa.scalar(None, texts.type), texts)
        return rows, _merge(cells, numbers, repaired).cast(pa.string())

    def _word_addresses(self, columns: Sequence[pa.ChunkedArray]) -> pa.Array:
        """Return each row's address as text: that of the second column where the first is blank."""
        texts, *more = map(word_column, columns, self._places)
        if not more:
            return texts
        others = more[0]
        return pc.if_else(pc.and_(is_blank(texts), pc.invert(is_blank(others))), others, texts)


def _merge(cells: pa.Array, numbers: NDArray[np.int64], repaired: Sequence[str]) -> pa.Array:
    """Return cells, those of some rows repaired."""
    mask = np.zeros(len(cells), np.bool_)
    mask[numbers] = True
    texts = pa.array(list(repaired), pa.string()).cast(cells.type)
    return pc.replace_with_mask(cells, mask, texts)


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
        for step in islice(source.read([group]), 1):
            with naming_faults():
                columns = [
                    [
                        text.decode("utf-8", "replace")[:_SHOWN_CHARACTERS]
                        for text in word_column(column, place).to_pylist()
                    ]
                    for place, column in enumerate(step.slice(0, GUESS_ROWS).columns)
                ]
            rows += zip(*columns, strict=True)
        if len(rows) >= GUESS_ROWS:
            break
    return rows[:GUESS_ROWS]
