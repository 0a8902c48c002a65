"""Streaming writer for a workbook of values: only dates and times have a style."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from itertools import count
from math import isfinite
from pathlib import Path

from winnow.lists.new_workbook import (
    MAX_CELL_CHARACTERS,
    MAX_COLUMNS,
    MAX_ROWS,
    NewSheet,
    Style,
    column_letters,
    escape_text,
    write_new_workbook,
)
from winnow.lists.unpacked_size import UnpackedSize
from winnow.words import mark

_NAME_CHARACTERS = 31  # Excel's own limit, and the characters that it forbids
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")

Value = str | int | float | bool | date | datetime | time | timedelta

_DAY = timedelta(days=1)
_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001  # ISO/IEC 29500-1, 18.17.4.1; cells have no zone
_FIRST_YEAR = 1901  # before March 1900 the date systems disagree: such a date is a text
_EXACT = 1 << 53  # up to here a float says which integer it is

_TOO_LARGE = mark("A sheet has more rows or columns than a sheet of Excel holds.")


class OversizedSheet(Exception):
    """A workbook holds more than one of Excel can."""


class ProtectedBook(Exception):
    """A workbook can be read with its password only."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet's name, and its rows and cells with a value: each with its number, from 1."""

    name: str
    is_visible: bool
    rows: Iterable[tuple[int, Iterable[tuple[int, Value]]]]


def write_value_book(sheets: Iterable[Sheet], out_path: Path, size: UnpackedSize) -> None:
    """Write sheets in their order; ``size`` counts their bytes.

    Raises:
        OversizedSheet: A text, a row's number or a column's is more than a sheet takes.
        BrokenFile: They take more than ``size`` lets them.
    """
    names: set[str] = set()
    new = (
        NewSheet(_name_sheet(sheet.name, names), _word_sheet(sheet, size), sheet.is_visible)
        for sheet in sheets
    )
    write_new_workbook(out_path, new)


def _name_sheet(name: str, taken: set[str]) -> str:
    """Return a name that Excel takes for a sheet, and note it among those taken."""
    own = _NOT_IN_NAMES.sub("_", name)[:_NAME_CHARACTERS].strip("'") or "Sheet"
    found = own
    for number in count(2):
        if found.lower() not in taken:
            break
        end = f" ({number})"
        found = own[: _NAME_CHARACTERS - len(end)] + end
    taken.add(found.lower())
    return found


def _word_sheet(sheet: Sheet, size: UnpackedSize) -> Iterator[bytes]:
    yield b"<sheetData>"
    for number, row in sheet.rows:
        cells = "".join(
            _word_cell(f"{_letters(column)}{number}", value) for column, value in row if value != ""
        )
        if cells and number > MAX_ROWS:
            raise OversizedSheet(_TOO_LARGE)
        if cells:
            text = f'<row r="{number}">{cells}</row>'.encode()
            size.add(len(text))
            yield text
    yield b"</sheetData>"


@cache
def _letters(column: int) -> str:
    """Return a column's letters by its number from 1: ``"AA"`` for 27."""
    if column > MAX_COLUMNS:
        raise OversizedSheet(_TOO_LARGE)
    return column_letters(column - 1).decode()


def _word_cell(place: str, value: Value) -> str:
    match value:
        case bool():
            return f'<c r="{place}" t="b"><v>{value:d}</v></c>'
        case float() if value.is_integer() and abs(value) < _EXACT:
            return f'<c r="{place}"><v>{int(value)}</v></c>'
        case int() | float() if isfinite(value):
            return f'<c r="{place}"><v>{value!r}</v></c>'
        case time():
            passed = datetime.combine(_EPOCH, value) - _EPOCH
            return f'<c r="{place}" s="{Style.TIME:d}"><v>{passed / _DAY!r}</v></c>'
        case timedelta():
            return f'<c r="{place}" s="{Style.DURATION:d}"><v>{value / _DAY!r}</v></c>'
        case datetime() if value.year >= _FIRST_YEAR:
            return f'<c r="{place}" s="{Style.DATE_TIME:d}"><v>{(value - _EPOCH) / _DAY!r}</v></c>'
        case date() if value.year >= _FIRST_YEAR:
            return f'<c r="{place}" s="{Style.DATE:d}"><v>{(value - _EPOCH.date()).days}</v></c>'
    text = value.isoformat() if isinstance(value, date) else str(value)
    if len(text) > MAX_CELL_CHARACTERS:
        raise OversizedSheet(
            mark(
                "The cell {place} has more than {most} characters.",
                place=place,
                most=MAX_CELL_CHARACTERS,
            )
        )
    return (
        f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape_text(text)}</t></is></c>'
    )
