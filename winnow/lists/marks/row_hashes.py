"""The rows of a finished project as keyed hashes of their addresses, a stretch at a time."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.core.tasks.task import InputPlan
from winnow.lists.engine.address_column import AddressColumn
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.marks.keyed_hash import AddressHash, Hashes, KeyedHash
from winnow.lists.result.own_cells import (
    Cells,
    find_cells,
    iterate_stretches,
    read_rows,
    take_rows,
)
from winnow.lists.result.row_columns import RowIndex
from winnow.lists.result.row_index import RowText
from winnow.lists.text.escapes import BACKSLASH
from winnow.lists.text.gathered_cells import lower_bytes
from winnow.lists.text.records import CR, LF, QUOTE, Bytes, Positions

_AT = ord("@")
_ROWS_AT_ONCE = 1 << 15
_REACH = 32  # bytes looked at before an at-sign: one word of bits
_FIRST_PRINTED, _PRINTED = np.uint8(33), np.uint8(94)  # of ASCII


@dataclass(frozen=True, slots=True)
class RowHashes:
    """Some rows that have a usable domain: numbers from 0, domain codes, address hashes."""

    rows: NDArray[np.int64]
    codes: NDArray[np.uint32]
    addresses: Hashes


def read_row_hashes(index: RowIndex, plan: InputPlan, hashes: AddressHash) -> Iterator[RowHashes]:
    """Read a project's rows once more; memory does not grow with them, but with its domains."""
    names = [hashes.hash_domains(some) for some in index.read_names()]
    by_code = np.concatenate([np.zeros(1, np.uint64), *names])
    width = index.text.width or len(plan.columns)
    column = index.text.see(plan).email_column

    def work(run: tuple[int, int]) -> RowHashes:
        codes = index.domain_codes(*run)
        data, bounds = read_rows(index, *run)
        local_parts = np.empty(len(codes), np.uint64)
        is_open = codes > 0
        usable = np.flatnonzero(is_open)
        for first in range(0, len(codes), _ROWS_AT_ONCE):  # these stay in the cache
            plain = find_plain(index.text, data, bounds[first : first + _ROWS_AT_ONCE + 1])
            rows = plain.rows + first
            local_parts[rows] = plain.hash(hashes.local)
            is_open[rows] = False
        rest = np.flatnonzero(is_open)
        if len(rest):
            rows_left = take_rows(data, bounds, rest)
            cells = find_cells(index.text, *rows_left, width, (column,))[column]
            local_parts[rest] = _hash_one_by_one(cells, hashes.local)
        addresses = hashes.hash_addresses(local_parts[usable], by_code[codes[usable]])
        return RowHashes(usable + run[0], codes[usable], addresses)

    yield from map_in_order(work, iterate_stretches(index, width))


@dataclass(frozen=True, slots=True)
class PlainRows:
    """Rows whose local parts, if their addresses are well-formed, are beyond doubt.

    ``before`` are the bytes in front of each at-sign in lower case, of which the last ``sizes``
    are the local part.
    """

    rows: Positions
    before: Bytes
    sizes: Positions

    def hash(self, local: KeyedHash) -> Hashes:
        """Return the local parts' hashes."""
        ends = np.arange(1, len(self.rows) + 1) * _REACH
        return local.hash_parts(self.before.reshape(-1), ends - self.sizes, ends)


def find_plain(form: RowText, data: Bytes, bounds: Positions) -> PlainRows:
    """Find the rows with one at-sign, and plain ASCII before it from a cell's beginning on.

    A cell begins behind a delimiter, a quote or a line end. One of these within the address would
    make it malformed, but for a quoted local part, whose last quote leaves nothing in front of the
    at-sign. ``bounds`` are in ``data``, which may hold other rows as well.
    """
    first = int(bounds[0])
    data, bounds = data[first : bounds[-1]], bounds - first
    at_signs = np.flatnonzero(data == _AT)
    rows = np.searchsorted(bounds, at_signs, side="right") - 1
    is_single = np.bincount(rows, minlength=len(bounds) - 1)[rows] == 1
    is_single &= at_signs >= _REACH
    at_signs, rows = at_signs[is_single], rows[is_single]
    if not len(rows):
        return PlainRows(rows, np.empty((0, _REACH), np.uint8), rows)
    windows = np.lib.stride_tricks.sliding_window_view(data, _REACH)
    before = windows[at_signs - _REACH]
    is_stop = (before - _FIRST_PRINTED) >= _PRINTED
    is_stop |= before == QUOTE
    is_stop |= before == ord(form.delimiter)
    if form.escape:
        is_stop |= before == BACKSLASH
    bits = np.packbits(is_stop, axis=1).view(">u4").astype(np.uint32).reshape(-1)
    sizes = np.bitwise_count(~bits & (bits - np.uint32(1))).astype(np.int64)  # of zeros at the end
    stops = data[at_signs - np.minimum(sizes + 1, _REACH)]
    begins = (stops == ord(form.delimiter)) | (stops == QUOTE) | (stops == LF) | (stops == CR)
    is_plain = np.flatnonzero(begins & (sizes > 0) & (sizes < _REACH))
    return PlainRows(rows[is_plain], lower_bytes(before[is_plain]), sizes[is_plain])


def _hash_one_by_one(cells: Cells, local: KeyedHash) -> Hashes:
    column = AddressColumn(
        cells.decode,
        frozenset(),
        is_utf8=cells.is_utf8,
        has_escapes=cells.has_escapes,
        hash_text=local,
    )
    return column.read(cells.data, cells.starts, cells.ends).keys
