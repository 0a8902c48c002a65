"""Rewriting of a workbook: parts copied, one sheet's rows removed, renumbered, extended."""

import zipfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.lists.execution.ordered import hand_on
from winnow.lists.execution.run_files import create_durably
from winnow.lists.formats.xlsx.archive import XlsxArchive
from winnow.lists.formats.xlsx.book import Book, SheetPart
from winnow.lists.formats.xlsx.markup import edit_elements
from winnow.lists.formats.xlsx.opened import OpenSheet
from winnow.lists.formats.xlsx.references.formula_cells import FormulaCells
from winnow.lists.formats.xlsx.references.mover import Losses, ReferenceMover
from winnow.lists.formats.xlsx.references.part_mover import PartMover
from winnow.lists.formats.xlsx.references.related import Edit, plan_related_edits
from winnow.lists.formats.xlsx.references.rules import SHEET
from winnow.lists.formats.xlsx.references.widening import AddedColumns
from winnow.lists.formats.xlsx.rows import RowRewriter, SheetEdit
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.xml import DECLARATION, read_xml


def _ignore(done_bytes: int) -> None:
    """Take a report of progress and do nothing."""


def plan_edit(
    opened: OpenSheet,
    removed: NDArray[np.integer],
    numbers: NDArray[np.integer],
    codes: NDArray[np.integer],
    texts: Sequence[tuple[str, ...]],
    columns: AddedColumns,
    header_style: int,
) -> SheetEdit:
    """Return the edits that remove rows and put texts into the added cells of others.

    Args:
        opened: The workbook and its sheet.
        removed: The numbers of the rows to remove, ascending.
        numbers: Those of the rows with added cells.
        codes: For each of these which of the texts it gets, from 1; 0 for none.
        texts: One for each added column.
        columns: The added columns; without names the header and filters stay as they are.
        header_style: The style of the names' cells.
    """
    by_number = np.zeros(max(int(numbers.max(initial=0)), opened.header_row) + 1, np.uint32)
    by_number[numbers] = codes
    names = tuple(columns.names) if opened.header_row else ()
    if names:
        texts = (*texts, names)
        by_number[opened.header_row] = len(texts)
    return SheetEdit(
        array("i", removed.astype(np.int32).tobytes()),
        array("I", by_number.tobytes()),
        texts,
        {len(texts): header_style} if names else {},
        columns.first,
        columns=columns if names else None,
    )


def rewrite_workbook(
    archive: XlsxArchive,
    book: Book,
    sheet: SheetPart,
    edit: SheetEdit,
    out_path: Path,
    tick: Callable[[int], None] = _ignore,
) -> Losses:
    """Write a workbook with one sheet changed, everything else as it is.

    Args:
        archive: The workbook, open.
        book: Its parts.
        sheet: The sheet to change.
        edit: How.
        out_path: Written whole and synced; after an error it holds rubbish.
        tick: Called with the bytes of the sheet done so far; may raise.

    Raises:
        BrokenFile: The workbook cannot be read through.
    """
    mover = ReferenceMover(sheet.name, edit.removed)
    related = plan_related_edits(archive, book, sheet, mover) if edit.removed else {}
    widened = edit.columns.plan_edits(archive, book, sheet) if edit.columns is not None else {}
    steps: dict[str | None, list[Edit | None]] = {}
    for part, step in (*widened.items(), *related.items()):
        steps.setdefault(archive.find(part), []).append(step)
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
                content = _rewrite_sheet(archive, book, sheet, edit, mover, tick)
            elif name in sheets:
                content = _rewrite_sheet(archive, book, sheets[name], SheetEdit(), mover, _ignore)
            elif name in steps:
                content = [_edit_part(read_xml(archive, name), steps[name])]
            with out.open(name, "w", force_zip64=True) as member:
                for _ in hand_on(content, member.write):  # packing takes as long as rewriting
                    pass
    return mover.losses


def _edit_part(content: bytes, steps: Iterable[Edit | None]) -> bytes:
    for step in steps:
        content = step(content) if step is not None else content
    return DECLARATION + content


def _rewrite_sheet(
    archive: XlsxArchive,
    book: Book,
    sheet: SheetPart,
    edit: SheetEdit,
    mover: ReferenceMover,
    tick: Callable[[int], None],
) -> Iterator[bytes]:
    """Yield a sheet with its edits, and with its references to the changed sheet moved."""
    stream = SheetStream(archive, sheet.part, sheet.name)
    formulas, marks = None, None
    if mover.rows.removed:
        formulas = FormulaCells(
            mover,
            at_home=sheet.name == mover.sheet,
            packed_bytes=archive.packed_bytes(sheet.part),
            is_calculated=book.is_calculated,
        )
        marks = PartMover(SHEET, mover, sheet.name)
    rewriter = RowRewriter(stream.prefix, sheet.name, edit, formulas)
    head = marks.move(stream.head) if marks is not None else stream.head
    if sheet.name == mover.sheet:  # its area is optional (ISO/IEC 29500-1, 18.3.1.35)
        head = edit_elements(head, ("dimension",), lambda _: False)
    yield DECLARATION + head
    for region in stream.regions():
        yield rewriter.rewrite(region)
        tick(stream.bytes_done)
    tail = edit.columns.widen_filters(stream.tail) if edit.columns else stream.tail
    yield marks.move(tail) if marks is not None else tail
