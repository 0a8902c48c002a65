"""A workbook's sheet as a run reads and writes it.

Its list is written as plain CSV first, which is read and judged as a text list is. Then the
workbook is copied part by part, and the sheet's rows are removed and extended.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.task import Notice, Phase
from winnow.lists.execution.run_files import rename_file
from winnow.lists.formats.xlsx.notices import list_notices
from winnow.lists.formats.xlsx.opened import OpenSheet, find_last_merged_column, open_sheet
from winnow.lists.formats.xlsx.references.mover import Losses
from winnow.lists.formats.xlsx.references.widening import AddedColumns
from winnow.lists.formats.xlsx.rewrite import plan_edit, rewrite_workbook
from winnow.lists.formats.xlsx.rows import SheetEdit
from winnow.lists.formats.xlsx.scan import SheetLines, SheetScanner
from winnow.lists.list_format import ListFormat
from winnow.lists.list_source import ListSource, Reading, ReadRows, Result, StoredRows, WrittenRows
from winnow.lists.new_workbook import MAX_COLUMNS
from winnow.lists.requests import RowsRequest
from winnow.lists.result.added_columns import list_cells
from winnow.lists.result.row_text import RESULT_NAME, ROWS_TEXT_NAME, RowText
from winnow.lists.text.row_block import RowBlock

T = TypeVar("T")

_LINES, _BOOK = "pass.lines", "pass.book"


@contextmanager
def open_workbook(request: RowsRequest, text: ListFormat) -> Iterator["SheetList"]:
    """Open a workbook's sheet; ``text`` reads its list once that is plain CSV.

    Raises:
        BrokenFile: The workbook or its sheet cannot be read.
    """
    try:
        with open_sheet(request.path, request.plan, request.scratch) as opened, ExitStack() as held:
            yield SheetList(opened, request, text, held)
    finally:
        (request.scratch / _LINES).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class _Addresses:
    """The list's addresses in a result with repairs.

    ``replaced`` are new texts of email cells by their rows' numbers; ``appended`` are the cells of
    the added column for each row of the list, None without one.
    """

    replaced: dict[int, str]
    appended: list[str] | None = None


class SheetList(ListSource):
    """An open sheet. Bytes are of the sheet, unpacked."""

    phase = Phase.INDEXING  # most of the writing is done before the first block

    def __init__(
        self, opened: OpenSheet, request: RowsRequest, text: ListFormat, held: ExitStack
    ) -> None:
        super().__init__(opened.plan)
        self.size_bytes = opened.archive.size_bytes(opened.sheet.part)
        self.own_names = self.plan.columns if self.plan.has_header else ()
        self._opened = opened
        self._request = request
        self._text = text
        self._held = held
        self._stream = opened.stream(request.most_bytes)
        self._losses = Losses()
        self._numbers: NDArray[np.int64] = np.empty(0, np.int64)

    def _scan(self, *, keeps_addresses: bool = False) -> ListSource:
        """Write the sheet's list as plain CSV, and open that."""
        request, plan = self._request, self.plan
        path = request.scratch / _LINES
        with closing(SheetLines(path, plan.columns, has_header=plan.has_header)) as lines:
            self._scanner = scanner = SheetScanner(
                self._opened, self._stream, lines, keeps_addresses=keeps_addresses
            )
            scanner.scan(request.tell)
        self.replaces_addresses = not scanner.has_email_formulas
        self.is_whole = not self._stream.is_cut_off
        header = [self._opened.header_row] if plan.has_header else []
        self._header_count = len(header)
        self._numbers = np.concatenate((header, scanner.numbers)).astype(np.int64)
        text = RowsRequest(
            path,
            replace(plan, file_format=FileFormat.CSV, first_row=1),
            request.scratch,
            max(request.block_bytes, 1),
        )
        return self._held.enter_context(self._text.open_source(text))

    def read(self, reading: Reading) -> Iterator[ReadRows]:
        """Scan the sheet, then read its list, when all bytes are done; see ``ListSource.read``."""
        self._list = self._scan(keeps_addresses=reading.needs_cells)
        self.domains = self._list.domains
        most_bytes = self._request.most_bytes
        done_bytes = self.size_bytes if most_bytes is None else most_bytes
        for rows in self._list.read(reading):
            yield replace(rows, bytes_done=done_bytes)

    def list_rows(self, places: NDArray[np.int64]) -> list[tuple[int, tuple[str, ...]]]:
        """Return rows with their numbers in the sheet; see ``ListSource.list_rows``."""
        rows = zip(self._numbers[places].tolist(), self._list.list_rows(places), strict=True)
        return [(number, cells) for number, (_, cells) in rows]

    def read_rows(self, work: Callable[[RowBlock], T]) -> Iterator[T]:
        """Read which rows count, and their cells as text; see ``ListSource.read_rows``."""
        return self._scan().read_rows(work)

    def write(
        self, result: Result, blocks: Iterator[StoredRows]
    ) -> Generator[WrittenRows, None, RowText]:
        """Write the workbook, then its rows as text; see ``ListSource.write``."""
        stored = list(blocks)
        places = [
            result.table.find_places(rows.codes, rows.flags, rows.keys)
            for rows in (block.columns for block in stored)
        ]
        verdicts = np.concatenate(places)[self._header_count :]
        edit = self._plan_edit(result, self._plan_addresses(result, stored), verdicts)
        self._losses = self._rewrite(edit, result)
        first = last_number = 0
        writing = self._list.write(result, iter(stored))
        while True:
            try:
                rows = next(writing)
            except StopIteration as ended:
                form: RowText = ended.value
                break
            end = first + rows.record_count
            last = int(self._numbers[end - 1])
            numbers: NDArray[np.int64] = self._numbers[first:end][rows.kept] - last_number - 1
            yield replace(rows, record_count=last - last_number, numbers=numbers)
            first, last_number = end, last
        rename_file(result.folder / RESULT_NAME, ROWS_TEXT_NAME)
        rename_file(result.folder / _BOOK, RESULT_NAME)
        return replace(form, file_name=ROWS_TEXT_NAME)

    def _plan_addresses(self, result: Result, blocks: list[StoredRows]) -> _Addresses:
        """Return how repaired addresses are written. Cells with a formula are never replaced."""
        if not result.extra:
            return _Addresses({})
        repaired: dict[int, str] = {}
        first = 0
        for block in blocks:
            rows = (block.repaired.rows + first).tolist()
            repaired |= zip(rows, block.repaired.new, strict=True)
            first += len(block.is_kept)
        texts = self._scanner.addresses
        if result.has_former:
            numbers = self._numbers[list(repaired)].tolist()
            return _Addresses(dict(zip(numbers, repaired.values(), strict=True)), texts)
        for row, text in repaired.items():
            texts[row - self._header_count] = text
        return _Addresses({}, texts)

    def _plan_edit(
        self, result: Result, addresses: _Addresses, places: NDArray[np.uint16]
    ) -> SheetEdit:
        """Return which row gets which of the added cells; ``places`` are those of its verdict.

        Raises:
            BrokenFile: The sheet has no room for more columns.
        """
        opened, columns = self._opened, self._scanner.columns
        names = result.columns
        last_column = max(
            columns.last_held,
            opened.tables.last_column,
            find_last_merged_column(self._stream.tail, opened.first_row),
        )
        if last_column + len(names) >= MAX_COLUMNS:
            raise BrokenFile(
                "The sheet has no room for more columns: it ends at {most}.",
                most=MAX_COLUMNS,
                hint="Remove columns that are not needed.",
                sheet=opened.sheet.name,
            )
        texts: list[tuple[str, ...]] = list(map(list_cells, result.table.verdicts))
        codes = places.astype(np.uint32)
        if addresses.appended is not None:
            pairs = zip(addresses.appended, places.tolist(), strict=True)
            texts = [(address, *texts[place]) for address, place in pairs]
            codes = np.arange(len(texts), dtype=np.uint32)
        email_column = self.plan.email_column
        edit = plan_edit(
            opened,
            self._numbers[result.is_gone],
            self._scanner.numbers,
            codes + 1,
            texts,
            AddedColumns(opened.header_row, email_column, last_column + 1, names),
            columns.header_style,
        )
        return replace(edit, replaced=addresses.replaced, replaced_column=email_column)

    def _rewrite(self, edit: SheetEdit, result: Result) -> Losses:
        """Write the workbook again; progress is the share of the sheet."""
        opened, row_count = self._opened, result.row_count

        def tell(done: int) -> None:
            rows = min(row_count, row_count * done // max(1, self.size_bytes))
            result.teller.tell(Phase.WRITING, rows, row_count, done)

        path = result.folder / _BOOK
        return rewrite_workbook(opened.archive, opened.book, opened.sheet, edit, path, tell)

    def list_notices(self, result: Result) -> tuple[Notice, ...]:
        """Return what could not move along with its rows."""
        return list_notices(
            self._opened.tables.totals_rows.union(self._scanner.totals_rows),
            self._losses,
            self._scanner.valueless_count,
        )
