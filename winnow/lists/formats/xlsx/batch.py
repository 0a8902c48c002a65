"""XLSX lists: the workbook copied part by part, the data sheet's rows judged and written again."""

from array import array
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile, EmptyFile
from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
from winnow.core.tasks.task import Phase
from winnow.lists.engine.repairer import NO_REPAIRS, RepairedCells, Repairer
from winnow.lists.engine.row_counts import RowCounter
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.verdict_table import VerdictTable
from winnow.lists.execution.judged_rows import judge_rows
from winnow.lists.execution.progress import ProgressTeller
from winnow.lists.execution.repairs_writer import RepairsWriter
from winnow.lists.execution.row_index_writer import RowIndexWriter, RowNumbersWriter
from winnow.lists.execution.row_store import RowColumns, RowStore
from winnow.lists.execution.run_files import create_durably
from winnow.lists.formats.xlsx.cells import MAX_COLUMNS
from winnow.lists.formats.xlsx.lines import SheetLines, quote_cells
from winnow.lists.formats.xlsx.notices import list_notices
from winnow.lists.formats.xlsx.opened import OpenSheet, find_last_merged_column, open_sheet
from winnow.lists.formats.xlsx.references.mover import Losses
from winnow.lists.formats.xlsx.references.widening import AddedColumns
from winnow.lists.formats.xlsx.rewrite import rewrite_workbook
from winnow.lists.formats.xlsx.rows import SheetEdit
from winnow.lists.formats.xlsx.scan import SheetScanner, join_repairs
from winnow.lists.list_format import BatchOutcome
from winnow.lists.requests import BatchRequest
from winnow.lists.result.added_columns import (
    ADDED,
    ORIGINAL,
    address_notice,
    beside_notice,
    name_notice,
    name_repaired,
    usual_name,
)
from winnow.lists.result.row_index import RESULT_NAME, ROWS_TEXT_NAME, RowText

_LIST_TEXTS = tuple[str, ...]


def run_xlsx_batch(request: BatchRequest) -> BatchOutcome:
    """Run a workbook; see ``batch.run_batch``. Byte counts are of the sheet, unpacked."""
    plan, work_dir = request.plan, request.work_dir
    with (
        open_sheet(request.path, plan, work_dir / "pass.strings") as opened,
        SheetLines(work_dir / "pass.lines", plan.email_column) as lines,
        RowStore(work_dir, has_ranks=request.options.keep.has_ranks) as store,
    ):
        teller = ProgressTeller(request.report, opened.archive.size_bytes(opened.sheet.part))
        ranks = RowRanks(request.options.keep)
        rows, scanner, tail = _scan(opened, lines, store, ranks, teller, request)
        table, is_gone = judge_rows(
            store,
            scanner.domains,
            scanner.seen,
            request.judge,
            teller,
            scanner.row_count,
            deduplicate=request.deduplicate,
            ranks=ranks,
        )
        run = _SheetRun(opened, scanner, rows, table, is_gone, lines, request, teller)
        outcome = run.write(store, tail)
        return outcome.add_notices(ranks.list_notices(plan.columns))


@dataclass(frozen=True, slots=True)
class _SheetRows:
    """What a scan found: arrays have an entry for every row of the sheet, in order.

    ``texts`` are the addresses of the list's rows as they are in the sheet, and ``repaired`` has
    positions among these; both only where addresses are repaired.
    """

    numbers: NDArray[np.int32]
    is_row: NDArray[np.bool_]
    valueless: NDArray[np.int32]
    texts: pa.Array
    repaired: RepairedCells


def _scan(
    opened: OpenSheet,
    lines: SheetLines,
    store: RowStore,
    ranks: RowRanks,
    teller: ProgressTeller,
    request: BatchRequest,
) -> tuple[_SheetRows, SheetScanner, bytes]:
    """Read the sheet through; return its rows, and what is after them."""
    choice = request.options.plan_addresses(opened.plan)
    repairer = None if choice is None else Repairer(choice)
    stream = opened.stream()
    scanner = SheetScanner(opened, stream, ranks, request.judge.local_words, repairer)
    is_row, valueless = [np.empty(0, np.bool_)], [np.empty(0, np.int32)]
    texts, repaired = [pa.array([], pa.large_binary())], []
    done = 0
    for rows in scanner:
        lines.add(rows.block, rows.is_shown)
        found = rows.addresses
        alike = np.ones(len(found.codes), np.uint16)  # the lines have sizes and widths of their own
        columns = RowColumns(alike.astype(np.uint32), found.codes, found.flags, found.keys, alike)
        store.append(columns, rows.ranks)
        is_row.append(rows.is_row)
        valueless.append(rows.valueless)
        if choice is not None:
            texts.append(rows.texts)
            repaired.append((done, rows.repaired))
        done += len(rows.texts)
        teller.tell(Phase.READING, done, None, stream.bytes_done)
    store.finish()
    if not scanner.row_count:
        raise EmptyFile(
            "The sheet has no rows.",
            hint="Check that it is the right sheet.",
            sheet=opened.sheet.name,
        )
    arrays = np.concatenate(is_row), np.concatenate(valueless)
    rows_found = _SheetRows(
        scanner.numbers, *arrays, pa.concat_arrays(texts), join_repairs(repaired)
    )
    return rows_found, scanner, stream.tail


@dataclass(frozen=True, slots=True)
class _Repairs:
    """How repaired addresses are written.

    ``column`` is the name of the column for them; ``""``: cells are replaced, those of ``replaced``
    by their rows' numbers, and ``original`` is the name of the column for the former addresses.
    ``addresses`` are the cells of that column for each row of the list; None without one.
    """

    repaired: RepairedCells = NO_REPAIRS
    column: str = ""
    original: str = ""
    replaced: Mapping[int, str] = field(default_factory=dict)
    addresses: list[str] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the added column, if there is one."""
        return (self.column or self.original,) if self.column or self.original else ()


def _plan_repairs(
    choice: RepairChoice | None, opened: OpenSheet, rows: _SheetRows, *, has_formulas: bool
) -> _Repairs:
    """Return how a choice is carried out. Cells with a formula are never replaced."""
    if choice is None:
        return _Repairs()
    plan, repaired = opened.plan, rows.repaired
    own_names = plan.columns if plan.has_header else ()
    texts = [text.decode("utf-8") for text in rows.texts.to_pylist()]
    if choice.place is RepairPlace.REPLACE and not has_formulas:
        numbers = rows.numbers[rows.is_row][repaired.rows].tolist()
        replaced = dict(zip(numbers, repaired.new, strict=True))
        return _Repairs(repaired, "", name_repaired(own_names, ORIGINAL), replaced, texts)
    for row, text in zip(repaired.rows.tolist(), repaired.new, strict=True):
        texts[row] = text
    return _Repairs(repaired, name_repaired(own_names, usual_name(plan)), addresses=texts)


@dataclass(frozen=True, slots=True)
class _SheetRun:
    """A scanned sheet with its verdicts, to be written."""

    opened: OpenSheet
    scanner: SheetScanner
    rows: _SheetRows
    table: VerdictTable
    is_gone: NDArray[np.bool_]
    lines: SheetLines
    request: BatchRequest
    teller: ProgressTeller

    def write(self, store: RowStore, tail: bytes) -> BatchOutcome:
        """Write the workbook and its row index; ``tail`` is what is after the sheet's rows."""
        plan, opened, rows, table = self.opened.plan, self.opened, self.rows, self.table
        choice = self.request.options.plan_addresses(plan)
        has_formulas = self.scanner.has_email_formulas
        repairs = _plan_repairs(choice, opened, rows, has_formulas=has_formulas)
        own_names = plan.columns if plan.has_header else ()
        names = (*repairs.names, *ADDED.name((*own_names, *repairs.names)))
        codes, places = [], []
        for some in store.blocks(with_keys=bool(table.exact)):
            codes.append(some.codes)
            places.append(table.find_places(some.codes, some.flags, some.keys))
        all_codes, all_places = np.concatenate(codes), np.concatenate(places)
        edit = self._plan_edit(repairs, names, all_places[rows.is_row], tail)
        losses = self._rewrite(edit)
        is_out = rows.is_row & ~self.is_gone
        faults = table.spellings.faults
        found = all_places[is_out], table.name_codes[all_codes[is_out]]
        self._write_index(repairs, is_out, found)
        row_counter = RowCounter(table.verdicts, len(table.names))
        row_counter.add(*found, int(np.count_nonzero(faults[all_codes[is_out]])))
        gone = all_codes[rows.is_row & self.is_gone]
        row_counter.duplicates_invalid = int(np.count_nonzero(faults[gone]))
        version = self.request.judge.data_version
        summary = row_counter.summarise(self.scanner.row_count, table.names, version)
        if choice is not None:
            with RepairsWriter(self.request.work_dir) as writer:
                writer.append(repairs.repaired, np.flatnonzero(is_out[rows.is_row]))
                summary = writer.add_counts(summary)
        usual = ORIGINAL if repairs.original else usual_name(plan)
        notices = (
            *name_notice(ADDED, names[len(repairs.names) :], "".join(repairs.names), usual),
            *address_notice(plan, repairs.column),
            *beside_notice(choice, repairs.column),
            *list_notices(
                opened.tables.totals_rows.union(self.scanner.totals_rows),
                losses,
                has_removed=bool(edit.removed),
                valueless_count=int(rows.valueless[is_out].sum()),
            ),
        )
        return BatchOutcome(summary, notices)

    def _plan_edit(
        self, repairs: _Repairs, names: _LIST_TEXTS, places: NDArray[np.uint16], tail: bytes
    ) -> SheetEdit:
        """Return which row gets which of the added cells; ``places`` are those of its verdict.

        Raises:
            BrokenFile: The sheet has no room for more columns.
        """
        opened, rows, columns = self.opened, self.rows, self.scanner.columns
        last_column = max(
            columns.last_held,
            opened.tables.last_column,
            find_last_merged_column(tail, opened.first_row),
        )
        if last_column + len(names) >= MAX_COLUMNS:
            raise BrokenFile(
                f"The sheet has no room for more columns: it ends at {MAX_COLUMNS:,}.",
                hint="Remove columns that are not needed.",
                sheet=opened.sheet.name,
            )
        texts: list[_LIST_TEXTS] = list(map(ADDED.list_cells, self.table.verdicts))
        if repairs.addresses is not None:
            pairs = zip(repairs.addresses, places.tolist(), strict=True)
            texts = [(address, *texts[place]) for address, place in pairs]
            places = np.arange(len(texts), dtype=np.uint32)
        header_code = len(texts) + 1
        added = np.zeros(int(rows.numbers[-1]) + 1, np.uint32)
        added[rows.numbers[rows.is_row]] = places.astype(np.uint32) + 1
        wider = None
        email_column = opened.plan.email_column
        if opened.header_row:
            added[opened.header_row] = header_code
            wider = AddedColumns(opened.header_row, email_column, last_column + 1, names)
        return SheetEdit(
            removed=array("i", rows.numbers[self.is_gone].tobytes()),
            added=array("I", added.tobytes()),
            cell_texts=(*texts, names),
            styles={header_code: columns.header_style},
            first_added_column=last_column + 1,
            replaced=repairs.replaced,
            replaced_column=email_column,
            columns=wider,
        )

    def _rewrite(self, edit: SheetEdit) -> Losses:
        """Write the workbook again; progress is the share of the sheet."""
        opened, row_count = self.opened, self.scanner.row_count
        sheet_bytes = max(1, opened.archive.size_bytes(opened.sheet.part))

        def tell(done: int) -> None:
            rows = min(row_count, row_count * done // sheet_bytes)
            self.teller.tell(Phase.WRITING, rows, row_count, done)

        path = self.request.work_dir / RESULT_NAME
        return rewrite_workbook(opened.archive, opened.book, opened.sheet, edit, path, tell)

    def _write_index(
        self,
        repairs: _Repairs,
        is_out: NDArray[np.bool_],
        found: tuple[NDArray[np.uint16], NDArray[np.uint32]],
    ) -> None:
        """Write ``rows.*`` from the sheet as it came; ``found`` is each output row's verdict."""
        folder, rows, table = self.request.work_dir, self.rows, self.table
        numbers = rows.numbers[is_out]
        with closing(RowNumbersWriter(folder)) as sheet_rows:
            sheet_rows.append(int(numbers[-1]) if len(numbers) else 0, numbers - 1)
            sheet_rows.finish()
        at = np.searchsorted(rows.numbers, list(repairs.replaced)).tolist()
        replaced = dict(zip(at, repairs.replaced.values(), strict=True))
        width = self.scanner.columns.last + 1
        appended = _word_addresses(repairs.addresses, is_out[rows.is_row])
        with (
            closing(RowIndexWriter(folder, 0)) as index,
            create_durably(folder / ROWS_TEXT_NAME) as file,
        ):
            done = 0
            for data, sizes in self.lines.read(is_out, width, replaced, appended):
                end = done + len(sizes)
                file.write(data)
                index.append(sizes, found[0][done:end], found[1][done:end])
                done = end
                self.teller.tell(Phase.INDEXING, done, self.scanner.row_count)
            form = RowText(
                width=width + len(repairs.names),
                has_runs=True,
                added_count=ADDED.count,
                repaired=repairs.column,
                original=repairs.original,
            )
            index.finish(table.verdicts, table.names.in_series(), form)


def _word_addresses(addresses: Iterable[str] | None, is_out: NDArray[np.bool_]) -> pa.Array | None:
    """Return the cells of the column of addresses in the output rows, as CSV has them."""
    if addresses is None:
        return None
    words = pa.array([text.encode("utf-8", "replace") for text in addresses], pa.large_binary())
    return quote_cells(words.filter(pa.array(is_out)))
