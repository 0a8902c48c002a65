"""Streaming writer for a new workbook with one sheet of texts: any list as Excel."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from winnow.core.errors import DoesNotFit
from winnow.lists.execution.run_files import create_durably
from winnow.lists.new_workbook import (
    MAX_CELL_CHARACTERS,
    MAX_COLUMNS,
    MAX_ROWS,
    Style,
    column_letters,
    escape_text,
    write_new_workbook,
)
from winnow.lists.result.cell_grid import CellGrid, join_rows
from winnow.lists.text.arrow_cells import gather_bytes

_CELLS_AT_ONCE = 1 << 16
_WIDTH_LEAST, _WIDTH_MOST = 9, 60
# What ``escape_text`` changes apart from the usual marks, in UTF-8.
_ODD = "[\\x00-\\x08\\x0b-\\x1f]|_x[0-9A-Fa-f]{4}_|\\xef\\xbf[\\xbe\\xbf]"


def write_plain_book(grids: Iterable[CellGrid], out_path: Path) -> None:
    """Write a workbook in which every cell is a text, unchanged from the list.

    Nothing in it is a formula, and leading zeros stay. Memory is bounded by the largest grid.

    Args:
        grids: The header first (no cells: none), then the rows; all of one width.
        out_path: Written whole and synced; after an error it holds rubbish.

    Raises:
        DoesNotFit: More rows or columns, or a longer text, than a sheet can hold.
    """
    with create_durably(out_path) as file:
        write_new_workbook(file, "List", _word_sheet(iter(grids)))


def _word_sheet(grids: Iterator[CellGrid]) -> Iterator[bytes]:
    header = next(grids)
    first = next(grids, CellGrid(pa.array([], pa.large_binary()), 0))
    if header.row_count:
        yield (
            b'<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" '
            b'activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
        )
    yield _word_widths(header, first) + b"<sheetData>"
    number = 0
    rows = ((grid, Style.TEXT) for grid in chain([first], grids))
    for grid, style in chain([(header, Style.HEADER)], rows):
        for part in _cut(grid):
            yield _word_rows(part, number, style)
            number += part.row_count
    yield b"</sheetData>"


def _cut(grid: CellGrid) -> Iterator[CellGrid]:
    """Yield a grid in stretches of rows: each cell's markup is many times its text."""
    rows = max(1, _CELLS_AT_ONCE // max(1, grid.width))
    for start in range(0, grid.row_count, rows):
        cells = grid.cells.slice(start * grid.width, rows * grid.width)
        yield CellGrid(cells, grid.width)


def _word_rows(grid: CellGrid, done: int, style: Style) -> bytes:
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
    nothing = pa.scalar(b"", pa.large_binary())
    numbers = np.arange(done + 1, done + grid.row_count + 1)
    digits = pa.array(numbers).cast(pa.string()).cast(pa.large_binary())
    letters = pa.array([column_letters(place) for place in range(grid.width)], pa.large_binary())
    columns = np.tile(np.arange(grid.width), grid.row_count)
    rows = np.repeat(np.arange(grid.row_count), grid.width)
    cells = pc.binary_join_element_wise(
        pa.scalar(b'<c r="', pa.large_binary()),
        letters.take(pa.array(columns)),
        digits.take(pa.array(rows)),
        pa.scalar(
            b'" s="%d" t="inlineStr"><is><t xml:space="preserve">' % style, pa.large_binary()
        ),
        _escape_all(grid.cells),
        pa.scalar(b"</t></is></c>", pa.large_binary()),
        nothing,
    )
    is_empty = pc.equal(pc.binary_length(grid.cells), 0)
    lines = join_rows(pc.if_else(is_empty, nothing, cells), grid.width, b"")
    return gather_bytes(
        pc.binary_join_element_wise(
            pa.scalar(b'<row r="', pa.large_binary()),
            digits,
            pa.scalar(b'">', pa.large_binary()),
            lines,
            pa.scalar(b"</row>", pa.large_binary()),
            nothing,
        )
    )


def _escape_all(cells: pa.Array) -> pa.Array:
    """Escape every cell for XML."""
    _require_fitting(cells)
    is_odd = pc.match_substring_regex(cells, _ODD).to_numpy(zero_copy_only=False)
    escaped = cells
    for sign, name in ((b"&", b"&amp;"), (b"<", b"&lt;"), (b">", b"&gt;")):
        if pc.any(pc.match_substring(escaped, sign)).as_py():
            escaped = pc.replace_substring(escaped, pattern=sign, replacement=name)
    odd = np.flatnonzero(is_odd)
    if not len(odd):
        return escaped
    words = [
        escape_text(cell.decode("utf-8", "replace")).encode()
        for cell in cells.take(pa.array(odd)).to_pylist()
    ]
    chosen = np.arange(len(cells))
    chosen[odd] = len(cells) + np.arange(len(odd))
    return pa.concat_arrays([escaped, pa.array(words, pa.large_binary())]).take(pa.array(chosen))


def _require_fitting(cells: pa.Array) -> None:
    sizes = pc.binary_length(cells)
    if (pc.max(sizes).as_py() or 0) <= MAX_CELL_CHARACTERS:
        return
    long = cells.filter(pc.greater(sizes, MAX_CELL_CHARACTERS)).to_pylist()
    if any(len(cell.decode("utf-8", "replace")) > MAX_CELL_CHARACTERS for cell in long):
        raise DoesNotFit(
            "An Excel cell holds {most} characters; this list has a longer one.",
            most=MAX_CELL_CHARACTERS,
            hint="Choose CSV.",
        )


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
                texts = grid.cells.take(pa.array(np.arange(place, len(grid.cells), grid.width)))
                widest = max(widest, pc.max(pc.binary_length(texts)).as_py() or 0)
        column = b"%d" % (place + 1)
        words.append(
            b'<col min="%s" max="%s" width="%d" style="%d" customWidth="1"/>'
            % (column, column, min(widest + 2, _WIDTH_MOST), Style.TEXT)
        )
    return b"".join((*words, b"</cols>"))
