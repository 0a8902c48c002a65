"""A finished workbook with other rows or verdicts: what downloads hold beside the result itself."""

from array import array
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile, DoesNotFit
from winnow.core.tasks.task import InputPlan
from winnow.lists.formats.xlsx.archive import open_archive
from winnow.lists.formats.xlsx.cells import MAX_COLUMNS
from winnow.lists.formats.xlsx.emails import EmailValues
from winnow.lists.formats.xlsx.opened import OpenSheet
from winnow.lists.formats.xlsx.references.widening import AddedColumns
from winnow.lists.formats.xlsx.rewrite import SheetEdit, rewrite_workbook
from winnow.lists.formats.xlsx.scan import SheetScan
from winnow.lists.formats.xlsx.sheet_structure import read_tables
from winnow.lists.requests import RewriteRequest
from winnow.lists.result.added_columns import ADDED, VerdictColumns, name_columns

Added = tuple[NDArray[np.uint32], tuple[tuple[str, ...], ...]]


def write_variant_xlsx(request: RewriteRequest) -> None:
    """Write a result again with the rows of a variant and the verdicts that they have today.

    Errors are those of ``write_filtered_xlsx``.
    """
    rows, names = request.rows, request.export.choice.extra_columns
    added = None
    if rows.alters_result or names:
        added = rows.list_added_cells(request.export)
    keep = rows.select(request.export)
    write_filtered_xlsx(
        request.result_path, keep, request.out_path, request.plan,
        columns=rows.added, added=added, extra_columns=names,
    )  # fmt: skip


def write_filtered_xlsx(
    result_path: Path,
    keep: NDArray[np.bool_],
    out_path: Path,
    plan: InputPlan,
    *,
    columns: VerdictColumns = ADDED,
    added: Added | None = None,
    extra_columns: Sequence[str] = (),
) -> None:
    """Write a result again with only the rows wanted, everything else as it is.

    Args:
        result_path: What ``run_xlsx_batch`` wrote.
        keep: For every output row, in order, whether it stays.
        out_path: Written whole and synced, a temporary file beside it; rubbish after an error.
        plan: The plan that the result was made by.
        columns: The added ones that the result has.
        added: For every output row which of the texts stand in its added cells from now on, from
            1, or 0 for those it has; and the texts. None: all keep theirs.
        extra_columns: Names of the columns that these texts have beside the usual ones.

    Raises:
        BrokenFile: The result does not have as many rows as ``keep``.
        DoesNotFit: The sheet has no room for the extra columns.
    """
    strings_path = out_path.with_name(f"{out_path.name}.strings")
    try:
        with open_archive(result_path) as archive:
            opened = OpenSheet.open(archive, plan, strings_path)
            tables = read_tables(archive, opened.sheet)
            values = EmailValues()
            scan = opened.scan(values, tables, lambda rows, read_bytes: None, added=columns)
            numbers = scan.numbers[scan.is_row]
            if len(numbers) != len(keep):
                raise BrokenFile(
                    "The result's rows do not agree with its row index.",
                    hint="Clean the list again.",
                )
            edit = SheetEdit(removed=array("i", numbers[~keep].astype(np.int32).tobytes()))
            if added is not None:
                edit = _put_added(edit, opened, scan, columns, added, extra_columns)
            rewrite_workbook(
                archive, opened.book, opened.sheet, edit, out_path, lambda read_bytes: None
            )
    finally:
        with suppress(OSError):  # Windows keeps a file that is still mapped
            strings_path.unlink(missing_ok=True)


def _put_added(
    edit: SheetEdit,
    opened: OpenSheet,
    scan: SheetScan,
    columns: VerdictColumns,
    added: Added,
    extra_columns: Sequence[str],
) -> SheetEdit:
    """Replace the added cells of some rows: the last columns with a value are ours."""
    codes, texts = added
    first_added = columns.find_first(scan.last_column)
    if scan.last_column + len(extra_columns) >= MAX_COLUMNS:
        raise DoesNotFit(
            f"The sheet has no room for another column: it ends at {MAX_COLUMNS:,}.",
            hint="Choose CSV.",
        )
    numbers = scan.numbers[scan.is_row]
    by_number = np.zeros(int(scan.numbers[-1]) + 1, np.uint32)
    by_number[numbers] = codes
    styles: dict[int, int] = {}
    wider = None
    if extra_columns and opened.header_row:
        own = opened.plan.columns
        names = (*columns.name(own), *name_columns(extra_columns, own))
        texts = (*texts, names)
        by_number[opened.header_row] = len(texts)
        email_column = opened.plan.email_column
        wider = AddedColumns(opened.header_row, email_column, first_added, names)
        styles[len(texts)] = scan.header_style
    return replace(
        edit,
        added=array("I", by_number.tobytes()),
        cell_texts=texts,
        styles=styles,
        first_added_column=first_added,
        crowded=True,
        columns=wider,
    )
