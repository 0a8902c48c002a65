"""The row index of a workbook: its kept rows once more, as lines of CSV."""

from collections.abc import Callable, Mapping
from contextlib import closing
from itertools import compress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile
from winnow.lists.engine.verdict_table import VerdictTable
from winnow.lists.execution.row_index_writer import RowIndexWriter, RowNumbersWriter
from winnow.lists.execution.run_files import create_durably
from winnow.lists.formats.xlsx.block_text import count_valueless, write_lines
from winnow.lists.formats.xlsx.cells import CellGrammar, MalformedRow, read_row_number
from winnow.lists.formats.xlsx.replaced_cells import ReplacedCells
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.sheet_repairs import SheetRepairs
from winnow.lists.formats.xlsx.text import CellTexts
from winnow.lists.result.added_columns import VerdictColumns
from winnow.lists.result.empty_runs import word_run
from winnow.lists.result.row_index import ROWS_TEXT_NAME, RowText


def write_row_index(
    stream: SheetStream,
    texts: CellTexts,
    is_out: NDArray[np.bool_],
    verdict_places: NDArray[np.uint16],
    name_codes: NDArray[np.uint32],
    table: VerdictTable,
    folder: Path,
    *,
    width: int,
    sheet: str,
    tick: Callable[[int], None],
    repairs: SheetRepairs,
    email_column: int,
    addresses: pa.Array | None,
    numbers: NDArray[np.int32],
    added: VerdictColumns,
) -> int:
    """Write ``rows.*`` from the sheet as it came; return how many formulas show no value.

    Args:
        stream: The sheet from its start.
        texts: Turns its cells into text.
        is_out: For every row of the sheet, in order, whether it is an output row.
        verdict_places: One entry for each output row.
        name_codes: One entry for each output row.
        table: What both point into.
        folder: Where the files go.
        width: How many cells each line has; long runs of empty ones take a few bytes.
        sheet: Its name, for errors.
        tick: Called with the output rows done; may raise.
        repairs: What is repaired in them.
        email_column: Where the cells are that may be replaced.
        addresses: A cell for each output row behind its others; None: none.
        numbers: The sheet's number of each output row, from 1.
        added: The added columns of the result.

    Raises:
        BrokenFile: Cells that cannot be read.
    """
    grammar = CellGrammar(stream.prefix)
    lines = LineWriter(stream, grammar, texts, width, repairs.replaced, email_column)
    with closing(RowNumbersWriter(folder)) as sheet_rows:
        sheet_rows.append(int(numbers[-1]) if len(numbers) else 0, numbers - 1)
        sheet_rows.finish()
    index = RowIndexWriter(folder, 0)
    try:
        with create_durably(folder / ROWS_TEXT_NAME) as file:
            seen = done = 0
            for region in stream.regions():
                try:
                    data, sizes, row_count = lines.write(region, is_out[seen:])
                except (MalformedRow, ValueError, LookupError) as error:
                    raise BrokenFile(
                        "The sheet has cells that cannot be read.",
                        hint="Open the workbook in a spreadsheet program and save it again.",
                        sheet=sheet,
                    ) from error
                seen += row_count
                end = done + len(sizes)
                if addresses is not None and end > done:
                    data, sizes = _append(data, sizes, addresses.slice(done, end - done))
                file.write(data)
                index.append(sizes, verdict_places[done:end], name_codes[done:end])
                done = end
                tick(done)
        form = RowText(
            width=width + (addresses is not None),
            has_runs=True,
            added_count=added.count,
            repaired=repairs.column,
            judged=added.judged,
        )
        index.finish(table.verdicts, table.names.in_series(), form)
    finally:
        index.close()
    return lines.valueless_count


class LineWriter:
    """Writes a sheet's rows as lines of CSV, region after region."""

    def __init__(
        self,
        stream: SheetStream,
        grammar: CellGrammar,
        texts: CellTexts,
        width: int,
        replaced: Mapping[int, str],
        email_column: int,
    ) -> None:
        self._stream = stream
        self._grammar = grammar
        self._texts = texts
        self._width = width
        self._replaced = ReplacedCells(grammar, email_column, replaced)
        self._email_column = email_column
        self.valueless_count = 0
        self._previous = 0  # the last row's number

    def write(
        self, region: bytes, is_out: NDArray[np.bool_]
    ) -> tuple[bytes, NDArray[np.uint32], int]:
        """Return a region's rows as CSV records, the size of each, and how many rows it holds.

        Args:
            region: From the sheet's stream.
            is_out: For its rows, and maybe more, whether they are wanted.
        """
        region, block = self._stream.read_block(region, self._previous)
        if block is not None and self._replaced.has_any(block.numbers):
            region, block = self._stream.respell_rows(region, self._previous), None
        if block is not None:
            count = len(block.numbers)
            self._previous = int(block.numbers[-1])
            self.valueless_count += count_valueless(block, is_out[:count], self._width)
            return *write_lines(block, is_out[:count], self._texts, self._width), count
        rows = self._stream.split(region)
        if rows:
            self._previous = read_row_number(rows[-1])
        lines = [self._write_row(row) for row in compress(rows, is_out[: len(rows)].tolist())]
        sizes = np.fromiter((len(line) for line in lines), np.uint32, len(lines))
        return b"".join(lines), sizes, len(rows)

    def _write_row(self, row: bytes) -> bytes:
        number, _, cells = self._grammar.parse_row(row, 0)
        found = {cell.column: cell for cell in cells if cell.column < self._width}
        pieces: list[bytes] = []
        last = 0
        for column, cell in sorted(found.items()):
            text = self._texts.read(cell)
            if column == self._email_column:
                text = self._replaced.texts.get(number, text)
            if not text:
                self.valueless_count += self._texts.lacks_value(cell)
            pieces += (word_run(column - last, b","), self._word_cell(text))
            last = column
        if not found and self._width == 1:
            pieces.append(self._word_cell(""))
        return b"".join((*pieces, word_run(self._width - 1 - last, b","), b"\n"))

    def _word_cell(self, text: str) -> bytes:
        if any(mark in text for mark in ',"\n\r') or (not text and self._width == 1):
            text = '"' + text.replace('"', '""') + '"'
        return text.encode("utf-8", "replace")


def _append(
    data: bytes, sizes: NDArray[np.uint32], cells: pa.Array
) -> tuple[bytes, NDArray[np.uint32]]:
    """Put a cell behind the others of each line."""
    kind = pa.large_binary()
    ends = np.cumsum(sizes, dtype=np.int64)
    bounds = np.empty(2 * len(sizes) + 1, np.int64)
    bounds[0:-1:2], bounds[1::2], bounds[-1] = ends - sizes, ends - 1, ends[-1]
    pieces = pa.LargeBinaryArray.from_buffers(
        kind, 2 * len(sizes), [None, pa.py_buffer(bounds), pa.py_buffer(data)]
    )
    bodies = pieces.take(pa.array(np.arange(0, 2 * len(sizes), 2)))
    comma, line_end, nothing = (pa.scalar(text, kind) for text in (b",", b"\n", b""))
    lines = pc.binary_join_element_wise(bodies, comma, cells, line_end, nothing)
    offsets = np.frombuffer(lines.buffers()[1], np.int64, len(lines) + 1, 8 * lines.offset)
    whole = lines.buffers()[2].to_pybytes()[int(offsets[0]) : int(offsets[-1])]
    return whole, np.diff(offsets).astype(np.uint32)
