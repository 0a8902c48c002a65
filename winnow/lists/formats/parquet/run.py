"""A Parquet list as it is inspected, read and written.

Its rows are written as plain CSV first, which is read and judged as a text list is. Then the kept
rows are written again as Arrow tables with more columns.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from winnow.core.lists.notices import Notice
from winnow.lists.engine.repairer import RepairedCells
from winnow.lists.execution.ordered import hand_on, map_in_order
from winnow.lists.execution.run_files import create_file, rename_file
from winnow.lists.formats.parquet.cell_texts import word_lines
from winnow.lists.formats.parquet.read import (
    ParquetSource,
    open_parquet,
    take_rows,
)
from winnow.lists.formats.parquet.write import Write, create_result
from winnow.lists.lines_list import LinesList, open_lines, read_addresses
from winnow.lists.list_format import ListFormat
from winnow.lists.list_source import ListSource, ResultPlan, StoredRows, WrittenRows
from winnow.lists.requests import RowsRequest
from winnow.lists.result.added_columns import list_cells
from winnow.lists.result.row_text import RESULT_NAME
from winnow.lists.unpacked_size import UnpackedSize
from winnow.words import translatable

_TABLE = "pass.table"
_LOST_TYPES = {"BSON", "ENUM", "GEOGRAPHY", "GEOMETRY", "INTERVAL", "VARIANT"}
_SHOWN = 10


@contextmanager
def open_table(request: RowsRequest, text: ListFormat) -> Iterator["ParquetList"]:
    """Write a Parquet list as plain CSV, and open that; ``text`` reads it.

    Raises:
        BrokenFile, EmptyFile: As ``open_parquet`` and ``ParquetSource.read``; or the lines take
            more room than those of any list.
    """
    row_count = 0
    with open_parquet(request.path) as source:
        row_total = source.row_count

        def write(path: Path) -> None:
            """Write the rows, no further than soon after ``most_bytes``."""
            nonlocal row_count
            size = UnpackedSize(source.size_bytes)
            with create_file(path) as file:
                for text, rows in map_in_order(
                    lambda step: (word_lines(step), step.num_rows), source.read()
                ):
                    size.add(len(text))
                    file.write(text)
                    row_count += rows
                    request.report(row_count, row_total, source.size_bytes * row_count // row_total)
                    if request.most_bytes is not None and file.tell() > request.most_bytes:
                        break

        with open_lines(request, text, write) as lines:
            yield ParquetList(source, request, lines, is_whole=row_count == row_total)


class ParquetList(LinesList):
    """An open Parquet file, and the text list of its rows."""

    def __init__(
        self, source: ParquetSource, request: RowsRequest, lines: ListSource, *, is_whole: bool
    ) -> None:
        super().__init__(request, lines, is_whole=is_whole)
        self.own_names = source.names
        self.row_total = source.row_count
        kind = source.schema.field(self.plan.email_column).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        self.replaces_addresses = kind in (pa.string(), pa.large_string())
        self._source = source

    def write(
        self, result: ResultPlan, blocks: Iterator[StoredRows]
    ) -> Generator[WrittenRows, None, None]:
        """Write the rows again with more columns, and as text; see ``ListSource.write``."""
        fields = [pa.field(name, pa.string()) for name in result.columns]
        path, source = result.folder / _TABLE, self._source
        with create_result(path, source, len(source.names), fields) as write:
            yield from hand_on(self._lines.write(result, blocks), self._copy_rows(result, write))
        self._keep_text(result)
        rename_file(path, RESULT_NAME)

    def _copy_rows(self, result: ResultPlan, write: Write) -> Callable[[WrittenRows], None]:
        """Return what copies the kept rows of the next block of the text, with more columns."""
        texts = map(list_cells, result.table.verdicts)
        verdicts = [pa.array(words, pa.string()) for words in zip(*texts, strict=True)]
        steps, left = self._source.read(), self._source.schema.empty_table()

        def copy(rows: WrittenRows) -> None:
            nonlocal left
            indices = pa.array(rows.verdict_indices)
            added = [column.take(indices) for column in verdicts]
            addresses = read_addresses(rows) if result.extra else None
            begin = 0
            while begin < rows.record_count:
                left = left if left.num_rows else next(steps)
                end = min(rows.record_count, begin + left.num_rows)
                step, left = left.slice(0, end - begin), left.slice(end - begin)
                if result.has_former:
                    step = self._put_repairs(step, rows.repaired, begin)
                first, last = np.searchsorted(rows.kept, (begin, end))
                kept = rows.kept[first:last] - begin
                some = [column.slice(first, last - first) for column in added]
                if addresses is not None:  # nulls for the empty ones whose own cell is null
                    cells = addresses.slice(first, last - first)
                    is_null = pc.is_null(step.column(self.plan.email_column)).combine_chunks()
                    is_null = pc.and_(
                        is_null.take(pa.array(kept)), pc.equal(pc.binary_length(cells), 0)
                    )
                    cells = pc.if_else(is_null, pa.scalar(None, cells.type), cells)
                    some.insert(0, cells.cast(pa.string()))
                write(take_rows(step, kept), some)
                begin = end

        return copy

    def _put_repairs(self, step: pa.Table, repaired: RepairedCells, begin: int) -> pa.Table:
        """Return some rows of a block, from its row ``begin`` on, with repaired addresses."""
        place = self.plan.email_column
        first, last = np.searchsorted(repaired.rows, (begin, begin + step.num_rows))
        field = step.schema.field(place)
        inner = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        cells = step.column(place).combine_chunks().cast(inner)
        is_repaired = np.zeros(len(cells), np.bool_)
        is_repaired[repaired.rows[first:last] - begin] = True
        texts = pa.array(list(repaired.new[first:last]), pa.string()).cast(inner)
        cells = pc.replace_with_mask(cells, is_repaired, texts).cast(field.type)
        return step.set_column(place, field, cells)

    def list_notices(self, result: ResultPlan) -> tuple[Notice, ...]:
        """Return the notice of columns whose Parquet type Arrow reads and does not write."""
        schema = self._source.parquet_schema
        lost = [
            leaf.path
            for leaf in map(schema.column, range(len(schema)))
            if _LOST_TYPES & {leaf.logical_type.type, leaf.converted_type}
        ]
        text = translatable(
            "These columns are written as a simpler type: {names}.", names=", ".join(lost[:_SHOWN])
        )
        return (Notice("columns_retyped", text),) if lost else ()
