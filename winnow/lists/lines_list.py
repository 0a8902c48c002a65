"""A list whose rows are written as plain CSV first, which is read and judged as a text list is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from winnow.core.lists.file_format import FileFormat
from winnow.lists.engine.row_codes import RowColumns
from winnow.lists.execution.run_files import rename_file
from winnow.lists.list_format import ListFormat
from winnow.lists.list_source import ListSource, ReadOptions, ResultPlan, WrittenRows
from winnow.lists.requests import RowsRequest
from winnow.lists.result.row_text import RESULT_NAME, ROWS_TEXT_NAME
from winnow.lists.text.arrow_cells import RowBlock, read_buffers, unquote_cells

T = TypeVar("T")

_LINES = "pass.lines"


@contextmanager
def open_lines(
    request: RowsRequest, text: ListFormat, write: Callable[[Path], None]
) -> Iterator[ListSource]:
    """Have a list's rows written to a temporary file, and open that by the format of plain CSV.

    ``write`` gets its path, and writes neither a header nor blank lines.
    """
    path = request.scratch / _LINES
    plan = replace(request.plan, file_format=FileFormat.CSV, has_header=False, first_row=1)
    try:
        write(path)
        lines = RowsRequest(path, plan, request.scratch, max(request.block_bytes, 1))
        with text.open_source(lines) as source:
            yield source
    finally:
        path.unlink(missing_ok=True)


class LinesList(ListSource):
    """An open list and the text list of its rows. Bytes are those of its file.

    Args:
        request: The list.
        lines: What ``open_lines`` yields.
        is_whole: Whether these are all of its rows.
    """

    def __init__(self, request: RowsRequest, lines: ListSource, *, is_whole: bool) -> None:
        super().__init__(request.plan)
        self.domains = lines.domains
        self.size_bytes = request.path.stat().st_size
        self.is_whole = is_whole
        self._lines = lines
        self._most_bytes = request.most_bytes

    def read(self, reading: ReadOptions) -> Iterator[RowColumns]:
        """Read the lines, when all bytes are done; see ``ListSource.read``."""
        self.bytes_done = self.size_bytes if self._most_bytes is None else self._most_bytes
        for rows in self._lines.read(reading):
            self.said = self._lines.said
            yield rows
        self.late = self._lines.late

    def read_rows(self, work: Callable[[RowBlock], T]) -> Iterator[T]:
        """Read the lines; see ``ListSource.read_rows``."""
        return self._lines.read_rows(work)

    def _keep_text(self, result: ResultPlan) -> None:
        """Give the text of the rows, once it is written, the name that it has next to a result."""
        rename_file(result.folder / RESULT_NAME, ROWS_TEXT_NAME)
        self.text_form = replace(self._lines.text_form, file_name=ROWS_TEXT_NAME)


def read_addresses(rows: WrittenRows) -> pa.Array:
    """Return what the kept rows of a block have in the added column of addresses."""
    cells = unquote_cells(*read_buffers(rows.addresses))
    return cells.take(pa.array(rows.kept))
