"""The sheets of an old Excel workbook (BIFF 2 to 8), as xlrd reads them."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any, cast

import xlrd

from winnow.lists.formats.converted.value_book import Sheet, Value
from winnow.lists.inspection.signature import word_protected
from winnow.lists.unpacked_size import UnpackedSize

_SPAN = 7  # a cell type of ours, after xlrd's: a number shown as a duration
_SPAN_FORMAT = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)  # ISO/IEC 29500-1, 18.8.31


def read_sheets(path: Path, size: UnpackedSize) -> Iterator[Sheet]:
    """Yield the worksheets; each is read when its rows are asked for.

    Raises:
        BrokenFile: It has a password.
        Exception: Of any kind, where it is damaged.
    """
    with _open(path) as book:
        for place, form in enumerate(book.xf_list):
            number_format = book.format_map.get(form.format_key)
            if number_format is not None and _SPAN_FORMAT.search(number_format.format_str):
                book._xf_index_to_xl_type_map[place] = _SPAN
        for place in range(book.nsheets):
            sheet = book.sheet_by_index(place)
            yield Sheet(sheet.name, sheet.visibility == 0, _read_rows(sheet, book.datemode))
            book.unload_sheet(place)


def _open(path: Path) -> Any:
    try:
        return xlrd.open_workbook(
            str(path), StringIO(), on_demand=True, ragged_rows=True, ignore_workbook_corruption=True
        )
    except xlrd.XLRDError as error:
        if "encrypted" in str(error):
            raise word_protected() from error
        raise


def _read_rows(sheet: Any, datemode: int) -> Iterator[tuple[int, list[tuple[int, Value]]]]:
    for row in range(sheet.nrows):
        kinds, values = sheet.row_types(row), sheet.row_values(row)
        cells = enumerate(zip(kinds, values, strict=True), 1)
        yield row + 1, [(column, _word(*cell, datemode)) for column, cell in cells]


def _word(kind: int, value: Any, datemode: int) -> Value:
    if kind in (xlrd.XL_CELL_TEXT, xlrd.XL_CELL_NUMBER):
        return cast("str | float", value)
    if kind == xlrd.XL_CELL_BOOLEAN:
        return bool(value)
    if kind == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(value, "#VALUE!"))
    if kind == _SPAN:
        return timedelta(days=value)
    if kind == xlrd.XL_CELL_DATE:
        return _read_date(value, datemode)
    return ""


def _read_date(value: float, datemode: int) -> Value:
    """Return a moment, a date where it is midnight, or a time of day below one day."""
    try:
        moment: datetime = xlrd.xldate.xldate_as_datetime(value, datemode)
    except (ValueError, OverflowError):
        return value
    if 0 <= value < 1:
        return moment.time()
    return moment if value % 1 else moment.date()
