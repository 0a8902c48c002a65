"""Sheets of OpenDocument spreadsheets, by calamine, and of old Excel workbooks, by xlrd.

calamine reads two bytes a letter in XLS by writers other than Excel.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any, cast
from zipfile import ZipFile

import xlrd
from python_calamine import SheetVisibleEnum, load_workbook

from winnow.core.errors import BrokenFile
from winnow.core.file_faults import FileFault
from winnow.lists.formats.converted.write import Sheet, Value
from winnow.lists.inspection.signature import word_protected
from winnow.lists.unpacked_size import UnpackedSize

# A day or more, as spreadsheet programs write it (XML Schema, 3.2.6); texts may be shorter ones.
_SPAN = re.compile(r"PT(2[4-9]|[3-9]\d|\d{3,})H(\d\d)M(\d\d(?:\.\d+)?)S")
_XLS_SPAN = 7  # a cell type of ours, after xlrd's: a number shown as a duration
_SPAN_FORMAT = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)  # ISO/IEC 29500-1, 18.8.31


def read_ods(path: Path, size: UnpackedSize) -> Iterator[Sheet]:
    """Yield the sheets of a spreadsheet (ODF 1.3, part 3).

    ``size`` counts the XML by what the archive says of it.

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
            fault=FileFault.NOT_A_LIST,
            hint="Save the list as CSV, TSV or XLSX and upload that file.",
        )
    for found in book.sheets_metadata:
        is_visible = found.visible is SheetVisibleEnum.Visible
        sheet = book.get_sheet_by_name(found.name)
        left = [None] * (sheet.start[1] if sheet.start is not None else 0)
        rows = ([*left, *map(_word_ods, row)] for row in sheet.iter_rows())
        yield Sheet(found.name, is_visible, rows)


def _word_ods(value: Value) -> Value:
    span = _SPAN.fullmatch(value) if isinstance(value, str) else None
    if span is None:
        return value
    return timedelta(hours=int(span[1]), minutes=int(span[2]), seconds=float(span[3]))


def read_xls(path: Path) -> Iterator[Sheet]:
    """Yield the worksheets (BIFF 2 to 8); each is read when its rows are asked for.

    Raises:
        BrokenFile: It has a password.
        Exception: Of any kind, where it is damaged.
    """
    try:
        opened = xlrd.open_workbook(
            str(path), StringIO(), on_demand=True, ragged_rows=True, ignore_workbook_corruption=True
        )
    except xlrd.XLRDError as error:
        if "encrypted" in str(error):
            raise word_protected() from error
        raise
    with opened as book:
        for place, form in enumerate(book.xf_list):
            number_format = book.format_map.get(form.format_key)
            if number_format is not None and _SPAN_FORMAT.search(number_format.format_str):
                book._xf_index_to_xl_type_map[place] = _XLS_SPAN
        for place in range(book.nsheets):
            sheet, datemode = book.sheet_by_index(place), book.datemode
            cells = (
                zip(sheet.row_types(row), sheet.row_values(row), strict=True)
                for row in range(sheet.nrows)
            )
            rows = ([_word_xls(kind, value, datemode) for kind, value in row] for row in cells)
            yield Sheet(sheet.name, sheet.visibility == 0, rows)
            book.unload_sheet(place)


def _word_xls(kind: int, value: Any, datemode: int) -> Value:
    if kind in (xlrd.XL_CELL_TEXT, xlrd.XL_CELL_NUMBER):
        return cast("str | float", value)
    if kind == xlrd.XL_CELL_BOOLEAN:
        return bool(value)
    if kind == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(value, "#VALUE!"))
    if kind == _XLS_SPAN:
        return timedelta(days=value)
    if kind == xlrd.XL_CELL_DATE:
        return _read_xls_date(value, datemode)
    return ""


def _read_xls_date(value: float, datemode: int) -> Value:
    """Return a moment, a date where it is midnight, or a time of day below one day."""
    try:
        moment: datetime = xlrd.xldate.xldate_as_datetime(value, datemode)
    except (ValueError, OverflowError):
        return value
    if 0 <= value < 1:
        return moment.time()
    return moment if value % 1 else moment.date()
