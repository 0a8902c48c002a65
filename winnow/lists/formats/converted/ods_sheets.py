"""The sheets of an OpenDocument spreadsheet (ODF 1.3, part 3), read row by row."""

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import IO
from xml.etree.ElementTree import Element, iterparse
from zipfile import ZipFile

from winnow.core.errors import BrokenFile
from winnow.lists.formats.converted.value_book import OversizedSheet, Sheet, Value
from winnow.lists.new_workbook import MAX_CELL_CHARACTERS, MAX_ROWS
from winnow.lists.unpacked_size import UnpackedSize
from winnow.words import mark

_OFFICE, _TABLE, _STYLE = (
    f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}" for name in ("office", "table", "style")
)
_ERROR_TYPE = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}value-type"
_SHEET, _ROW = f"{_TABLE}table", f"{_TABLE}table-row"
_CELLS = f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"
_LINKED = re.compile(r"'.+'#\$")  # LibreOffice's copy of a sheet in another file: 'file:///…'#$Name
_ERROR = re.compile(r"#[\w/]+[!?]|#N/A|Err:\d{3}")
_SPAN = re.compile(  # XML Schema, 3.2.6
    r"(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?"
)
_DAY = timedelta(days=1)
_TIME_OF_DAY = datetime(2000, 1, 1)  # noqa: DTZ001  # of any day

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_PARAGRAPHS = f"{_TEXT}p", f"{_TEXT}h"
_LEFT_OUT = f"{_TEXT}note", f"{_TEXT}ruby-text"
_BLANKS = re.compile("[ \t\r\n]+")  # ODF 1.3 part 3, 6.1.2
# Signs that XML cannot hold, for white space that is written as elements and does not collapse.
_SPACE, _TAB, _BREAK = "\x01", "\x02", "\x03"
_MEANT = str.maketrans({_SPACE: " ", _TAB: "\t", _BREAK: "\n"})

_TOO_LONG = mark("A cell has more characters than a cell of Excel holds.")

Cells = list[tuple[int, Value]]


def read_sheets(path: Path, size: UnpackedSize) -> Iterator[Sheet]:
    """Yield the sheets, each to be read before the next; ``size`` counts the XML.

    Raises:
        BrokenFile: Protected, no spreadsheet, or larger than ``size`` lets it.
        Exception: Of any kind, where it is damaged.
    """
    with ZipFile(path) as archive:
        _refuse_protected(archive)
        with archive.open("content.xml") as content:
            yield from _Content(_Counted(content, size)).read()


def _refuse_protected(archive: ZipFile) -> None:
    with archive.open("META-INF/manifest.xml") as manifest:
        protected = any("encryption-data" in element.tag for _, element in _parse(manifest))
    if protected:
        raise BrokenFile(
            "The workbook is protected by a password.",
            hint="Open it, remove the password, save it and upload it again.",
        )


def _parse(stream: "IO[bytes] | _Counted") -> Iterator[tuple[str, Element]]:
    """Yield the starts and ends of elements; expat itself limits entities, and fetches none."""
    yield from iterparse(stream, ("start", "end"))  # noqa: S314


class _Counted:
    """A stream whose bytes are counted."""

    def __init__(self, stream: IO[bytes], size: UnpackedSize) -> None:
        self._stream = stream
        self._size = size

    def read(self, count: int = -1) -> bytes:
        data = self._stream.read(count)
        self._size.add(len(data))
        return data


class _Content:
    """The elements of content.xml, of which one row at a time is held."""

    def __init__(self, stream: _Counted) -> None:
        self._events = _parse(stream)
        self._hidden: set[str | None] = set()  # styles of tables

    def read(self) -> Iterator[Sheet]:
        is_spreadsheet = False
        path: list[Element] = []
        for event, element in self._events:
            if event == "end":
                path.pop()
                self._note_style(element)
                if path and element.tag != f"{_STYLE}table-properties":
                    path[-1].remove(element)
                continue
            is_spreadsheet |= element.tag == f"{_OFFICE}spreadsheet"
            if element.tag == _SHEET and path[-1].tag == f"{_OFFICE}spreadsheet":
                yield from self._read_sheet(element)
                path[-1].remove(element)
            else:
                path.append(element)
        if not is_spreadsheet:
            raise BrokenFile(
                "The file is an OpenDocument file, but no spreadsheet.",
                hint="Save the list as CSV, TSV or XLSX and upload that file.",
            )

    def _note_style(self, element: Element) -> None:
        shown = element.find(f"{_STYLE}table-properties")
        if shown is not None and shown.get(f"{_TABLE}display") == "false":
            self._hidden.add(element.get(f"{_STYLE}name"))

    def _read_sheet(self, table: Element) -> Iterator[Sheet]:
        name = table.get(f"{_TABLE}name", "")
        rows = self._read_rows(table)
        if not _LINKED.match(name):
            yield Sheet(name, table.get(f"{_TABLE}style-name") not in self._hidden, rows)
        for _ in rows:  # what is left of it
            pass

    def _read_rows(self, table: Element) -> Iterator[tuple[int, Cells]]:
        number = 1
        path = [table]
        in_row = 0
        for event, element in self._events:
            if event == "start":
                in_row += element.tag == _ROW
                path.append(element)
                continue
            path.pop()
            if element is table:
                return
            in_row -= element.tag == _ROW
            if in_row:
                continue  # a part of a row, which is read once it is whole
            if element.tag == _ROW:
                times = _read_count(element, f"{_TABLE}number-rows-repeated")
                cells = _read_cells(element)
                if cells:
                    yield from ((number + one, cells) for one in range(times))
                number += times
            path[-1].remove(element)


def _read_cells(row: Element) -> Cells:
    """Return the cells with a value, with their columns' numbers from 1."""
    cells: Cells = []
    column = 1
    for element in row:
        if element.tag not in _CELLS:
            continue
        times = _read_count(element, f"{_TABLE}number-columns-repeated")
        value = _read_value(element) if len(element) or len(element.attrib) else ""
        if value != "":
            cells += ((column + one, value) for one in range(times))
        column += times
    return cells


def _read_count(element: Element, name: str) -> int:
    return min(int(element.get(name, "1")), MAX_ROWS + 1)  # what follows does not fit in any case


def _read_value(cell: Element) -> Value:
    kind = cell.get(f"{_OFFICE}value-type", "")
    if cell.get(_ERROR_TYPE) == "error" or kind not in _READERS:
        return _read_string(cell)
    if cell.get(f"{_TABLE}formula") is not None and _ERROR.fullmatch(shown := _read_text(cell)):
        return shown
    name, read = _READERS[kind]
    text = cell.get(f"{_OFFICE}{name}")
    if text is None:
        return _read_string(cell)
    try:
        return read(text)
    except (ValueError, OverflowError):
        return text


def _read_string(cell: Element) -> str:
    return cell.get(f"{_OFFICE}string-value") or _read_text(cell)


def _read_date(text: str) -> Value:
    return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)


def _read_span(text: str) -> Value:
    """Return a time of day, or a duration of a day or more, or of less than none."""
    found = _SPAN.fullmatch(text)
    if found is None:
        return text
    sign, days, hours, minutes, seconds = found.groups(default="0")
    span = timedelta(int(days), float(seconds), hours=int(hours), minutes=int(minutes))
    if sign == "-":
        return -span
    return span if span >= _DAY else (_TIME_OF_DAY + span).time()


def _read_text(cell: Element) -> str:
    """Return the paragraphs that are the cell's own, one a line; not those of its comment.

    Raises:
        OversizedSheet: It has more blanks than a cell of Excel holds characters.
    """
    return "\n".join(_read_paragraph(one) for one in cell if one.tag in _PARAGRAPHS)


def _read_paragraph(paragraph: Element) -> str:
    text = "".join(_list_pieces(paragraph)) if len(paragraph) else paragraph.text or ""
    return _BLANKS.sub(" ", text).strip(" ").translate(_MEANT)


def _list_pieces(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        name = child.tag.removeprefix(_TEXT)
        if name == "s":
            count = int(child.get(f"{_TEXT}c", "1"))
            if count > MAX_CELL_CHARACTERS:
                raise OversizedSheet(_TOO_LONG)
            yield _SPACE * count
        elif name in ("tab", "line-break"):
            yield _TAB if name == "tab" else _BREAK
        elif child.tag not in _LEFT_OUT and not child.tag.endswith("}annotation"):
            yield from _list_pieces(child)
        yield child.tail or ""


_READERS: dict[str, tuple[str, Callable[[str], Value]]] = {
    "float": ("value", float),
    "percentage": ("value", float),
    "currency": ("value", float),
    "boolean": ("boolean-value", lambda text: text == "true"),
    "date": ("date-value", _read_date),
    "time": ("time-value", _read_span),
}
