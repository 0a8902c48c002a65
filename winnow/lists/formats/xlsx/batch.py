"""XLSX lists: the workbook copied part by part, the data sheet's rows judged and written again."""

from array import array
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile, EmptyFile
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.task import Notice, Phase
from winnow.core.verdicts.judge import Judge
from winnow.lists.engine.both_addresses import AddressChoice
from winnow.lists.engine.domain_spellings import PARSING_SHARE, parse_spellings
from winnow.lists.engine.duplicates import find_kept_rows
from winnow.lists.engine.parsed_value import HashText
from winnow.lists.engine.repairer import Repairer
from winnow.lists.engine.row_counts import RowCounter
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.verdict_table import VerdictTable, judge_domains, mark_seen, number_exact
from winnow.lists.execution.progress import ProgressTeller
from winnow.lists.execution.repairs_writer import RepairsWriter
from winnow.lists.formats.xlsx.archive import open_archive
from winnow.lists.formats.xlsx.cells import MAX_COLUMNS
from winnow.lists.formats.xlsx.emails import EmailValues
from winnow.lists.formats.xlsx.index import write_row_index
from winnow.lists.formats.xlsx.notices import list_notices
from winnow.lists.formats.xlsx.opened import OpenSheet
from winnow.lists.formats.xlsx.references.losses import Losses
from winnow.lists.formats.xlsx.references.widening import AddedColumns
from winnow.lists.formats.xlsx.rewrite import SheetEdit, rewrite_workbook
from winnow.lists.formats.xlsx.scan import SheetScan
from winnow.lists.formats.xlsx.sheet_repairs import SheetRepairs
from winnow.lists.formats.xlsx.sheet_structure import find_last_merged_column, read_tables
from winnow.lists.list_format import BatchOutcome
from winnow.lists.requests import BatchRequest
from winnow.lists.result.added_columns import (
    VerdictColumns,
    address_notice,
    beside_notice,
    name_notice,
    usual_name,
)
from winnow.lists.result.row_index import RESULT_NAME

_STRINGS = "pass.strings"


def run_xlsx_batch(request: BatchRequest) -> BatchOutcome:
    """Run a workbook; see ``batch.run_batch``. Byte counts are of the sheet, unpacked."""
    work_dir = request.work_dir
    try:
        with open_archive(request.path) as archive:
            opened = OpenSheet.open(archive, request.plan, work_dir / _STRINGS)
            sheet_bytes = archive.size_bytes(opened.sheet.part)
            teller = ProgressTeller(request.report, sheet_bytes)
            ranks = RowRanks(request.options.keep)
            outcome = _run(
                opened, teller, ranks, request.options.plan_addresses(request.plan), request
            )
            return outcome.add_notices(ranks.list_notices(request.plan.columns))
    finally:
        with suppress(OSError):  # Windows keeps a file that is still mapped
            (work_dir / _STRINGS).unlink(missing_ok=True)


def _run(
    opened: OpenSheet,
    teller: ProgressTeller,
    ranks: RowRanks,
    choice: RepairChoice | None,
    request: BatchRequest,
) -> BatchOutcome:
    judge, work_dir, hash_text = request.judge, request.work_dir, request.hash_text
    repairer = None if choice is None else Repairer(choice)
    values = EmailValues(judge.role_names, repairer, hash_text)
    tables = read_tables(opened.archive, opened.sheet)
    scan = opened.scan(
        values,
        tables,
        lambda rows, read_bytes: teller.tell(Phase.READING, rows, None, read_bytes),
        ranks=ranks,
    )
    row_count = int(np.count_nonzero(scan.is_row))
    if not row_count:
        raise EmptyFile(
            "The sheet has no rows.",
            hint="Check that it is the right sheet.",
            sheet=opened.sheet.name,
        )
    tell = partial(teller.tell_looked_up, row_count)
    table = _judge(scan, values, judge, tell, hash_text)
    if scan.both:
        address_choice = AddressChoice(table, request.find_forbidden)
        scan = scan.choose(values, address_choice)
        table = address_choice.finish()
    added = VerdictColumns.of(opened.plan)
    is_kept = np.ones(len(scan.codes), np.bool_)
    if request.deduplicate:
        teller.tell_looked_up(row_count, 1)
        is_kept = find_kept_rows(
            scan.codes,
            scan.keys,
            table.spellings.canonical,
            ranks=scan.ranks,
            keeps_first=ranks.keeps_first,
        )
    places = table.find_places(scan.codes, scan.flags, scan.keys)
    own_names = opened.plan.columns if opened.plan.has_header else ()
    repairs = SheetRepairs.find(choice, scan, values, own_names, usual_name(opened.plan))
    column = (repairs.column,) if repairs.column else ()
    names = (*column, *added.name((*own_names, *column)))
    last_column = max(
        scan.last_held_column,
        tables.last_column,
        find_last_merged_column(scan.tail, opened.first_row),
    )
    cells = repairs.word_cells(scan, places, list(map(added.list_cells, table.verdicts)))
    edit = _plan_edit(opened, scan, cells, is_kept, repairs, names, last_column)
    losses = _rewrite(opened, edit, work_dir / RESULT_NAME, row_count, teller)
    stream, texts = opened.read()
    is_out = scan.is_row & is_kept
    row_counter = RowCounter(table.verdicts, len(table.names))
    codes = scan.codes[is_out]
    found = places[is_out], table.name_codes[codes]
    valueless_count = write_row_index(
        stream,
        texts,
        is_out,
        *found,
        table,
        work_dir,
        width=scan.last_column + 1,
        sheet=opened.sheet.name,
        tick=lambda rows: teller.tell(Phase.INDEXING, rows, row_count),
        repairs=repairs,
        email_column=opened.plan.email_column,
        addresses=repairs.list_addresses(scan, is_out),
        numbers=scan.numbers[is_out],
        added=added,
    )
    row_counter.add(*found, int(np.count_nonzero(table.spellings.faults[codes])))
    notices: tuple[Notice, ...] = (
        *name_notice(added, names[len(column) :], repairs.column, usual_name(opened.plan)),
        *address_notice(opened.plan, repairs.column),
        *beside_notice(choice, repairs.column),
        *list_notices(
            tables.totals_rows.union(scan.totals_rows),
            losses,
            has_removed=bool(edit.removed),
            valueless_count=valueless_count,
        ),
    )
    summary = row_counter.summarise(row_count, table.names, judge.data_version)
    if choice is not None:
        with RepairsWriter(work_dir) as writer:
            writer.append(repairs.repaired, np.flatnonzero(is_out))
            summary = writer.add_counts(summary)
    return BatchOutcome(summary, notices)


def _judge(
    scan: SheetScan,
    values: EmailValues,
    judge: Judge,
    tell: Callable[[float], None],
    hash_text: HashText | None,
) -> VerdictTable:
    """Judge every domain of the sheet; ``tell`` gets the share done."""
    exact_codes = number_exact(values.domains, judge, hash_text)
    columns = [values.gather(places)[:2] for places in scan.both] or [(scan.codes, scan.flags)]
    seen = np.zeros(1, np.uint8)
    for codes, flags in columns:
        seen = mark_seen(seen, codes[scan.is_row], flags[scan.is_row])

    def count_codes(code_count: int) -> NDArray[np.int64]:
        counts = np.zeros(code_count, np.int64)
        for codes, _ in columns:
            counts += np.bincount(codes, minlength=code_count)
        return counts

    return judge_domains(
        parse_spellings(values.domains, lambda share: tell(share * PARSING_SHARE)),
        exact_codes,
        seen,
        judge,
        lambda share: tell(PARSING_SHARE + share * (1 - PARSING_SHARE)),
        count_codes=count_codes,
    )


def _rewrite(
    opened: OpenSheet, edit: SheetEdit, path: Path, row_count: int, teller: ProgressTeller
) -> Losses:
    """Write the workbook again; what of it is told is the share of the sheet."""
    sheet_bytes = max(1, opened.archive.size_bytes(opened.sheet.part))

    def tell(done: int) -> None:
        rows = min(row_count, row_count * done // sheet_bytes)
        teller.tell(Phase.WRITING, rows, row_count, done)

    return rewrite_workbook(opened.archive, opened.book, opened.sheet, edit, path, tell)


def _plan_edit(
    opened: OpenSheet,
    scan: SheetScan,
    cells: tuple[list[tuple[str, ...]], NDArray[np.uint32]],
    is_kept: NDArray[np.bool_],
    repairs: SheetRepairs,
    names: tuple[str, ...],
    last_column: int,
) -> SheetEdit:
    """Say which row gets which of the added cells, which are from ``word_cells``.

    Raises:
        BrokenFile: The sheet has no room for more columns.
    """
    if last_column + len(names) >= MAX_COLUMNS:
        raise BrokenFile(
            f"The sheet has no room for more columns: it ends at {MAX_COLUMNS:,}.",
            hint="Remove columns that are not needed.",
            sheet=opened.sheet.name,
        )
    texts, codes = cells
    header_code = len(texts) + 1
    added = np.zeros(int(scan.numbers[-1]) + 1, np.uint32)
    added[scan.numbers[scan.is_row]] = codes + 1
    columns = None
    if opened.header_row:
        added[opened.header_row] = header_code
        email_column = opened.plan.email_column
        columns = AddedColumns(opened.header_row, email_column, last_column + 1, names)
    return SheetEdit(
        removed=array("i", scan.numbers[~is_kept].astype(np.int32).tobytes()),
        added=array("I", added.tobytes()),
        cell_texts=(*texts, names),
        styles={header_code: scan.header_style},
        first_added_column=last_column + 1,
        crowded=scan.widest_column > last_column,
        columns=columns,
        replaced=repairs.replaced,
        replaced_column=opened.plan.email_column,
    )
