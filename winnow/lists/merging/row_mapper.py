"""Mapping of a file's rows to the merged list: cells in other columns, the file's name last."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.lists.result.cell_grid import gather_bytes
from winnow.lists.text.arrow_cells import put_cells, quote, read_buffers, slice_cells
from winnow.lists.text.cell_text import decode_cell
from winnow.lists.text.records import QUOTE, Positions
from winnow.lists.text.row_block import RowBlock

LINE_END = b"\r\n"  # RFC 4180, 2
_BYTES = pa.large_binary()
_NOTHING = pa.scalar(b"", _BYTES)
_HASH = ord("#")


@dataclass(frozen=True, slots=True)
class MappedRows:
    """Records in UTF-8; ``odd_count`` of the rows had other cells than the header."""

    data: bytes
    row_count: int
    odd_count: int


class RowMapper:
    """Puts the cells of one file's rows where the merged list has them.

    Cells keep their bytes with their quotes, unless another delimiter asks for quotes, or a quote
    is where none belongs. Cells beyond the header come after the file's name.
    """

    def __init__(self, places: Sequence[int | None], label: str, delimiter: str) -> None:
        """Prepare.

        Args:
            places: Which of the file's cells is in each but the last column; None: none.
            label: What the last column says.
            delimiter: Of the merged list.
        """
        self._places = tuple(places)
        self._delimiter = delimiter.encode()
        self._label = quote_text(label, delimiter)

    def map(self, block: RowBlock) -> MappedRows:
        """Return a block's rows as the merged list has them."""
        widths = block.records.widths[block.rows]
        if not len(widths):
            return MappedRows(b"", 0, 0)
        rest = self._take_rest(block, widths)
        is_odd = widths < block.width
        if rest is not None:
            is_odd |= pc.not_equal(rest, _NOTHING).to_numpy(zero_copy_only=False)
        pieces = list(self._list_pieces(block, rest))
        lines = pc.binary_join_element_wise(*pieces, _NOTHING)
        return MappedRows(gather_bytes(lines), len(widths), int(np.count_nonzero(is_odd)))

    def _list_pieces(
        self, block: RowBlock, rest: pa.Array | None
    ) -> Iterator[pa.Array | pa.Scalar]:
        """Yield the pieces of each line in order, constants as one value."""
        between = b""
        for place in self._places:
            if place is None:
                between += self._delimiter
                continue
            if between:
                yield pa.scalar(between, _BYTES)
            yield self._take(block, place, is_first=not between)
            between = self._delimiter
        yield pa.scalar(between + self._label, _BYTES)
        if rest is not None:
            yield rest
        yield pa.scalar(LINE_END, _BYTES)

    def _take(self, block: RowBlock, place: int, *, is_first: bool) -> pa.Array:
        """Return a cell of each row as it is written."""
        starts, ends = (bounds[block.rows] for bounds in block.records.cells.find(place))
        cells = self._spell(slice_cells(block.data, starts, ends), block)
        return self._guard_comments(cells, block, starts, ends) if is_first else cells

    def _guard_comments(
        self, cells: pa.Array, block: RowBlock, starts: Positions, ends: Positions
    ) -> pa.Array:
        """Put the first cell of a line in quotes that would make it a comment."""
        firsts = block.data[np.minimum(starts, len(block.data) - 1)]
        places = np.flatnonzero((firsts == _HASH) & (ends > starts))
        if not len(places):
            return cells
        words = [
            cell if cell.startswith(b'"') else b'"' + cell + b'"'
            for cell in cells.take(pa.array(places)).to_pylist()
        ]
        return put_cells(cells, places, words)

    def _spell(self, cells: pa.Array, block: RowBlock) -> pa.Array:
        """Return cells with their quotes as the merged list needs them."""
        if block.is_plain and block.delimiter == self._delimiter[0]:
            return cells
        data, starts, ends = read_buffers(cells)
        if block.is_plain:
            is_quoted = (ends > starts) & (data[np.minimum(starts, len(data) - 1)] == QUOTE)
            bare = pc.if_else(pa.array(is_quoted), _NOTHING, cells)
            return pc.if_else(pa.array(is_quoted), cells, quote(bare, self._delimiter))
        is_odd = _holds(cells, b'"') | _holds(cells, self._delimiter)
        places = np.flatnonzero(is_odd)
        words = [
            quote_text(decode_cell(cell, "utf-8"), self._delimiter.decode())
            for cell in cells.take(pa.array(places)).to_pylist()
        ]
        return put_cells(cells, places, words)

    def _take_rest(self, block: RowBlock, widths: Positions) -> pa.Array | None:
        """Return each row's cells beyond the header, a delimiter before each; None: no row has any.

        Where all of them are empty it is nothing.
        """
        if int(widths.max()) <= block.width:
            return None
        mark = self._delimiter
        pieces = pa.array([b""] * len(widths), _BYTES)
        for cell in range(block.width, int(widths.max())):
            starts, ends = (bounds[block.rows] for bounds in block.records.cells.find(cell))
            cells = self._spell(slice_cells(block.data, starts, ends), block)
            before = pa.array([b"", mark], _BYTES).take(pa.array((widths > cell).astype(np.int8)))
            pieces = pc.binary_join_element_wise(pieces, before, cells, _NOTHING)
        only_marks = pc.match_substring_regex(pieces, rf"\A\x{mark[0]:02x}*\z")
        return pc.if_else(only_marks, _NOTHING, pieces)


def quote_text(text: str, delimiter: str) -> bytes:
    """Return a cell's text as a record has it (RFC 4180)."""
    if any(mark in text for mark in (delimiter, '"', "\r", "\n")):
        text = '"' + text.replace('"', '""') + '"'
    return text.encode("utf-8", "replace")


def _holds(cells: pa.Array, mark: bytes) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = pc.match_substring(cells, mark).to_numpy(zero_copy_only=False)
    return found
