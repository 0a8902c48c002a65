"""Rewriting of a workbook: parts copied, one sheet's rows removed, renumbered, extended."""

import zipfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile, DoesNotFit
from winnow.core.tasks.input_plan import InputPlan
from winnow.lists.execution.ordered import hand_on
from winnow.lists.execution.run_files import create_durably
from winnow.lists.formats.xlsx.book import SheetPart
from winnow.lists.formats.xlsx.markup import edit_elements
from winnow.lists.formats.xlsx.read import SheetColumns
from winnow.lists.formats.xlsx.references.formula_cells import FormulaCells
from winnow.lists.formats.xlsx.references.mover import BrokenReferences, PartMover, ReferenceMover
from winnow.lists.formats.xlsx.references.related import Edit, plan_related_edits
from winnow.lists.formats.xlsx.references.rules import SHEET
from winnow.lists.formats.xlsx.references.widening import AddedColumns
from winnow.lists.formats.xlsx.rows import RowRewriter, SheetEdit
from winnow.lists.formats.xlsx.sheet import OpenSheet, SheetStream, open_sheet
from winnow.lists.formats.xlsx.xml import DECLARATION, read_xml
from winnow.lists.result.added_columns import ADDED, name_columns
from winnow.lists.result.row_export import AddedCells
from winnow.lists.sheet_limits import MAX_COLUMNS


def plan_edit(
    removed: NDArray[np.integer],
    numbers: NDArray[np.integer],
    codes: NDArray[np.integer],
    texts: Sequence[tuple[str, ...]],
    columns: AddedColumns,
) -> SheetEdit:
    """Return the edits that remove rows and put texts into the added cells of others.

    Args:
        removed: The numbers of the rows to remove, ascending.
        numbers: Those of the rows with added cells.
        codes: For each of these which of the texts it gets, from 1; 0 for none.
        texts: One for each added column.
        columns: The added columns.
    """
    by_number = np.zeros(int(numbers.max(initial=0)) + 1, np.uint32)
    by_number[numbers] = codes
    removed_numbers = array("i", removed.astype(np.int32).tobytes())
    return SheetEdit(removed_numbers, array("I", by_number.tobytes()), texts, columns)


def rewrite_workbook(
    opened: OpenSheet,
    edit: SheetEdit,
    out_path: Path,
    tick: Callable[[int], None] | None = None,
) -> BrokenReferences:
    """Write a workbook with one sheet changed, everything else as it is.

    Args:
        opened: The workbook and the sheet to change.
        edit: How.
        out_path: Written whole and synced; after an error it holds rubbish.
        tick: Called with the bytes of the sheet done so far; may raise.

    Raises:
        BrokenFile: The workbook cannot be read through.
    """
    archive, book, sheet = opened.archive, opened.book, opened.sheet
    mover = ReferenceMover(sheet.name, edit.removed)
    related = plan_related_edits(archive, book, sheet, mover) if edit.removed else {}
    widened = edit.columns.plan_edits(archive, book, sheet)
    steps: dict[str | None, list[Edit | None]] = {}
    for part, edit_part in (*widened.items(), *related.items()):
        steps.setdefault(archive.find(part), []).append(edit_part)
    sheets = {archive.find(one.part): one for one in (book.sheets if edit.removed else [sheet])}
    with (
        create_durably(out_path) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out,
    ):
        for info in archive.infos:
            name = info.filename
            content: Iterable[bytes] = archive.stream(name)
            if info.is_dir() or None in steps.get(name, ()):
                continue
            if name == archive.find(sheet.part):
                content = _rewrite_sheet(opened, sheet, edit, mover, tick)
            elif name in sheets:
                content = _rewrite_sheet(opened, sheets[name], SheetEdit(), mover)
            elif name in steps:
                edited = read_xml(archive, name)
                for step in filter(None, steps[name]):
                    edited = step(edited)
                content = [DECLARATION + edited]
            with out.open(name, "w", force_zip64=True) as member:
                for _ in hand_on(content, member.write):  # packing takes as long as rewriting
                    pass
    return mover.losses


def _rewrite_sheet(
    opened: OpenSheet,
    sheet: SheetPart,
    edit: SheetEdit,
    mover: ReferenceMover,
    tick: Callable[[int], None] | None = None,
) -> Iterator[bytes]:
    """Yield a sheet with its edits, and with its references to the changed sheet moved."""
    stream = SheetStream(opened.archive, sheet)
    formulas, marks = None, None
    if mover.rows.removed:
        formulas = FormulaCells(
            mover,
            at_home=sheet.name == mover.sheet,
            packed_bytes=opened.archive.packed_bytes(sheet.part),
            is_calculated=opened.book.is_calculated,
        )
        marks = PartMover(SHEET, mover, sheet.name)
    rewriter = RowRewriter(stream.prefix, sheet.name, edit, formulas)
    head = marks.move(stream.head) if marks is not None else stream.head
    if sheet.name == mover.sheet:  # its area is optional (ISO/IEC 29500-1, 18.3.1.35)
        head = edit_elements(head, ("dimension",), lambda _: False)
    yield DECLARATION + head
    for region in stream.regions():
        yield rewriter.rewrite(region)
        if tick is not None:
            tick(stream.bytes_done)
    tail = edit.columns.widen_filters(stream.tail)
    yield marks.move(tail) if marks is not None else tail


def write_filtered_xlsx(
    result_path: Path,
    keep: NDArray[np.bool_],
    out_path: Path,
    plan: InputPlan,
    *,
    added: AddedCells | None = None,
    extra_columns: Sequence[str] = (),
    added_count: int = len(ADDED),
) -> None:
    """Write a result again with only the rows wanted, everything else as it is.

    Args:
        result_path: What ``run_batch`` wrote.
        keep: For every output row, in order, whether it stays.
        out_path: Written whole and synced, a temporary file next to it; unusable after an error.
        plan: The plan that the result was made by.
        added: What every output row has in its added cells from now on; None: all keep theirs.
        extra_columns: Names of the columns that these texts have in addition to the usual ones.
        added_count: How many of the result's columns were added.

    Raises:
        BrokenFile: The result does not have as many rows as ``keep``.
        DoesNotFit: The sheet has no room for the extra columns.
    """
    with open_sheet(result_path, plan, out_path.parent) as opened:
        numbers, reached = _find_rows(opened, added_count)
        if len(numbers) != len(keep):
            raise BrokenFile(
                "The result's rows do not agree with its row index.",
                hint="Clean the list again.",
            )
        codes, columns = np.zeros(len(numbers), np.uint32), AddedColumns()
        texts: Sequence[tuple[str, ...]] = ()
        if added is not None:
            codes, texts = np.where(added.is_stored, 0, added.codes + 1), added.texts
            if reached.last + len(extra_columns) >= MAX_COLUMNS:
                raise DoesNotFit(
                    "The sheet has no room for another column: it ends at {most}.",
                    most=MAX_COLUMNS,
                    hint="Choose CSV.",
                )
            own, first = plan.columns, reached.last + 1 - added_count  # the last ones are ours
            names = name_columns((*ADDED[:added_count], *extra_columns), own, plan.file_format)
            columns = AddedColumns(
                opened.header_row,
                plan.email_column,
                first,
                names if extra_columns else (),
                reached.header_style,
            )
        edit = plan_edit(numbers[~keep], numbers, codes, texts, columns)
        rewrite_workbook(opened, edit, out_path)


def _find_rows(opened: OpenSheet, added_count: int) -> tuple[NDArray[np.int32], SheetColumns]:
    """Return the numbers of the list's rows: all that have a verdict, which is in the last columns.

    And the columns that the rows reach.
    """
    reached = SheetColumns()
    numbers, ends = array("i"), array("i")
    stream = opened.stream()
    for row in chain.from_iterable(opened.read(stream, region) for region in stream.regions()):
        reached.widen(row, opened.header_row)
        last = row.last_filled
        if last is not None and row.number != opened.header_row:
            numbers.append(row.number)
            ends.append(last.column)
    is_judged = np.array(ends) > reached.last - added_count
    return np.array(numbers)[is_judged], reached
