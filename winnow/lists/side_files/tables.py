"""Tables of a do-not-mail, bounce or own-list file, read by the formats of lists."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import polars as pl
import pyarrow as pa

from winnow.core.errors import EmptyFile, UnsupportedFormat
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices
from winnow.lists.format_registry import find_format
from winnow.lists.inspection.inspect import plan_input
from winnow.lists.inspection.signature import COMPOUND, find_extension
from winnow.lists.list_format import ListFormat, WrappedFormat
from winnow.lists.requests import RowsRequest
from winnow.lists.side_files.file_parts import SidePart, find_book
from winnow.lists.text.arrow_cells import RowBlock
from winnow.lists.text.records import Positions
from winnow.words import mark

SAMPLE_ROWS = 1000
_TEXTS = (FileFormat.CSV, FileFormat.TSV, FileFormat.TXT)
_BINARY = ((b"PAR1", FileFormat.PARQUET), (COMPOUND, FileFormat.XLS))
_FROM_THE_TOP = Choices(has_header=False, first_row=1)


@dataclass(frozen=True, slots=True)
class SideTable:
    """A table. ``label`` names the part of the file that it is; ``""``: all of it.

    ``rows`` are its first rows, a header among them where there is one; ``numbers`` are their
    numbers in the table, from 1.
    """

    label: str
    rows: tuple[tuple[str, ...], ...]
    numbers: Sequence[int]
    blocks: Iterator[tuple[Positions, RowBlock]]

    def read_columns(
        self, columns: Sequence[int], header: int | None
    ) -> Iterator[tuple[Positions, list[pl.Series]]]:
        """Yield row numbers and the cells of wanted columns, once.

        Args:
            columns: The wanted ones, from 0.
            header: The place in ``rows`` of the header, below which reading begins; None: all rows.

        Raises:
            BrokenFile: With the line.
        """
        last_skipped = 0 if header is None else self.numbers[header]
        for numbers, block in self.blocks:
            is_below = numbers > last_skipped
            rows = block.rows[is_below]
            yield numbers[is_below], [_read_cells(block, rows, one) for one in columns]


def open_tables(part: SidePart, scratch: Path) -> Iterator[SideTable]:
    """Yield the table of a part, or the visible sheets of a workbook that hold anything.

    Each can be read until the next is asked for.

    Raises:
        UnsupportedFormat, BrokenFile, EmptyFile: It cannot be read, and why.
    """
    list_format, path = _find_format(part), part.path
    with ExitStack() as held:
        if isinstance(list_format, WrappedFormat):  # once for all its sheets
            path = held.enter_context(list_format.unwrapped(path, scratch))
            list_format = list_format.inner
        head = list_format.read_head(path, _FROM_THE_TOP, None, scratch)
        plan = plan_input(head, email_column=0)
        if not head.sheets:
            yield from _open_table(part.label, list_format, RowsRequest(path, plan, scratch))
        for sheet in head.sheets:
            label = f"{part.label}: {sheet}" if part.label else sheet
            of_sheet = replace(plan, columns=(), first_row=1, sheet=sheet)
            yield from _open_table(label, list_format, RowsRequest(path, of_sheet, scratch))


def _open_table(label: str, list_format: ListFormat, request: RowsRequest) -> Iterator[SideTable]:
    """Yield a table unless it is empty."""
    header = (request.plan.columns,) if request.plan.has_header else ()
    blocks = _number_rows(list_format.read_rows(request, lambda block: block), len(header))
    try:
        numbers, first = next(blocks)
    except (StopIteration, EmptyFile):  # a sheet of no rows raises
        return
    rows = (*header, *map(first.read_cells, first.rows[:SAMPLE_ROWS].tolist()))
    names = range(1, 1 + len(header))
    yield SideTable(
        label, rows, (*names, *numbers[:SAMPLE_ROWS].tolist()), chain([(numbers, first)], blocks)
    )


def _number_rows(blocks: Iterator[RowBlock], done: int) -> Iterator[tuple[Positions, RowBlock]]:
    for block in blocks:
        if len(block.rows):
            yield block.rows + done + 1, block
        done += len(block.records.starts)


def _read_cells(block: RowBlock, rows: Positions, column: int) -> pl.Series:
    """Return a column's cells as texts; bytes that are no text become U+FFFD."""
    cells = block.take_column(rows, column)
    try:
        texts = cells.cast(pa.large_string())
    except pa.ArrowInvalid:
        texts = pa.array([one.decode("utf-8", "replace") for one in cells.to_pylist()])
    return pl.Series("text", pl.from_arrow(texts), pl.String)


def _find_format(part: SidePart) -> ListFormat:
    """Return the format by what a part holds; of text by its name.

    Raises:
        UnsupportedFormat: No list is read in it.
    """
    start = part.read_start()
    code = next((code for sign, code in _BINARY if start.startswith(sign)), None)
    code = code or find_book(part.path) or find_extension(part.name, _TEXTS)
    list_format = find_format(code or FileFormat.CSV)
    found = list_format.name_content(start)
    if found is None:
        return list_format
    label = part.label
    raise UnsupportedFormat(
        "{where} is {found}, in which no list is read.",
        where=mark('"{name}" in the zip', name=label) if label else mark("This file"),
        found=found,
        hint="Save it as CSV and add that file.",
    )
