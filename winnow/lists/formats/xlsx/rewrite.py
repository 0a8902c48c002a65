"""A workbook written again: every part copied, one sheet's rows dropped, numbered, added to."""

import re
import zipfile
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from winnow.lists.execution.ordered import hand_on
from winnow.lists.execution.run_files import create_durably
from winnow.lists.formats.xlsx.archive import XlsxArchive
from winnow.lists.formats.xlsx.book import Book, SheetPart
from winnow.lists.formats.xlsx.cells import CellGrammar, column_letters
from winnow.lists.formats.xlsx.references.formula_cells import FormulaCells
from winnow.lists.formats.xlsx.references.formula_shifter import FormulaShifter, RowMap
from winnow.lists.formats.xlsx.references.losses import Losses
from winnow.lists.formats.xlsx.references.range_shifter import ReferenceMover
from winnow.lists.formats.xlsx.references.related_parts import (
    Beside,
    mentions_sheet,
    plan_beside,
    plan_widening,
)
from winnow.lists.formats.xlsx.references.sheet_marks import SheetMarks
from winnow.lists.formats.xlsx.references.widening import AddedColumns
from winnow.lists.formats.xlsx.replaced_cells import ReplacedCells
from winnow.lists.formats.xlsx.rows import AddedCells, RowRewriter, write_attribute
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.xml import DECLARATION

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the zip format's first day: equal input, equal bytes
_DEFLATE_LEVEL = 3

_DIMENSION = re.compile(rb"<(?:[\w.-]+:)?dimension\b[^>]*>")


@dataclass(frozen=True, slots=True)
class SheetEdit:
    """What is to change in one sheet.

    ``removed`` are row numbers, ascending. ``added`` has an entry for each row number up to the
    last: which of ``cell_texts`` (one text for each added column) the row gets, counted from 1; 0
    for none. ``styles`` gives some of these codes a style. ``first_added_column`` counts from 0.
    ``crowded``: cells without values may stand where the added ones go, and make room. ``columns``
    are the added ones for filters and tables to take in; None leaves those as they are.
    ``replaced`` are texts for cells of column ``replaced_column`` by row number.
    """

    removed: Sequence[int] = ()
    added: Sequence[int] = ()
    cell_texts: Sequence[tuple[str, ...]] = ()
    styles: dict[int, int] = field(default_factory=dict)
    first_added_column: int = 0
    crowded: bool = False
    columns: AddedColumns | None = None
    replaced: Mapping[int, str] = field(default_factory=dict)
    replaced_column: int = 0


def rewrite_workbook(
    archive: XlsxArchive,
    book: Book,
    sheet: SheetPart,
    edit: SheetEdit,
    out_path: Path,
    tick: Callable[[int], None],
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
    losses = Losses()
    formulas = FormulaShifter(sheet.name, book.all_names, RowMap(edit.removed))
    mover = ReferenceMover(formulas, losses)
    beside = plan_beside(archive, book, sheet, mover) if edit.removed else Beside()
    widened = plan_widening(archive, book, sheet, edit.columns) if edit.columns else {}
    others = {archive.find(other.part): other for other in book.sheets if other is not sheet}
    with (
        create_durably(out_path) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_DEFLATE_LEVEL) as out,
    ):
        for info in archive.infos:
            name = info.filename
            if name in beside.dropped or info.is_dir():
                continue
            content: Iterable[bytes]
            if name == archive.find(sheet.part):
                content = _rewrite_sheet(archive, sheet, edit, mover, tick)
            elif name in beside.edits or name in widened:
                whole = widened.get(name, bytes)(archive.read(name))
                content = [beside.edits.get(name, bytes)(whole)]
            elif (
                edit.removed
                and name in others
                and mentions_sheet(archive, name, sheet.name, beside.needles)
            ):
                content = _rewrite_other(archive, others[name], mover, sheet)
            else:
                content = archive.stream(name)
            _write_member(out, info, content)
    return losses


def _write_member(out: zipfile.ZipFile, source: zipfile.ZipInfo, content: Iterable[bytes]) -> None:
    info = zipfile.ZipInfo(source.filename, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = source.external_attr
    with out.open(info, "w", force_zip64=True) as member:
        hand_on(content, member.write)  # packing takes as long as rewriting


def _rewrite_sheet(
    archive: XlsxArchive,
    sheet: SheetPart,
    edit: SheetEdit,
    mover: ReferenceMover,
    tick: Callable[[int], None],
) -> Iterator[bytes]:
    stream = SheetStream(archive, sheet.part, sheet.name)
    grammar = CellGrammar(stream.prefix)
    formulas = FormulaCells(grammar, mover, at_home=True) if edit.removed else None
    rewriter = RowRewriter(
        grammar,
        sheet.name,
        removed=_mark(edit.removed),
        added=edit.added,
        cells=AddedCells(stream.prefix, edit.first_added_column, edit.cell_texts, edit.styles),
        first_added_column=edit.first_added_column,
        crowded=edit.crowded,
        formulas=formulas,
        replaced=ReplacedCells(grammar, edit.replaced_column, edit.replaced),
    )
    marks = SheetMarks(mover, sheet.name, sheet.name) if edit.removed else None
    head = marks.move(stream.head) if marks is not None else stream.head
    yield DECLARATION + _widen_dimension(head, edit)
    for region in stream.regions():
        yield rewriter.rewrite(stream, region)
        tick(stream.bytes_done)
    tail = edit.columns.widen_filters(stream.tail) if edit.columns else stream.tail
    yield marks.move(tail) if marks is not None else tail


def _rewrite_other(
    archive: XlsxArchive, sheet: SheetPart, mover: ReferenceMover, home: SheetPart
) -> Iterator[bytes]:
    """Move the formulas of a sheet that points at the changed one."""
    stream = SheetStream(archive, sheet.part, sheet.name)
    grammar = CellGrammar(stream.prefix)
    formulas = FormulaCells(grammar, mover, at_home=False)
    rewriter = RowRewriter(grammar, sheet.name, formulas=formulas)
    yield DECLARATION + stream.head
    for region in stream.regions():
        yield rewriter.rewrite(stream, region)
    yield SheetMarks(mover, sheet.name, home.name).move(stream.tail)


def _mark(removed: Sequence[int]) -> bytes:
    """Return one byte a row number, 1 for the removed ones."""
    marks = bytearray(removed[-1] + 1 if len(removed) else 0)
    for number in removed:
        marks[number] = 1
    return bytes(marks)


def _widen_dimension(head: bytes, edit: SheetEdit) -> bytes:
    """Correct the sheet's own word for its area; readers size their tables by it."""
    match = _DIMENSION.search(head)
    if match is None:
        return head
    last = len(edit.added) - 1
    while last > 0 and not edit.added[last]:
        last -= 1
    found = re.search(rb'ref="([A-Z]{1,3}[0-9]{1,7})(?::([A-Z]{1,3})([0-9]{1,7}))?"', match[0])
    if found is None:
        return head
    stated = int(found[3] or re.sub(rb"[A-Z]+", b"", found[1]))
    last = max(last, stated) - bisect_left(edit.removed, max(last, stated) + 1)
    letters = found[2] or re.sub(rb"[0-9]+", b"", found[1])
    if edit.cell_texts:
        added = column_letters(edit.first_added_column + len(edit.cell_texts[0]) - 1)
        letters = max(letters, added, key=lambda name: (len(name), name))
    area = found[1] + b":" + letters + b"%d" % max(last, 1)
    tag = write_attribute(match[0], b"ref", area)
    return head[: match.start()] + tag + head[match.end() :]
