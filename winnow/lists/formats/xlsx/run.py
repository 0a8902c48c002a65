"""A workbook's sheet as a run reads and writes it: copied part by part, its rows judged."""

from array import array
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile, EmptyFile
from winnow.core.tasks.task import Notice, Phase
from winnow.lists.engine.repairer import NO_REPAIRS
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.execution.row_store import RowColumns
from winnow.lists.execution.run_files import create_durably
from winnow.lists.formats.xlsx.lines import SheetLines, quote_cells
from winnow.lists.formats.xlsx.notices import list_notices
from winnow.lists.formats.xlsx.opened import OpenSheet, find_last_merged_column, open_sheet
from winnow.lists.formats.xlsx.references.mover import Losses
from winnow.lists.formats.xlsx.references.widening import AddedColumns
from winnow.lists.formats.xlsx.rewrite import rewrite_workbook
from winnow.lists.formats.xlsx.rows import SheetEdit
from winnow.lists.formats.xlsx.scan import SheetScanner
from winnow.lists.list_source import ListSource, Reading, ReadRows, Result, StoredRows, WrittenRows
from winnow.lists.new_workbook import MAX_COLUMNS
from winnow.lists.requests import RowsRequest
from winnow.lists.result.added_columns import ADDED
from winnow.lists.result.row_text import RESULT_NAME, ROWS_TEXT_NAME, RowText, expand_runs
from winnow.lists.text.row_block import RowBlock

T = TypeVar("T")


@contextmanager
def open_workbook(request: RowsRequest) -> Iterator["SheetList"]:
    """Open a workbook's sheet.

    Raises:
        BrokenFile: The workbook or its sheet cannot be read.
    """
    scratch, plan = request.scratch, request.plan
    with (
        open_sheet(request.path, plan, scratch) as opened,
        SheetLines(scratch / "pass.lines", plan.email_column) as lines,
    ):
        yield SheetList(opened, lines, request.most_bytes)


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

    def __init__(self, opened: OpenSheet, lines: SheetLines, most_bytes: int | None) -> None:
        super().__init__(opened.plan)
        self.size_bytes = opened.archive.size_bytes(opened.sheet.part)
        self.own_names = self.plan.columns if self.plan.has_header else ()
        self._opened = opened
        self._lines = lines
        self._stream = opened.stream(most_bytes)
        self._is_part = most_bytes is not None
        self._numbers = np.empty(0, np.int32)  # of the sheet's rows, as the next two
        self._is_row = np.empty(0, np.bool_)
        self._valueless = np.empty(0, np.int32)
        self._texts: list[pa.Array] = []
        self._totals_rows: frozenset[int] = frozenset()
        self._losses = Losses()
        self._has_removed = False

    def read(self, reading: Reading) -> Iterator[ReadRows]:
        """Scan the sheet; see ``ListSource.read``."""
        stream = self._stream
        scanner = SheetScanner(
            self._opened,
            stream,
            reading.ranks,
            reading.local_words,
            reading.repairer,
            reading.has_plus_tags,
        )
        self._scanner, self.domains = scanner, scanner.domains
        is_row, valueless = [self._is_row], [self._valueless]
        for rows in scanner:
            if not self._is_part:
                self._lines.add(rows.block, rows.is_shown)
            is_row.append(rows.is_row)
            valueless.append(rows.valueless)
            if reading.needs_cells:
                self._texts.append(rows.texts)
            found = rows.addresses
            alike = np.ones(len(found.codes), np.uint16)  # the lines have sizes of their own
            columns = RowColumns(
                alike.astype(np.uint32), found.codes, found.flags, found.keys, alike, rows.boxes
            )
            places = np.flatnonzero(rows.is_row)[rows.repaired.rows]
            repaired = replace(rows.repaired, rows=places) if len(places) else NO_REPAIRS
            yield ReadRows(columns, rows.ranks, repaired, stream.bytes_done)
        self._numbers = scanner.numbers
        self._is_row, self._valueless = np.concatenate(is_row), np.concatenate(valueless)
        self.replaces_addresses = not scanner.has_email_formulas
        if not scanner.row_count:
            raise EmptyFile(
                "The sheet has no rows.",
                hint="Check that it is the right sheet.",
                sheet=self._opened.sheet.name,
            )

    @property
    def is_whole(self) -> bool:
        """Whether the sheet was not cut off."""
        return not self._stream.is_cut_off

    def list_rows(self, places: NDArray[np.int64]) -> list[tuple[int, tuple[str, ...]]]:
        """Return rows with their numbers in the sheet; see ``ListSource.list_rows``."""
        wanted = self._scanner.numbers[places]
        found: list[tuple[int, tuple[str, ...]]] = []
        for block in self._opened.read(self._opened.stream()):
            if len(found) == len(wanted):
                break
            found += block.list_rows(np.isin(block.numbers, wanted))
        return found

    def read_rows(self, work: Callable[[RowBlock], T]) -> Iterator[T]:
        """Read which rows count, and their cells as text; see ``ListSource.read_rows``."""
        for _ in self.read(Reading({}, RowRanks())):
            pass
        least = len(self.plan.columns)
        width = max(self._scanner.columns.last + 1, least)

        def work_on(data: bytes) -> T:
            return work(RowBlock.of_lines(np.frombuffer(expand_runs(data, b","), np.uint8), least))

        return map_in_order(work_on, (data for data, _ in self._lines.read(self._is_row, width)))

    def write(
        self, result: Result, blocks: Iterator[StoredRows]
    ) -> Generator[WrittenRows, None, RowText]:
        """Write the workbook, then its rows as lines; see ``ListSource.write``."""
        stored = list(blocks)
        table = result.table
        places = [
            table.find_places(rows.codes, rows.flags, rows.keys)
            for rows in (block.columns for block in stored)
        ]
        addresses = self._plan_addresses(result, stored)
        verdicts = np.concatenate(places)[self._is_row]
        edit = self._plan_edit(result, addresses, verdicts)
        self._has_removed = bool(edit.removed)
        self._losses = self._rewrite(edit, result)
        is_out = self._is_row & ~result.is_gone
        self._valueless = self._valueless[is_out]
        self._totals_rows = self._opened.tables.totals_rows.union(self._scanner.totals_rows)
        width = self._scanner.columns.last + 1
        at = np.searchsorted(self._numbers, list(addresses.replaced)).tolist()
        lines = self._lines.read(
            is_out,
            width,
            dict(zip(at, addresses.replaced.values(), strict=True)),
            _word_cells(addresses.appended, is_out[self._is_row]),
        )
        first = last_number = 0
        with create_durably(result.folder / ROWS_TEXT_NAME) as file:
            for block, verdict_places in zip(stored, places, strict=True):
                end = first + len(verdict_places)
                numbers = self._numbers[first:end].astype(np.int64)
                kept = np.flatnonzero(is_out[first:end])
                data, sizes = next(lines) if len(kept) else (b"", np.empty(0, np.uint32))
                file.write(data)
                written = WrittenRows.of(table, block, verdict_places, kept, sizes)
                yield replace(
                    written,
                    record_count=int(numbers[-1]) - last_number,
                    numbers=numbers[kept] - last_number - 1,
                )
                first, last_number = end, int(numbers[-1])
        return RowText(
            width=width + len(result.extra),
            has_runs=True,
            added_count=ADDED.count,
            repaired=result.repaired,
            original=result.beside,
        )

    def _plan_addresses(self, result: Result, blocks: list[StoredRows]) -> _Addresses:
        """Return how repaired addresses are written. Cells with a formula are never replaced."""
        if not result.extra:
            return _Addresses({})
        texts = [text.decode() for some in self._texts for text in some.to_pylist()]
        repaired: dict[int, str] = {}
        first = 0
        for block in blocks:
            rows = (block.repaired.rows + first).tolist()
            repaired |= zip(rows, block.repaired.new, strict=True)
            first += len(block.is_kept)
        if result.original:
            numbers = self._numbers[list(repaired)].tolist()
            return _Addresses(dict(zip(numbers, repaired.values(), strict=True)), texts)
        places = np.cumsum(self._is_row) - 1
        for row, text in repaired.items():
            texts[places[row]] = text
        return _Addresses({}, texts)

    def _plan_edit(
        self, result: Result, addresses: _Addresses, places: NDArray[np.uint16]
    ) -> SheetEdit:
        """Return which row gets which of the added cells; ``places`` are those of its verdict.

        Raises:
            BrokenFile: The sheet has no room for more columns.
        """
        opened, columns = self._opened, self._scanner.columns
        names = (*result.extra, *result.names)
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
        texts: list[tuple[str, ...]] = list(map(ADDED.list_cells, result.table.verdicts))
        codes = places.astype(np.uint32)
        if addresses.appended is not None:
            pairs = zip(addresses.appended, places.tolist(), strict=True)
            texts = [(address, *texts[place]) for address, place in pairs]
            codes = np.arange(len(texts), dtype=np.uint32)
        header_code = len(texts) + 1
        added = np.zeros(int(self._numbers[-1]) + 1, np.uint32)
        added[self._numbers[self._is_row]] = codes + 1
        wider = None
        email_column = self.plan.email_column
        if opened.header_row:
            added[opened.header_row] = header_code
            wider = AddedColumns(opened.header_row, email_column, last_column + 1, names)
        return SheetEdit(
            removed=array("i", self._numbers[result.is_gone].tobytes()),
            added=array("I", added.tobytes()),
            cell_texts=(*texts, names),
            styles={header_code: columns.header_style},
            first_added_column=last_column + 1,
            replaced=addresses.replaced,
            replaced_column=email_column,
            columns=wider,
        )

    def _rewrite(self, edit: SheetEdit, result: Result) -> Losses:
        """Write the workbook again; progress is the share of the sheet."""
        opened, row_count = self._opened, result.row_count

        def tell(done: int) -> None:
            rows = min(row_count, row_count * done // max(1, self.size_bytes))
            result.teller.tell(Phase.WRITING, rows, row_count, done)

        path = result.folder / RESULT_NAME
        return rewrite_workbook(opened.archive, opened.book, opened.sheet, edit, path, tell)

    def list_notices(self, result: Result) -> tuple[Notice, ...]:
        """Return what could not move along with its rows."""
        return list_notices(
            self._totals_rows,
            self._losses,
            has_removed=self._has_removed,
            valueless_count=int(self._valueless.sum()),
        )


def _word_cells(addresses: list[str] | None, is_out: NDArray[np.bool_]) -> pa.Array | None:
    """Return the cells of the column of addresses in the output rows, as CSV has them."""
    if addresses is None:
        return None
    words = pa.array([text.encode("utf-8", "replace") for text in addresses], pa.large_binary())
    return quote_cells(words.filter(pa.array(is_out)))
