"""The sheets of an OpenDocument spreadsheet (ODF 1.3, part 3), as calamine reads them."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from zipfile import ZipFile

from python_calamine import CalamineSheet, SheetVisibleEnum, load_workbook

from winnow.core.errors import BrokenFile
from winnow.lists.formats.converted.value_book import Sheet, Value
from winnow.lists.inspection.signature import word_protected
from winnow.lists.unpacked_size import UnpackedSize

# A day or more, as spreadsheet programs write it (XML Schema, 3.2.6); texts may be shorter ones.
_SPAN = re.compile(r"PT(2[4-9]|[3-9]\d|\d{3,})H(\d\d)M(\d\d(?:\.\d+)?)S")


def read_sheets(path: Path, size: UnpackedSize) -> Iterator[Sheet]:
    """Yield the sheets; ``size`` counts the XML by what the archive says of it.

    Raises:
        BrokenFile: It has a password, is no spreadsheet, or larger than ``size`` lets it.
        Exception: Of any kind, where it is damaged.
    """
    with ZipFile(path) as archive:
        size.add(archive.getinfo("content.xml").file_size)
        if b"encryption-data" in archive.read("META-INF/manifest.xml"):
            raise word_protected()
    book = load_workbook(str(path))
    if not book.sheet_names:
        raise BrokenFile(
            "The file is an OpenDocument file, but no spreadsheet.",
            hint="Save the list as CSV, TSV or XLSX and upload that file.",
        )
    for found in book.sheets_metadata:
        is_visible = found.visible is SheetVisibleEnum.Visible
        yield Sheet(found.name, is_visible, _read_rows(book.get_sheet_by_name(found.name)))


def _read_rows(sheet: CalamineSheet) -> Iterator[tuple[int, list[tuple[int, Value]]]]:
    left = sheet.start[1] if sheet.start is not None else 0
    for number, row in enumerate(sheet.iter_rows(), 1):
        yield number, [(column, _word(value)) for column, value in enumerate(row, left + 1)]


def _word(value: Value) -> Value:
    span = _SPAN.fullmatch(value) if isinstance(value, str) else None
    if span is None:
        return value
    return timedelta(hours=int(span[1]), minutes=int(span[2]), seconds=float(span[3]))
