"""A workbook's sheet as a run reads and writes it.

Its list is written as plain CSV first, which is read and judged as a text list is. Then the
workbook is copied part by part, and the sheet's rows are removed and extended.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile
from winnow.core.file_faults import FileFault
from winnow.core.lists.notices import Notice
from winnow.core.tasks.task import Phase
from winnow.lists.formats.xlsx.read import SheetScanner
from winnow.lists.formats.xlsx.references.mover import BrokenReferences
from winnow.lists.formats.xlsx.references.widening import AddedColumns
from winnow.lists.formats.xlsx.rows import SheetEdit
from winnow.lists.formats.xlsx.sheet import find_last_merged_column, open_sheet
from winnow.lists.formats.xlsx.write import plan_edit, rewrite_workbook
from winnow.lists.lines_list import LinesList, open_lines, read_addresses
from winnow.lists.list_format import ListFormat
from winnow.lists.list_source import ListSource, ResultPlan, StoredRows, WrittenRows
from winnow.lists.requests import RowsRequest
from winnow.lists.result.added_columns import list_cells
from winnow.lists.result.row_text import RESULT_NAME
from winnow.lists.sheet_limits import MAX_COLUMNS
from winnow.words import Sentence, list_some, translatable, translatable_many


@contextmanager
def open_workbook(request: RowsRequest, text: ListFormat) -> Iterator["SheetList"]:
    """Write a sheet's list as plain CSV, and open that; ``text`` reads it.

    Raises:
        BrokenFile: The workbook or its sheet cannot be read.
    """
    size_bytes = request.path.stat().st_size
    with open_sheet(request.path, request.plan, request.scratch) as opened:
        scanner = SheetScanner(opened, opened.stream(request.most_bytes))

        def report(rows: int, done: int) -> None:
            request.report(rows, None, size_bytes * done // opened.size_bytes)

        with open_lines(request, text, partial(scanner.scan, report=report)) as lines:
            yield SheetList(scanner, request, lines)


class SheetList(LinesList):
    """An open sheet, and the text list of its rows."""

    phase = Phase.INDEXING  # most of the writing is done before the first block

    def __init__(self, scanner: SheetScanner, request: RowsRequest, lines: ListSource) -> None:
        super().__init__(request, lines, is_whole=not scanner.stream.is_cut_off)
        self.own_names = self.plan.columns if self.plan.has_header else ()
        self.replaces_addresses = not scanner.has_email_formulas
        self._opened = scanner.opened
        self._scanner = scanner
        self._numbers = np.array(scanner.numbers, np.int64)
        self._losses = BrokenReferences()

    def number_rows(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return numbers in the sheet; see ``ListSource.number_rows``."""
        found: NDArray[np.int64] = self._numbers[indices]
        return found

    def write(
        self, result: ResultPlan, blocks: Iterator[StoredRows]
    ) -> Generator[WrittenRows, None, None]:
        """Write the rows as text, then the workbook; see ``ListSource.write``."""
        written = list(self._lines.write(result, blocks))
        self._keep_text(result)

        def report(done_bytes: int) -> None:
            rows = min(result.row_count, result.row_count * done_bytes // self._opened.size_bytes)
            result.reporter.report(Phase.WRITING, rows, result.row_count)

        edit = self._plan_edit(result, written)
        self._losses = rewrite_workbook(self._opened, edit, result.folder / RESULT_NAME, report)
        last_number = 0
        for numbers, rows in self._number(written):
            kept = numbers[rows.kept] - last_number - 1
            yield replace(rows, record_count=int(numbers[-1]) - last_number, numbers=kept)
            last_number = int(numbers[-1])

    def _number(
        self, written: Sequence[WrittenRows]
    ) -> Iterator[tuple[NDArray[np.int64], WrittenRows]]:
        """Yield blocks with the numbers that their rows have in the sheet."""
        first = 0
        for rows in filter(lambda rows: rows.record_count, written):
            yield self._numbers[first : first + rows.record_count], rows
            first += rows.record_count

    def _plan_edit(self, result: ResultPlan, written: Sequence[WrittenRows]) -> SheetEdit:
        """Return which row gets which of the added cells. Cells with a formula are not replaced.

        Raises:
            BrokenFile: The sheet has no room for more columns.
        """
        opened, columns = self._opened, self._scanner.columns
        names = result.columns
        last_column = max(
            columns.last_held,
            opened.tables_end,
            find_last_merged_column(self._scanner.stream.tail, opened.first_row),
        )
        if last_column + len(names) >= MAX_COLUMNS:
            raise BrokenFile(
                "The sheet has no room for more columns: it ends at {most}.",
                fault=FileFault.TOO_LARGE,
                most=MAX_COLUMNS,
                hint="Remove columns that are not needed.",
                sheet=opened.sheet.name,
            )
        replaced: dict[int, str] = {}
        if result.has_former:
            for numbers, rows in self._number(written):
                repaired = rows.repaired
                replaced |= zip(numbers[repaired.rows].tolist(), repaired.new, strict=True)
        texts: list[tuple[str, ...]] = list(map(list_cells, result.table.verdicts))
        indices = np.concatenate([rows.verdict_indices for rows in written])
        codes = indices.astype(np.uint32)
        if result.extra:
            addresses = chain.from_iterable(read_addresses(rows).to_pylist() for rows in written)
            pairs = zip(addresses, indices.tolist(), strict=True)
            texts = [(address.decode(), *texts[place]) for address, place in pairs]
            codes = np.arange(len(texts), dtype=np.uint32)
        edit = plan_edit(
            self._numbers[result.is_gone],
            self._numbers[~result.is_gone],
            codes + 1,
            texts,
            AddedColumns(
                opened.header_row,
                self.plan.email_column,
                last_column + 1,
                names,
                columns.header_style,
            ),
        )
        return replace(edit, replaced=replaced)

    def list_notices(self, result: ResultPlan) -> tuple[Notice, ...]:
        """Return which rows are totals, and what could not move along with its rows.

        Row numbers are those of the sheet as it came.
        """
        losses, valueless = self._losses, self._scanner.valueless_count
        rows = tuple(sorted(self._opened.totals_rows.union(self._scanner.totals_rows)))
        totals = translatable("Rows of totals are not taken for addresses and pass through.")
        has_none = translatable_many(
            valueless,
            "{count} formula has no value in this workbook.",
            "{count} formulas have no value in this workbook.",
        )
        hint = translatable(
            "Such cells are empty on the pages and in CSV and TSV files. To have the values, "
            "open the workbook in Excel, save it, and upload it again."
        )
        replaced = translatable(
            "Formulas that point at removed rows were replaced by the value they had, or show "
            "#REF! where they had none: {formulas}.",
            formulas=losses.formulas,
        )
        lost = translatable(
            "Rows that these point at were removed; look at them: {names}.",
            names=list_some(tuple(dict.fromkeys(losses.pointless))),
        )
        outdated = translatable(
            "Pivot tables show the rows as they were, removed ones too, until a spreadsheet "
            "program opens the workbook."
        )
        untouched = translatable(
            "These still use the old row numbers; check them: {names}.",
            names=list_some(tuple(dict.fromkeys(losses.untouched))),
        )
        notices = (
            Notice("totals_row", totals, rows[:100], len(rows)),
            Notice("formulas_without_values", Sentence.join((has_none, hint)), (), valueless),
            Notice("formulas_replaced", replaced, (), losses.formulas),
            Notice("references_lost", lost, (), len(losses.pointless)),
            Notice("rows_of_before", outdated, (), losses.pivots),
            Notice("rows_not_moved", untouched, (), len(losses.untouched)),
        )
        return tuple(one for one in notices if one.count)
