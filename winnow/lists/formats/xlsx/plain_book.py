"""Streaming writer for a new workbook with one sheet of texts: any list as Excel."""

import zipfile
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from winnow.core.errors import DoesNotFit
from winnow.lists.execution.run_files import create_durably
from winnow.lists.formats.xlsx.xml import DECLARATION
from winnow.lists.result.cell_grid import CellGrid, join_rows
from winnow.lists.sheet_limits import (
    MAX_CELL_CHARACTERS,
    MAX_COLUMNS,
    MAX_ROWS,
    column_letters,
    escape_text,
)
from winnow.lists.text.arrow_cells import BYTES, NOTHING, gather_bytes, put_cells

_CELLS_AT_ONCE = 1 << 16
_WIDTH_LEAST, _WIDTH_MOST = 9, 60
# What ``escape_text`` changes apart from the usual marks, in UTF-8.
_ODD = "[\\x00-\\x08\\x0b-\\x1f]|_x[0-9A-Fa-f]{4}_|\\xef\\xbf[\\xbe\\xbf]"
_DEFLATE_LEVEL = 1  # texts repeat themselves; higher levels double the time for a tenth
_TEXT, _HEADER = 1, 2  # styles of cells: keeps what is typed as text; the same in bold
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}">'
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="3">'
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" '
    'applyFont="1"/>'
    '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/>'
    "</cellStyles></styleSheet>"
)
_RELATIONS = f'<Relationships xmlns="{_PACKAGE}/relationships">'
_PARTS = {
    "xl/styles.xml": _STYLES,
    "xl/_rels/workbook.xml.rels": f'{_RELATIONS}<Relationship Id="rId1" '
    f'Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" '
    f'Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="List" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "_rels/.rels": f'{_RELATIONS}<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>',
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/></Types>',
}


def write_plain_book(grids: Iterable[CellGrid], out_path: Path) -> None:
    """Write a workbook in which every cell is a text, unchanged from the list.

    Nothing in it is a formula, and leading zeros stay. Memory is bounded by the largest grid.

    Args:
        grids: The header first (no cells: none), then the rows; all of one width.
        out_path: Written whole and synced; after an error it holds rubbish.

    Raises:
        DoesNotFit: More rows or columns, or a longer text, than a sheet can hold.
    """
    with (
        create_durably(out_path) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_DEFLATE_LEVEL) as archive,
    ):
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part:
            part.writelines(_word_sheet(iter(grids)))
        for name, text in _PARTS.items():
            with archive.open(name, "w") as part:
                part.write(DECLARATION + text.encode())


def _word_sheet(grids: Iterator[CellGrid]) -> Iterator[bytes]:
    yield DECLARATION + f'<worksheet xmlns="{_MAIN}">'.encode()
    header = next(grids)
    first = next(grids, CellGrid(pa.array([], BYTES), 0))
    if header.row_count:
        yield (
            b'<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" '
            b'activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
        )
    yield _word_widths(header, first) + b"<sheetData>"
    number = 0
    rows = ((grid, _TEXT) for grid in chain([first], grids))
    for grid, style in chain([(header, _HEADER)], rows):
        for part in _cut(grid):
            yield _word_rows(part, number, style)
            number += part.row_count
    yield b"</sheetData></worksheet>"


def _cut(grid: CellGrid) -> Iterator[CellGrid]:
    """Yield a grid in stretches of rows: each cell's markup is many times its text."""
    rows = max(1, _CELLS_AT_ONCE // max(1, grid.width))
    for start in range(0, grid.row_count, rows):
        cells = grid.cells.slice(start * grid.width, rows * grid.width)
        yield CellGrid(cells, grid.width)


def _word_rows(grid: CellGrid, done: int, style: int) -> bytes:
    """Return rows as XML; ``done`` rows are before them."""
    if done + grid.row_count > MAX_ROWS:
        raise DoesNotFit(
            "An Excel sheet holds {most} rows; this list has more.",
            most=MAX_ROWS,
            hint="Choose CSV.",
        )
    if grid.width > MAX_COLUMNS:
        raise DoesNotFit(
            "An Excel sheet holds {most} columns; this list has more.",
            most=MAX_COLUMNS,
            hint="Choose CSV.",
        )
    numbers = np.arange(done + 1, done + grid.row_count + 1)
    digits = pa.array(numbers).cast(pa.string()).cast(BYTES)
    letters = pa.array([column_letters(place) for place in range(grid.width)], BYTES)
    columns = np.tile(np.arange(grid.width), grid.row_count)
    rows = np.repeat(np.arange(grid.row_count), grid.width)
    cells = _join(
        b'<c r="',
        letters.take(pa.array(columns)),
        digits.take(pa.array(rows)),
        b'" s="%d" t="inlineStr"><is><t xml:space="preserve">' % style,
        _escape_all(grid.cells),
        b"</t></is></c>",
    )
    is_empty = pc.equal(pc.binary_length(grid.cells), 0)
    lines = join_rows(pc.if_else(is_empty, NOTHING, cells), grid.width, b"")
    return gather_bytes(_join(b'<row r="', digits, b'">', lines, b"</row>"))


def _join(*pieces: bytes | pa.Array) -> pa.Array:
    """Join texts element by element; bytes are the same in each."""
    texts = [pa.scalar(one, BYTES) if isinstance(one, bytes) else one for one in pieces]
    return pc.binary_join_element_wise(*texts, NOTHING)


def _escape_all(cells: pa.Array) -> pa.Array:
    """Escape every cell for XML."""
    sizes = pc.binary_length(cells)
    if (pc.max(sizes).as_py() or 0) > MAX_CELL_CHARACTERS:  # or bytes of fewer characters
        long = cells.filter(pc.greater(sizes, MAX_CELL_CHARACTERS)).to_pylist()
        if any(len(cell.decode("utf-8", "replace")) > MAX_CELL_CHARACTERS for cell in long):
            raise DoesNotFit(
                "An Excel cell holds {most} characters; this list has a longer one.",
                most=MAX_CELL_CHARACTERS,
                hint="Choose CSV.",
            )
    is_odd = pc.match_substring_regex(cells, _ODD).to_numpy(zero_copy_only=False)
    escaped = cells
    for sign, name in ((b"&", b"&amp;"), (b"<", b"&lt;"), (b">", b"&gt;")):
        if pc.any(pc.match_substring(escaped, sign)).as_py():
            escaped = pc.replace_substring(escaped, pattern=sign, replacement=name)
    odd = np.flatnonzero(is_odd)
    texts = (cell.decode("utf-8", "replace") for cell in cells.take(pa.array(odd)).to_pylist())
    return put_cells(escaped, odd, [escape_text(text).encode() for text in texts])


def _word_widths(header: CellGrid, first: CellGrid) -> bytes:
    """Return the columns' widths, wide enough for the first rows."""
    width = max(header.width, first.width)
    if not width:
        return b""
    words = [b"<cols>"]
    for place in range(min(width, MAX_COLUMNS)):
        widest = _WIDTH_LEAST
        for grid in (header, first):
            if grid.width:
                sizes = pc.binary_length(grid.take_column(place))
                widest = max(widest, pc.max(sizes).as_py() or 0)
        words.append(
            b'<col min="%d" max="%d" width="%d" style="%d" customWidth="1"/>'
            % (place + 1, place + 1, min(widest + 2, _WIDTH_MOST), _TEXT)
        )
    return b"".join((*words, b"</cols>"))
