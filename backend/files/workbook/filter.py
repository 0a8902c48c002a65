"""A finished workbook with other rows or verdicts: what downloads hold beside the result itself."""

from array import array
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from backend.core.errors import BrokenFile
from backend.core.rows import RowFilter, Variant
from backend.core.tasks import InputPlan
from backend.files.engine.address_column import FIRST_FAULT
from backend.files.rows.result_rows import ResultRows
from backend.files.workbook.archive import open_archive
from backend.files.workbook.emails import EmailValues
from backend.files.workbook.frame import read_tables
from backend.files.workbook.opened import OpenSheet
from backend.files.workbook.rewrite import SheetEdit, rewrite_workbook


def write_variant_xlsx(
    result_path: Path, rows: ResultRows, variant: Variant, out_path: Path, plan: InputPlan
) -> None:
    """Write a result again with the rows of a variant and the verdicts that they have today.

    Args and errors are those of ``write_filtered_xlsx``.
    """
    added = rows.list_added_cells() if rows.alters_result else None
    write_filtered_xlsx(result_path, rows.select(RowFilter(), variant), out_path, plan, added=added)


def write_filtered_xlsx(
    result_path: Path,
    keep: NDArray[np.bool_],
    out_path: Path,
    plan: InputPlan,
    *,
    added: tuple[NDArray[np.uint16], tuple[tuple[str, str], ...]] | None = None,
) -> None:
    """Write a result again with only the rows wanted, everything else as it is.

    Args:
        result_path: What ``run_xlsx_batch`` wrote.
        keep: For every output row, in order, whether it stays.
        out_path: Written whole and synced, a temporary file beside it; rubbish after an error.
        plan: The plan that the result was made by.
        added: For every output row which of the texts stand in its added cells from now on, from
            1, or 0 for those it has; and the texts. None: all keep theirs.

    Raises:
        BrokenFile: The result does not have as many rows as ``keep``.
    """
    strings_path = out_path.with_name(f"{out_path.name}.strings")
    try:
        with open_archive(result_path) as archive:
            opened = OpenSheet.open(archive, plan, strings_path)
            totals_rows = read_tables(archive, opened.sheet).totals_rows
            values = EmailValues()
            scan = opened.scan(values, totals_rows, lambda rows, read_bytes: None)
            numbers = scan.numbers[scan.codes >= FIRST_FAULT]
            if len(numbers) != len(keep):
                raise BrokenFile("The result's rows do not agree with its row index.")
            edit = SheetEdit(removed=array("i", numbers[~keep].astype(np.int32).tobytes()))
            if added is not None:
                edit = _put_added(edit, numbers, added, scan.last_column)
            rewrite_workbook(
                archive, opened.book, opened.sheet, edit, out_path, lambda read_bytes: None
            )
    finally:
        with suppress(OSError):  # Windows keeps a file that is still mapped
            strings_path.unlink(missing_ok=True)


def _put_added(
    edit: SheetEdit,
    numbers: NDArray[np.int32],
    added: tuple[NDArray[np.uint16], tuple[tuple[str, str], ...]],
    last_column: int,
) -> SheetEdit:
    """Replace the added cells of some rows: the last two columns with a value are ours."""
    codes, texts = added
    by_number = np.zeros(int(numbers[-1]) + 1, np.uint16)
    by_number[numbers] = codes
    return replace(
        edit,
        added=array("H", by_number.tobytes()),
        cell_texts=texts,
        first_added_column=last_column - 1,
        crowded=True,
    )
