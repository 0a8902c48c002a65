"""One table of a do-not-mail, bounce or own-list file: first rows, and columns by blocks."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import polars as pl
import pyarrow as pa

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices
from winnow.core.tasks.task import InputPlan
from winnow.lists.format_registry import find_format
from winnow.lists.formats.delimited.text_head import TextHead, read_text_head
from winnow.lists.inspection.signature import find_extension
from winnow.lists.requests import RowsRequest
from winnow.lists.text.arrow_cells import unquote_cells
from winnow.lists.text.records import Positions
from winnow.lists.text.row_block import RowBlock

SAMPLE_ROWS = 1000
_BLOCK_BYTES = 1 << 21  # a side file is read with little memory


class SideTable:
    """A table in a text file. ``label`` names the part of the file that it is; ``""``: all of it.

    ``rows`` are its first lines that hold anything, the header among them where there is one;
    ``numbers`` are their row numbers, from 1.
    """

    def __init__(self, path: Path, label: str, head: TextHead, scratch: Path) -> None:
        self.label = label
        records = (*head.above, *head.records)[:SAMPLE_ROWS]
        self.rows = tuple(record.cells for record in records)
        self.numbers = tuple(record.row for record in records)
        self._path = path
        self._head = head
        self._scratch = scratch

    @classmethod
    def open(cls, path: Path, name: str, label: str, scratch: Path) -> "SideTable":
        """Find out how a text file is to be read.

        Raises:
            InputError: It is no table.
        """
        found = find_extension(name, (FileFormat.CSV, FileFormat.TSV, FileFormat.TXT))
        head = read_text_head(path, found or FileFormat.CSV, Choices())
        return cls(path, label, head, scratch)

    @property
    def is_one_column(self) -> bool:
        """Whether it is one value a line."""
        return max(map(len, self.rows), default=0) < 2

    def read_columns(
        self, columns: Sequence[int], header: int | None
    ) -> Iterator[tuple[Positions, list[pl.Series]]]:
        """Yield row numbers and the cells of wanted columns, letters in lower case.

        Args:
            columns: The wanted ones, from 0.
            header: The place in ``rows`` of the header, below which reading begins; None: all rows.

        Raises:
            BrokenFile: With the line.
        """
        last_skipped = 0 if header is None else self.numbers[header]
        head = self._head
        plan = InputPlan(
            FileFormat.CSV,
            0,
            self.rows[-1],
            has_header=False,
            encoding=head.encoding,
            bom=head.bom,
            delimiter=head.delimiter,
            newline=head.newline,
            escape=head.escape,
        )
        request = RowsRequest(self._path, plan, self._scratch, _BLOCK_BYTES)
        done = 0
        for record_count, rows, cells in find_format(FileFormat.CSV).read_rows(
            request, partial(_cut_block, columns)
        ):
            numbers = rows + done + 1
            done += record_count
            if len(numbers) and numbers[0] <= last_skipped:
                is_below = numbers > last_skipped
                numbers = numbers[is_below]
                cells = [one.filter(pl.Series(is_below)) for one in cells]
            yield numbers, cells


def _cut_block(columns: Sequence[int], block: RowBlock) -> tuple[int, Positions, list[pl.Series]]:
    return len(block.records.starts), block.rows, [_read_cells(block, one) for one in columns]


def _read_cells(block: RowBlock, column: int) -> pl.Series:
    """Return a column's cells as texts."""
    starts, ends = (bounds[block.rows] for bounds in block.records.cells.find(column))
    cells = unquote_cells(block.data, starts, ends)
    try:
        texts = cells.cast(pa.large_string())
    except pa.ArrowInvalid:  # bytes that are no text
        texts = pa.array([one.decode("utf-8", "replace") for one in cells.to_pylist()])
    return pl.Series("text", pl.from_arrow(texts), pl.String).str.to_lowercase()
