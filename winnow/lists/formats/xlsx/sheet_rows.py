"""The rows of a workbook's sheet as lines of CSV, their cells as the sheet shows them."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TypeVar

import numpy as np

from winnow.core.errors import BrokenFile
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.formats.xlsx.archive import open_archive
from winnow.lists.formats.xlsx.cells import CellGrammar, MalformedRow
from winnow.lists.formats.xlsx.emails import EmailValues
from winnow.lists.formats.xlsx.index import LineWriter
from winnow.lists.formats.xlsx.opened import OpenSheet
from winnow.lists.formats.xlsx.sheet_structure import read_tables
from winnow.lists.requests import RowsRequest
from winnow.lists.result.empty_runs import expand_runs
from winnow.lists.text.row_block import RowBlock

_STRINGS = "rows.strings"

T = TypeVar("T")


def read_sheet_rows(request: RowsRequest, work: Callable[[RowBlock], T]) -> Iterator[T]:
    """Yield what comes of the rows; as ``ListFormat.read_rows``."""
    width = len(request.plan.columns)
    strings = request.scratch / _STRINGS
    try:
        with open_archive(request.path) as archive:
            opened = OpenSheet.open(archive, request.plan, strings)

            def work_on(lines: bytes) -> T:
                data = np.frombuffer(expand_runs(lines, b","), np.uint8)
                return work(RowBlock.of_lines(data, width))

            yield from map_in_order(work_on, _write_lines(opened))
    finally:
        with suppress(OSError):  # Windows keeps a file that is still mapped
            strings.unlink(missing_ok=True)


def _write_lines(opened: OpenSheet) -> Iterator[bytes]:
    sheet, plan = opened.sheet, opened.plan
    tables = read_tables(opened.archive, sheet)
    scan = opened.scan(EmailValues(frozenset()), tables, lambda rows, read_bytes: None)
    is_row, width = scan.is_row, max(scan.last_column + 1, len(plan.columns))
    stream, texts = opened.read()
    grammar = CellGrammar(stream.prefix)
    lines = LineWriter(stream, grammar, texts, width, {}, plan.email_column)
    seen = 0
    for region in stream.regions():
        try:
            data, _, row_count = lines.write(region, is_row[seen:])
        except (MalformedRow, ValueError, LookupError) as error:
            raise BrokenFile(
                "The sheet has cells that cannot be read.",
                hint="Open the workbook in a spreadsheet program and save it again.",
                sheet=sheet.name,
            ) from error
        seen += row_count
        if data:
            yield data
