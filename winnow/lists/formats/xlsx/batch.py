"""XLSX lists: the workbook copied part by part, the data sheet's rows judged and written again."""

from array import array
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile, EmptyFile
from winnow.core.tasks.task import InputPlan, Notice, Phase, Progress
from winnow.core.verdicts.judge import Judge
from winnow.lists.engine.domain_spellings import parse_spellings
from winnow.lists.engine.duplicates import find_last_rows
from winnow.lists.engine.row_codes import FIRST_FAULT
from winnow.lists.engine.row_counts import RowCounter
from winnow.lists.engine.verdict_table import (
    VerdictTable,
    judge_domains,
    mark_seen,
    number_exact,
)
from winnow.lists.execution.progress import ProgressTeller
from winnow.lists.formats.xlsx.archive import open_archive
from winnow.lists.formats.xlsx.cells import MAX_COLUMNS
from winnow.lists.formats.xlsx.emails import EmailValues
from winnow.lists.formats.xlsx.index import write_row_index
from winnow.lists.formats.xlsx.notices import list_notices
from winnow.lists.formats.xlsx.opened import OpenSheet
from winnow.lists.formats.xlsx.references.widening import AddedColumns
from winnow.lists.formats.xlsx.rewrite import SheetEdit, rewrite_workbook
from winnow.lists.formats.xlsx.scan import SheetScan
from winnow.lists.formats.xlsx.sheet_structure import find_last_merged_column, read_tables
from winnow.lists.list_format import BatchOutcome
from winnow.lists.result.added_columns import list_added_cells, name_added_columns, name_notice
from winnow.lists.result.row_index import RESULT_NAME

_STRINGS = "pass.strings"


def run_xlsx_batch(
    input_path: Path,
    plan: InputPlan,
    judge: Judge,
    work_dir: Path,
    *,
    deduplicate: bool,
    report: Callable[[Progress], None],
) -> BatchOutcome:
    """Run a workbook; see ``batch.run_batch``. Byte counts are of the sheet, unpacked."""
    try:
        with open_archive(input_path) as archive:
            opened = OpenSheet.open(archive, plan, work_dir / _STRINGS)
            sheet_bytes = archive.size_bytes(opened.sheet.part)
            teller = ProgressTeller(report, sheet_bytes)
            return _run(opened, judge, work_dir, teller, deduplicate=deduplicate)
    finally:
        with suppress(
            OSError
        ):  # Windows keeps a file that is still mapped; the folder's end is near
            (work_dir / _STRINGS).unlink(missing_ok=True)


def _run(
    opened: OpenSheet,
    judge: Judge,
    work_dir: Path,
    teller: ProgressTeller,
    *,
    deduplicate: bool,
) -> BatchOutcome:
    values = EmailValues(judge.role_names)
    tables = read_tables(opened.archive, opened.sheet)
    scan = opened.scan(
        values,
        tables,
        lambda rows, read_bytes: teller.tell(Phase.READING, rows, None, read_bytes),
    )
    is_row = scan.codes >= FIRST_FAULT
    rows_in = int(np.count_nonzero(is_row))
    if not rows_in:
        raise EmptyFile(
            "The sheet has no rows.",
            hint="Check that it is the right sheet.",
            sheet=opened.sheet.name,
        )
    exact_codes = number_exact(values.domains, judge)
    spellings = parse_spellings(
        values.domains,
        lambda share: teller.tell(Phase.LOOKING_UP, int(share * rows_in / 4), rows_in),
    )
    table = judge_domains(
        spellings,
        exact_codes,
        _mark_seen(scan, is_row),
        judge,
        lambda share: teller.tell(Phase.LOOKING_UP, int((1 + 3 * share) * rows_in / 4), rows_in),
        count_codes=lambda code_count: np.bincount(scan.codes, minlength=code_count),
    )
    is_kept = np.ones(len(is_row), np.bool_)
    if deduplicate:
        teller.tell(Phase.LOOKING_UP, rows_in, rows_in)
        is_kept = find_last_rows(scan.codes, scan.keys, spellings.canonical)
    places = table.find_places(scan.codes, scan.flags, scan.keys)
    names = name_added_columns(opened.plan.columns if opened.plan.has_header else ())
    last_column = max(
        scan.last_held_column,
        tables.last_column,
        find_last_merged_column(scan.tail, opened.first_row),
    )
    edit = _plan_edit(opened, scan, table, places, is_kept, names, last_column)
    sheet_bytes = max(1, opened.archive.size_bytes(opened.sheet.part))
    losses = rewrite_workbook(
        opened.archive,
        opened.book,
        opened.sheet,
        edit,
        work_dir / RESULT_NAME,
        lambda done: teller.tell(
            Phase.WRITING, min(rows_in, rows_in * done // sheet_bytes), rows_in, done
        ),
    )
    stream, texts = opened.read()
    is_out = is_row & is_kept
    valueless_count = write_row_index(
        stream,
        texts,
        is_out,
        places[is_out],
        table.name_codes[scan.codes[is_out]],
        table,
        work_dir,
        width=scan.last_column + 1,
        sheet=opened.sheet.name,
        tick=lambda rows: teller.tell(Phase.INDEXING, rows, rows_in),
    )
    row_counter = RowCounter(table.verdicts, len(table.names))
    codes = scan.codes[is_out]
    row_counter.add(
        places[is_out], table.name_codes[codes], int(np.count_nonzero(spellings.faults[codes]))
    )
    summary = row_counter.summarise(rows_in, table.names, judge.data_version)
    notices: tuple[Notice, ...] = (
        *name_notice(names),
        *list_notices(
            tables.totals_rows.union(scan.totals_rows),
            losses,
            has_removed=bool(edit.removed),
            valueless_count=valueless_count,
        ),
    )
    return BatchOutcome(summary, notices)


def _mark_seen(scan: SheetScan, is_row: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return mark_seen(np.zeros(1, np.uint8), scan.codes[is_row], scan.flags[is_row])


def _plan_edit(
    opened: OpenSheet,
    scan: SheetScan,
    table: VerdictTable,
    places: NDArray[np.uint16],
    is_kept: NDArray[np.bool_],
    names: tuple[str, ...],
    last_column: int,
) -> SheetEdit:
    """Word the added cells and say which row gets which.

    Raises:
        BrokenFile: The sheet has no room for more columns.
    """
    if last_column + len(names) >= MAX_COLUMNS:
        raise BrokenFile(
            f"The sheet has no room for more columns: it ends at {MAX_COLUMNS:,}.",
            hint="Remove columns that are not needed.",
            sheet=opened.sheet.name,
        )
    texts = [list_added_cells(verdict) for verdict in table.verdicts]
    header_code = len(texts) + 1
    added = np.zeros(int(scan.numbers[-1]) + 1, np.uint16)
    is_row = scan.codes >= FIRST_FAULT
    added[scan.numbers[is_row]] = places[is_row] + 1
    columns = None
    if opened.header_row:
        added[opened.header_row] = header_code
        email_column = opened.plan.email_column
        columns = AddedColumns(opened.header_row, email_column, last_column + 1, names)
    return SheetEdit(
        removed=array("i", scan.numbers[~is_kept].astype(np.int32).tobytes()),
        added=array("H", added.tobytes()),
        cell_texts=(*texts, names),
        styles={header_code: scan.header_style},
        first_added_column=last_column + 1,
        crowded=scan.widest_column > last_column,
        columns=columns,
    )
