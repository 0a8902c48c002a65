"""Streaming writer for a workbook of values: only dates and times have a style."""

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from itertools import count
from math import isfinite
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from winnow.lists.unpacked_size import UnpackedSize
from winnow.words import mark

MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384  # ISO/IEC 29500-1, 18.3.1.73 and 18.3.1.13
MAX_CELL_CHARACTERS = 32_767  # ISO/IEC 29500-1, 18.3.1.40 as spreadsheet programs keep it
_NAME_CHARACTERS = 31  # Excel's own limit, and the characters that it forbids
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")

Value = str | int | float | bool | date | datetime | time | timedelta

_DAY = timedelta(days=1)
_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001  # ISO/IEC 29500-1, 18.17.4.1; cells have no zone
_FIRST_YEAR = 1901  # before March 1900 the date systems disagree: such a date is a text
_EXACT = 1 << 53  # up to here a float says which integer it is
_DEFLATE_LEVEL = 1  # a temporary file
# What XML cannot say, and what looks like its escape (ST_Xstring, ISO/IEC 29500-1, 22.9.2.19).
_ODD = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]|_(?=x[0-9A-Fa-f]{4}_)")
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_FORMATS = (
    "General",
    "yyyy-mm-dd",
    "yyyy-mm-dd hh:mm:ss",
    "hh:mm:ss",
    "[hh]:mm:ss",
)  # by style number
_DATE, _MOMENT, _TIME, _SPAN = 1, 2, 3, 4
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><numFmts count="5">'
    + "".join(
        f'<numFmt numFmtId="{164 + number}" formatCode="{code}"/>'
        for number, code in enumerate(_FORMATS)
    )
    + '</numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="5"><xf/>'
    + "".join(
        f'<xf numFmtId="{164 + number}" applyNumberFormat="1"/>'
        for number in (_DATE, _MOMENT, _TIME, _SPAN)
    )
    + '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/>'
    "</cellStyles></styleSheet>"
)

_TOO_LARGE = mark("A sheet has more rows or columns than a sheet of Excel holds.")


class OversizedSheet(Exception):
    """A workbook holds more than one of Excel can."""


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
    entries, kinds, links = [], [], []
    names: set[str] = set()
    with zipfile.ZipFile(
        out_path, "w", zipfile.ZIP_DEFLATED, compresslevel=_DEFLATE_LEVEL
    ) as archive:
        for number, sheet in enumerate(sheets, 1):
            part = f"worksheets/sheet{number}.xml"
            with archive.open(f"xl/{part}", "w", force_zip64=True) as file:
                file.write(f'<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
                for row in _word_rows(sheet):
                    size.add(file.write(row.encode()))
                file.write(b"</sheetData></worksheet>")
            state = "" if sheet.is_visible else ' state="hidden"'
            name = quoteattr(_escape(_name_sheet(sheet.name, names)))
            entries.append(f'<sheet name={name} sheetId="{number}" r:id="rId{number}"{state}/>')
            kinds.append(f'<Override PartName="/xl/{part}" ContentType="{_TYPE}.worksheet+xml"/>')
            links.append(_link(number, f"{_OFFICE}/worksheet", part))
        links.append(_link(len(links) + 1, f"{_OFFICE}/styles", "styles.xml"))
        for name, text in _word_parts(entries, kinds, links):
            archive.writestr(name, text)


def _word_parts(
    entries: Sequence[str], kinds: Sequence[str], links: Sequence[str]
) -> Iterator[tuple[str, str]]:
    relations = f'<Relationships xmlns="{_PACKAGE}/relationships">%s</Relationships>'
    yield "xl/styles.xml", _STYLES
    yield "xl/_rels/workbook.xml.rels", relations % "".join(links)
    yield (
        "xl/workbook.xml",
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{"".join(entries)}</sheets>'
        "</workbook>",
    )
    yield "_rels/.rels", relations % _link(1, f"{_OFFICE}/officeDocument", "xl/workbook.xml")
    yield (
        "[Content_Types].xml",
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>'
        f"{''.join(kinds)}</Types>",
    )


def _link(number: int, kind: str, target: str) -> str:
    return f'<Relationship Id="rId{number}" Type="{kind}" Target="{target}"/>'


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


def _word_rows(sheet: Sheet) -> Iterator[str]:
    for number, row in sheet.rows:
        cells = "".join(
            _word_cell(f"{_letters(column)}{number}", value) for column, value in row if value != ""
        )
        if cells and number > MAX_ROWS:
            raise OversizedSheet(_TOO_LARGE)
        if cells:
            yield f'<row r="{number}">{cells}</row>'


@cache
def _letters(column: int) -> str:
    """Return a column's letters by its number from 1: ``"AA"`` for 27."""
    if column > MAX_COLUMNS:
        raise OversizedSheet(_TOO_LARGE)
    before, last = divmod(column - 1, 26)
    return (_letters(before) if before else "") + chr(ord("A") + last)


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
            return f'<c r="{place}" s="{_TIME}"><v>{passed / _DAY!r}</v></c>'
        case timedelta():
            return f'<c r="{place}" s="{_SPAN}"><v>{value / _DAY!r}</v></c>'
        case datetime() if value.year >= _FIRST_YEAR:
            return f'<c r="{place}" s="{_MOMENT}"><v>{(value - _EPOCH) / _DAY!r}</v></c>'
        case date() if value.year >= _FIRST_YEAR:
            return f'<c r="{place}" s="{_DATE}"><v>{(value - _EPOCH.date()).days}</v></c>'
    text = value.isoformat() if isinstance(value, date) else str(value)
    if len(text) > MAX_CELL_CHARACTERS:
        raise OversizedSheet(
            mark(f"The cell {place} has more than {MAX_CELL_CHARACTERS:,} characters.")
        )
    return (
        f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(_escape(text))}</t>'
        "</is></c>"
    )


def _escape(text: str) -> str:
    return _ODD.sub(lambda match: f"_x{ord(match[0]):04X}_", text)
