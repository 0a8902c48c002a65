"""Writer for a workbook of values by openpyxl: only dates and times have a style."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from math import isfinite
from pathlib import Path

from openpyxl import Workbook
from openpyxl.cell import Cell, WriteOnlyCell
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

from winnow.core.errors import BrokenFile
from winnow.core.file_faults import FileFault
from winnow.lists.sheet_limits import MAX_CELL_CHARACTERS, MAX_COLUMNS, MAX_ROWS, escape_odd
from winnow.lists.unpacked_size import UnpackedSize
from winnow.words import translatable

Value = str | int | float | bool | date | datetime | time | timedelta

_NAME_CHARACTERS = 28  # Excel's limit of 31, less the number that openpyxl adds to equal names
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_FIRST_YEAR = 1901  # before March 1900 the date systems disagree: such a date is a text
_EXACT = 10**15  # larger whole numbers would lose digits: they are texts, as Excel has them
_LONGEST = 10**21  # from here on they are no identifiers but measured: numbers with an exponent
_BYTES_PER_CELL = 40  # of XML around a value
_HINT = translatable("Save the sheet with the list as CSV and upload that file.")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet's name, and all its rows: the values of each from column A on."""

    name: str
    is_visible: bool
    rows: Iterable[Sequence[Value | None]]


def write_value_book(sheets: Iterable[Sheet], out_path: Path, size: UnpackedSize) -> None:
    """Write sheets in their order; ``size`` counts about the bytes of their XML.

    Raises:
        BrokenFile: They take more than ``size`` lets them; or a text, the rows or the columns are
            more than a sheet takes.
    """
    book = Workbook(write_only=True)
    for sheet in sheets:
        name = _NOT_IN_NAMES.sub("_", sheet.name)[:_NAME_CHARACTERS].strip("'")
        written = book.create_sheet(name or "Sheet")
        written.sheet_state = "visible" if sheet.is_visible else "hidden"
        for number, row in enumerate(sheet.rows, start=1):
            if number > MAX_ROWS or len(row) > MAX_COLUMNS:
                raise BrokenFile(
                    "A sheet has more rows or columns than a sheet of Excel holds.",
                    fault=FileFault.TOO_LARGE,
                    hint=_HINT,
                )
            texts = (value for value in row if isinstance(value, str))
            size.add(_BYTES_PER_CELL * len(row) + sum(map(len, texts)))
            written.append([_to_cell(value, written) for value in row])
    book.save(out_path)


def _to_cell(value: Value | None, sheet: WriteOnlyWorksheet) -> Value | Cell | None:
    """Return what openpyxl writes as this value: a text is none of its formulas."""
    if isinstance(value, date) and value.year < _FIRST_YEAR:
        value = value.isoformat()
    elif isinstance(value, float) and not isfinite(value):
        value = str(value)
    elif isinstance(value, int | float) and value % 1 == 0 and _EXACT < abs(value) < _LONGEST:
        value = str(int(value))
    if not isinstance(value, str):
        return value
    if len(value) > MAX_CELL_CHARACTERS:
        raise BrokenFile(
            "A cell has more than {most} characters.",
            fault=FileFault.TOO_LARGE,
            most=MAX_CELL_CHARACTERS,
            hint=_HINT,
        )
    text = escape_odd(value)
    if not text.startswith("="):
        return text or None
    cell = WriteOnlyCell(sheet, text)
    cell.data_type = "s"
    return cell
