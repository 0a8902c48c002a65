"""Conversion of records between dialects: split into cells, written in another form."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.unicode_forms import FORMULA_SIGNS
from winnow.lists.result.row_index import ROWS_PER_RUN, RowIndex
from winnow.lists.result.row_text import RowText, expand_runs
from winnow.lists.text.arrow_cells import (
    BYTES,
    NOTHING,
    gather_bytes,
    quote,
    slice_cells,
    unquote_cells,
)
from winnow.lists.text.escapes import read_plainly
from winnow.lists.text.records import Positions, RecordFault, find_quotes, scan_records
from winnow.lists.text.splitter import split_records

_BEGINS_LIKE_A_FORMULA = rf"\A[{FORMULA_SIGNS}]"

WHITE_SPACE = "".join(sign for sign in map(chr, range(0x3001)) if sign.isspace())
"""What ``str.strip`` removes."""


@dataclass(frozen=True, slots=True)
class CellGrid:
    """Cells row by row, ``width`` a row, as UTF-8 without quotes."""

    cells: pa.Array
    width: int

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(self.cells) // self.width if self.width else 0

    def list_rows(self) -> list[tuple[str, ...]]:
        """Return the cells as texts, row by row."""
        cells = self.cells.cast(pa.large_string()).to_pylist()
        return [tuple(cells[at : at + self.width]) for at in range(0, len(cells), self.width or 1)]

    def take_column(self, place: int) -> pa.Array:
        """Return the cells of one column, from 0."""
        return self.cells.take(pa.array(np.arange(place, len(self.cells), self.width)))


def read_grid(rows: bytes, form: RowText) -> CellGrid:
    """Take records apart; blank lines are left out, and so are those that are no rows.

    Args:
        rows: Whole records of one width, without a BOM; the last may lack its line end.
        form: How they are written. Their encoding contains ASCII; bytes that are no
            text become U+FFFD.

    Raises:
        BrokenFile: Records of several widths, which no result has.
    """
    rows = _read_plain(rows, form)
    if rows and not rows.endswith((b"\n", b"\r")):
        rows += b"\n"
    data = np.frombuffer(rows, np.uint8)
    if not len(data):
        return CellGrid(pa.array([], BYTES), 0)
    starts, ends, width = _bound_cells(data, form)
    return CellGrid(unquote_cells(data, starts, ends), width)


def read_own_cells(body: bytes, form: RowText) -> tuple[str, ...]:
    """Return the list's own cells of one row; blank lines may be before it."""
    text = _read_plain(body, form).decode()
    cells: tuple[str, ...] = ()
    for record in split_records(text, form.delimiter, is_whole=True):
        if not record.is_blank:
            cells = record.cells
    return cells[: -form.added_count] if form.has_verdicts else cells


def read_own_grid(rows: bytes, bounds: Positions, form: RowText, width: int) -> CellGrid:
    """Return at least so many cells of each row as texts, the list's own first.

    Args:
        rows: Stored rows that follow one another, blank lines before them included.
        bounds: Where in them each row starts, and where the last one ends.
        form: How they are written.
        width: The number of the list's own cells.
    """
    try:
        grid = read_grid(rows, form)
        if grid.row_count == len(bounds) - 1 and grid.width >= width:
            return CellGrid(grid.cells.cast(pa.large_string()), grid.width)
    except BrokenFile:  # rows of several widths, as a sheet has them
        pass
    edges = pairwise(bounds.tolist())
    texts = [read_own_cells(rows[first:last], form) for first, last in edges]
    padded = ([*row, *[""] * (width - len(row))][:width] for row in texts)
    flat = [cell.encode("utf-8", "replace").decode() for row in padded for cell in row]
    return CellGrid(pa.array(flat, pa.large_string()), width)


def read_emails(
    index: RowIndex, plan: InputPlan, rows: NDArray[np.int64], column: int | None = None
) -> list[str]:
    """Return the email cells of rows, which rise and count from 0, by the list's own plan.

    With ``column`` the cells of that instead.
    """
    plan, found = index.text.extend_plan(plan), list[str]()
    place = plan.email_column if column is None else column
    blocks = np.flatnonzero(np.diff(rows // ROWS_PER_RUN)) + 1
    for some in np.split(rows, blocks) if len(rows) else ():
        first = int(some[0])
        data, bounds = index.read_rows(first, int(some[-1]) - first + 1)
        starts, stops = bounds[some - first], bounds[some - first + 1]
        lines = slice_cells(data, starts, stops)
        ends = np.concatenate(([0], np.cumsum(stops - starts)))
        grid = read_own_grid(gather_bytes(lines), ends, index.text, len(plan.columns))
        found += grid.take_column(place).to_pylist()
    return found


def write_records(grid: CellGrid, delimiter: str) -> bytes:
    """Return the rows as records with CRLF line ends, quoted where they must be (RFC 4180)."""
    return gather_bytes(word_records(grid, delimiter)) if grid.row_count else b""


def word_records(grid: CellGrid, delimiter: str) -> pa.Array:
    """Return the records that ``write_records`` writes, one by one; there is a row."""
    cells = quote(grid.cells, f'{delimiter}"\r\n'.encode())
    lines = join_rows(cells, grid.width, delimiter.encode())
    return pc.binary_join_element_wise(lines, pa.scalar(b"\r\n", BYTES), NOTHING)


def guard_cells(grid: CellGrid) -> CellGrid:
    """Put an apostrophe before every cell that a spreadsheet would take for a formula."""
    is_risky = pc.match_substring_regex(grid.cells, _BEGINS_LIKE_A_FORMULA)
    if not len(grid.cells) or not pc.any(is_risky).as_py():
        return grid
    guarded = pc.binary_join_element_wise(pa.scalar(b"'", BYTES), grid.cells, NOTHING)
    return CellGrid(pc.if_else(is_risky, guarded, grid.cells), grid.width)


def write_guarded(rows: Iterable[Sequence[str]], width: int) -> bytes:
    """Return rows as CSV in UTF-8 of which a spreadsheet takes no cell for a formula."""
    cells = pa.array([cell for row in rows for cell in row], BYTES)
    return write_records(guard_cells(CellGrid(cells, width)), ",")


def join_rows(cells: pa.Array, width: int, between: bytes) -> pa.Array:
    """Return one text a row: its cells with something between them."""
    grid = CellGrid(cells, width)
    columns = [grid.take_column(place) for place in range(width)]
    if width == 1:
        return columns[0]
    return pc.binary_join_element_wise(*columns, pa.scalar(between, BYTES))


def _read_plain(rows: bytes, form: RowText) -> bytes:
    """Return stored rows as plain CSV in UTF-8."""
    if form.has_runs:
        rows = expand_runs(rows, form.delimiter.encode())
    text = rows.decode(form.encoding, "replace")
    if form.encoding not in ("utf-8", "ascii") or "\N{REPLACEMENT CHARACTER}" in text:
        rows = text.encode("utf-8", "replace")
    return read_plainly(rows, form.delimiter) if form.escape else rows


def _bound_cells(data: NDArray[np.uint8], form: RowText) -> tuple[Positions, Positions, int]:
    """Return where each cell starts and ends, with its quotes, and how many a record has."""
    delimiter = ord(form.delimiter)
    quotes, _ = find_quotes(data, delimiter)
    uneven = BrokenFile("The result's rows do not all have the same number of cells.")
    try:
        records = scan_records(data, delimiter, quotes, 0)
    except RecordFault as fault:
        raise uneven from fault
    if records is None:  # only where quotes are not given
        raise uneven
    widths, (starts, ends) = records.widths, records.list_cells()
    # A line that is no row has no more cells than the list; a row has its verdict as well.
    is_row = ~records.is_blank
    is_row &= widths > int(widths[is_row].max(initial=0)) - form.added_count
    width = int(widths[is_row].max(initial=0))
    if not bool((widths[is_row] == width).all()):
        raise uneven
    is_wanted = np.repeat(is_row, widths)
    return starts[is_wanted], ends[is_wanted], width
