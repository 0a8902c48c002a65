"""Rewriting of a finished workbook with other rows or verdicts, for downloads."""

from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile, DoesNotFit
from winnow.core.tasks.task import InputPlan
from winnow.lists.formats.xlsx.opened import OpenSheet, open_sheet
from winnow.lists.formats.xlsx.references.widening import AddedColumns
from winnow.lists.formats.xlsx.rewrite import plan_edit, rewrite_workbook
from winnow.lists.formats.xlsx.rows import SheetEdit
from winnow.lists.formats.xlsx.scan import SheetColumns
from winnow.lists.result.added_columns import ADDED, name_columns
from winnow.lists.result.row_export import AddedCells
from winnow.lists.sheet_limits import MAX_COLUMNS


def write_filtered_xlsx(
    result_path: Path,
    keep: NDArray[np.bool_],
    out_path: Path,
    plan: InputPlan,
    *,
    added: AddedCells | None = None,
    extra_columns: Sequence[str] = (),
) -> None:
    """Write a result again with only the rows wanted, everything else as it is.

    Args:
        result_path: What ``run_batch`` wrote.
        keep: For every output row, in order, whether it stays.
        out_path: Written whole and synced, a temporary file next to it; unusable after an error.
        plan: The plan that the result was made by.
        added: What every output row has in its added cells from now on; None: all keep theirs.
        extra_columns: Names of the columns that these texts have in addition to the usual ones.

    Raises:
        BrokenFile: The result does not have as many rows as ``keep``.
        DoesNotFit: The sheet has no room for the extra columns.
    """
    with open_sheet(result_path, plan, out_path.parent) as opened:
        numbers, reached = _find_rows(opened)
        if len(numbers) != len(keep):
            raise BrokenFile(
                "The result's rows do not agree with its row index.",
                hint="Clean the list again.",
            )
        edit = SheetEdit(removed=array("i", numbers[~keep].tobytes()))
        if added is not None:
            edit = _put_added(opened, keep, numbers, reached, added, extra_columns)
        rewrite_workbook(opened.archive, opened.book, opened.sheet, edit, out_path)


def _find_rows(opened: OpenSheet) -> tuple[NDArray[np.int32], SheetColumns]:
    """Return the numbers of the list's rows: all that have a verdict, which is in the last columns.

    And the columns that the rows reach.
    """
    reached = SheetColumns()
    numbers, ends = array("i"), array("i")
    for row in opened.read(opened.stream()):
        reached.widen(row, opened.header_row)
        last = row.last_filled
        if last is not None and row.number != opened.header_row:
            numbers.append(row.number)
            ends.append(last.column)
    is_judged = np.array(ends) > reached.last - len(ADDED)
    return np.array(numbers)[is_judged], reached


def _put_added(
    opened: OpenSheet,
    keep: NDArray[np.bool_],
    numbers: NDArray[np.int32],
    reached: SheetColumns,
    added: AddedCells,
    extra_columns: Sequence[str],
) -> SheetEdit:
    """Replace the added cells of some rows: the last columns with a value are ours."""
    if reached.last + len(extra_columns) >= MAX_COLUMNS:
        raise DoesNotFit(
            "The sheet has no room for another column: it ends at {most}.",
            most=MAX_COLUMNS,
            hint="Choose CSV.",
        )
    own, email_column = opened.plan.columns, opened.plan.email_column
    names = (*name_columns(ADDED, own), *name_columns(extra_columns, own)) if extra_columns else ()
    first = reached.last + 1 - len(ADDED)
    wider = AddedColumns(opened.header_row, email_column, first, names)
    codes = np.where(added.is_stored, 0, added.codes + 1)
    return plan_edit(
        opened, numbers[~keep], numbers, codes, added.texts, wider, reached.header_style
    )
