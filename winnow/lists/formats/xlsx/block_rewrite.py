"""Plain blocks of rows rewritten by array operations: dropped, numbered anew, cells added."""

import re
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.lists.formats.xlsx.fast_parser import PlainBlock, take_apart

_Number = TypeVar("_Number", np.bool_, np.uint32)
_SPANS = re.compile(rb'(<row r="[0-9]+") spans="[0-9: ]*"')


def take_apart_for_rewriting(region: bytes) -> PlainBlock | None:
    """Take a region apart without its ``spans``, which added cells would make wrong."""
    if b"spans" in region:
        region = b"".join(_SPANS.split(region))
        if b"spans" in region:
            return None
    return take_apart(region)


class BlockRewriter:
    """Writes plain blocks of one sheet.

    Args:
        removed: By row number, up to the last that goes: whether it goes.
        added: By row number: the code of its added cells.
        templates: By code: the pieces of XML between which the row's number stands; none for 0.
    """

    def __init__(
        self,
        removed: NDArray[np.bool_],
        added: NDArray[np.uint32],
        templates: Sequence[tuple[bytes, ...]],
    ) -> None:
        self._removed = removed
        self._added = added
        width = max(map(len, templates), default=1)
        padded = [(*pieces, *[b""] * (width - len(pieces))) for pieces in templates]
        self._pieces = [pa.array(column, pa.large_binary()) for column in zip(*padded, strict=True)]

    def rewrite(self, block: PlainBlock, gone: int) -> tuple[bytes, int]:
        """Return a block's XML and how many of its rows went.

        Args:
            block: The rows.
            gone: How many rows before them went.
        """
        is_kept = ~_pick(self._removed, block.numbers)
        rows = np.flatnonzero(is_kept)
        if not len(rows):
            return b"", len(is_kept)
        targets = block.numbers[rows] - gone - np.cumsum(~is_kept)[rows]
        numbers = pa.array(targets).cast(pa.string()).cast(pa.large_binary())
        codes = _pick(self._added, block.numbers[rows])
        inserts = [self._word_added(codes, numbers), pa.array([b""], pa.large_binary())]
        # A segment of the block, then something inserted, then the next segment …
        ends = [block.row_closes[rows], block.row_ends[rows]]
        starts = [block.row_starts[rows], block.row_closes[rows]]
        what = [np.arange(len(rows)), np.full(len(rows), len(rows))]
        if bool((targets != block.numbers[rows]).any()):
            inserts.append(numbers)
            places = np.cumsum(is_kept) - 1
            cells = np.flatnonzero(is_kept[block.cell_rows])
            ends += [block.row_digit_starts[rows], block.digit_starts[cells]]
            starts += [block.row_digit_ends[rows], block.digit_ends[cells]]
            first = len(rows) + 1
            what += [first + np.arange(len(rows)), first + places[block.cell_rows[cells]]]
        all_ends = np.concatenate(ends)
        order = np.argsort(all_ends, kind="stable")
        bounds = np.empty(2 * len(order) + 1, np.int64)
        bounds[0:-1:2] = np.sort(np.concatenate(starts), kind="stable")
        bounds[1::2] = all_ends[order]
        bounds[-1] = len(block.data)
        pieces = pa.LargeBinaryArray.from_buffers(
            pa.large_binary(),
            2 * len(order),
            [None, pa.py_buffer(bounds), pa.py_buffer(block.data)],
        )
        segments = pieces.take(pa.array(np.arange(0, 2 * len(order), 2)))
        inserted = pa.concat_arrays(inserts).take(pa.array(np.concatenate(what)[order]))
        joined = pc.binary_join_element_wise(segments, inserted, pa.scalar(b"", pa.large_binary()))
        offsets = np.frombuffer(joined.buffers()[1], np.int64, len(joined) + 1, 8 * joined.offset)
        written = joined.buffers()[2].to_pybytes()[int(offsets[0]) : int(offsets[-1])]
        return written, len(is_kept) - len(rows)

    def _word_added(self, codes: NDArray[np.uint32], numbers: pa.Array) -> pa.Array:
        if not self._pieces:
            return pa.array([b""] * len(codes), pa.large_binary())
        chosen = pa.array(codes.astype(np.int64))
        columns: list[pa.Array] = []
        is_added = pa.array(codes > 0)
        digits = pc.if_else(is_added, numbers, pa.scalar(b"", pa.large_binary()))
        for place, column in enumerate(self._pieces):
            if place:
                columns.append(digits)
            columns.append(column.take(chosen))
        return pc.binary_join_element_wise(*columns, pa.scalar(b"", pa.large_binary()))


def _pick(values: NDArray[_Number], places: NDArray[np.int64]) -> NDArray[_Number]:
    """Return the values at these places, zero beyond the last."""
    if not len(values):
        return np.zeros(len(places), values.dtype)
    found = values[np.minimum(places, len(values) - 1)]
    found[places >= len(values)] = 0
    return found
