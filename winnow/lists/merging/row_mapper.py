"""Mapping of a file's rows to the merged list: cells in other columns, the file's name last."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from winnow.lists.text.arrow_cells import gather_bytes, quote, unquote_cells
from winnow.lists.text.records import Positions
from winnow.lists.text.row_block import RowBlock

LINE_END = b"\r\n"  # RFC 4180, 2
_BYTES = pa.large_binary()
_NOTHING = pa.scalar(b"", _BYTES)


@dataclass(frozen=True, slots=True)
class MappedRows:
    """Records in UTF-8; ``odd_count`` of the rows had other cells than the header."""

    data: bytes
    row_count: int
    odd_count: int


class RowMapper:
    """Puts the cells of one file's rows where the merged list has them.

    Cells have quotes where they need some. Cells beyond the header come after the file's name.
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
        self._label = pa.scalar(quote_text(label, delimiter), _BYTES)

    def map(self, block: RowBlock) -> MappedRows:
        """Return a block's rows as the merged list has them."""
        widths = block.records.widths[block.rows]
        if not len(widths):
            return MappedRows(b"", 0, 0)
        cells = [_NOTHING if place is None else self._take(block, place) for place in self._places]
        rest = self._take_rest(block, widths)
        is_odd = (widths < block.width) | (pc.binary_length(rest).to_numpy() > 0)
        lines = pc.binary_join_element_wise(*cells, self._label, pa.scalar(self._delimiter, _BYTES))
        lines = pc.binary_join_element_wise(lines, rest, pa.scalar(LINE_END, _BYTES), _NOTHING)
        return MappedRows(gather_bytes(lines), len(widths), int(np.count_nonzero(is_odd)))

    def _take(self, block: RowBlock, place: int) -> pa.Array:
        """Return a cell of each row as it is written."""
        starts, ends = (bounds[block.rows] for bounds in block.records.cells.find(place))
        cells = unquote_cells(block.data, starts, ends)
        return quote(cells, self._delimiter + b'"\r\n')

    def _take_rest(self, block: RowBlock, widths: Positions) -> pa.Array:
        """Return each row's cells beyond the header, a delimiter before each.

        Where all of them are empty it is nothing.
        """
        pieces = pa.array([b""] * len(widths), _BYTES)
        for cell in range(block.width, int(widths.max())):
            before = pa.array([b"", self._delimiter], _BYTES)
            marks = before.take(pa.array((widths > cell).astype(np.int8)))
            cells = self._take(block, cell)
            pieces = pc.binary_join_element_wise(pieces, marks, cells, _NOTHING)
        only_marks = pc.match_substring_regex(pieces, rf"\A\x{self._delimiter[0]:02x}*\z")
        return pc.if_else(only_marks, _NOTHING, pieces)


def quote_text(text: str, delimiter: str) -> bytes:
    """Return a cell's text as a record has it (RFC 4180)."""
    if any(mark in text for mark in (delimiter, '"', "\r", "\n")):
        text = '"' + text.replace('"', '""') + '"'
    return text.encode("utf-8", "replace")
