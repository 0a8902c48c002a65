"""Writer for new workbooks (Office Open XML), and what a sheet of Excel holds."""

import html
import re
import zipfile
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import IO

MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384  # ISO/IEC 29500-1, 18.3.1.73 and 18.3.1.13
MAX_CELL_CHARACTERS = 32_767  # ISO/IEC 29500-1, 18.3.1.40 as spreadsheet programs keep it
DECLARATION = b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the zip format's first day: equal input, equal bytes
_DEFLATE_LEVEL = 1  # texts repeat themselves; higher levels double the time for a tenth
# What XML cannot say; CR, which it would change; what looks like the escape of a character
# (ST_Xstring, ISO/IEC 29500-1, 22.9.2.19).
_ODD = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]|_(?=x[0-9A-Fa-f]{4}_)")
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"


class Style(IntEnum):
    """Number of a cell's style in every new workbook."""

    GENERAL = 0
    TEXT = 1  # keeps what is typed into the cell as text
    HEADER = 2  # the same in bold


_FORMATS_AND_FONTS = ((0, 0), (49, 0), (49, 1))
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}">'
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    f'<cellXfs count="{len(Style)}">'
    + "".join(
        f'<xf numFmtId="{number_format}" fontId="{font}" fillId="0" borderId="0" xfId="0" '
        'applyNumberFormat="1" applyFont="1"/>'
        for number_format, font in _FORMATS_AND_FONTS
    )
    + '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/>'
    "</cellStyles></styleSheet>"
)


def write_new_workbook(file: IO[bytes], name: str, content: Iterable[bytes]) -> None:
    """Write a workbook of one sheet; ``content`` is the XML in its ``worksheet`` element."""
    with zipfile.ZipFile(file, "w") as archive:
        _write_part(archive, "xl/worksheets/sheet1.xml", _wrap(content))
        for part, text in _word_parts(name).items():
            _write_part(archive, part, [DECLARATION + text.encode()])


def column_letters(index: int) -> bytes:
    """Return the letters of a column counted from 0."""
    letters = b""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = bytes((65 + rest,)) + letters
    return letters


def escape_text(text: str) -> str:
    """Return any text as XML of a cell, or of an attribute in double quotes."""
    return html.escape(escape_odd(text))


def escape_odd(text: str) -> str:
    """Return a text in which what XML cannot say is spelt as Excel does (``_x0001_``)."""
    return _ODD.sub(lambda match: f"_x{ord(match[0]):04X}_", text)


def _wrap(content: Iterable[bytes]) -> Iterator[bytes]:
    yield DECLARATION + f'<worksheet xmlns="{_MAIN}">'.encode()
    yield from content
    yield b"</worksheet>"


def _write_part(archive: zipfile.ZipFile, name: str, content: Iterable[bytes]) -> None:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info._compresslevel = _DEFLATE_LEVEL  # type: ignore[attr-defined]  # public from 3.13 on
    with archive.open(info, "w", force_zip64=True) as part:
        for chunk in content:
            part.write(chunk)


def _word_parts(name: str) -> dict[str, str]:
    relations = f'<Relationships xmlns="{_PACKAGE}/relationships">%s</Relationships>'
    return {
        "xl/styles.xml": _STYLES,
        "xl/_rels/workbook.xml.rels": relations
        % (
            _link("rId1", "worksheet", "worksheets/sheet1.xml")
            + _link("rId2", "styles", "styles.xml")
        ),
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        f'<sheet name="{escape_text(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "_rels/.rels": relations % _link("rId1", "officeDocument", "xl/workbook.xml"),
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/></Types>',
    }


def _link(identifier: str, kind: str, target: str) -> str:
    return f'<Relationship Id="{identifier}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
