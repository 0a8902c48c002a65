"""Positions of at-signs and dots in a column of cells, found in one search for all of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.core.addresses.address import LOCAL_PART_MAX_DOTS
from winnow.lists.text.gathered_cells import GatheredCells
from winnow.lists.text.records import Bytes, Positions

PLUS = 43
_AT, _DOT = 64, 46
_BYTES_AT_ONCE = 1 << 17
_PLAIN_RANGES = ((94, 126), (45, 57))  # ^ _ ` a-z { | } ~, and - . / 0-9; the cells are lowered


@dataclass(frozen=True, slots=True)
class AddressMarks:
    """Positions of the at-signs, dots and odd bytes in a block's cells.

    ``at_signs`` is where a cell's only at-sign is, the cell's end where it has none or several;
    ``is_single`` says which. ``dotted_rows`` have more dots before the at-sign than are usual.
    ``odd_places`` are bytes that few dot-atoms have, plus signs among them, and dots where none may
    be: a cell without any is a dot-atom up to its at-sign, or has nothing there. ``odd_bytes``
    and ``odd_rows`` are what and in which cell they are. Rows and indices rise.
    """

    at_signs: Positions
    is_single: NDArray[np.bool_]
    dotted_rows: Positions
    odd_places: Positions
    odd_bytes: Bytes
    odd_rows: Positions


def find_marks(cells: GatheredCells) -> AddressMarks:
    """Find the marks of a block's cells."""
    lowered, offsets = cells.lowered, cells.offsets
    is_at, is_mark, is_odd = _sort_bytes(lowered)
    marks = np.flatnonzero(is_mark)
    starts, ends = offsets[:-1], offsets[1:]
    before_mark = marks[np.flatnonzero(np.diff(marks) == 1)]
    is_odd[before_mark[lowered[before_mark] == _DOT]] = True
    leading = starts[lowered.take(starts, mode="clip") == _DOT] if len(lowered) else starts[:0]
    is_odd[np.minimum(leading, len(lowered) - 1)] = True
    odd_places = np.flatnonzero(is_odd)
    at_places = np.flatnonzero(is_at.take(marks))
    at_signs = marks.take(at_places)
    if len(at_signs) == len(starts) and bool(((at_signs >= starts) & (at_signs < ends)).all()):
        rows = np.arange(len(starts))
        is_single = np.ones(len(starts), np.bool_)
        indices = at_signs
    else:
        rows = cells.find_rows(at_signs)
        is_single = np.bincount(rows, minlength=len(starts)) == 1
        indices = ends.copy()
        indices[rows] = at_signs
        indices = np.where(is_single, indices, ends)
    dots_back = LOCAL_PART_MAX_DOTS + 1
    marks_between = at_places.copy()
    marks_between[1:] -= at_places[:-1] + 1
    candidates = np.flatnonzero(marks_between >= dots_back)
    is_within = marks[at_places[candidates] - dots_back] >= starts[rows[candidates]]
    return AddressMarks(
        indices,
        is_single,
        rows[candidates[is_within]],
        odd_places,
        lowered.take(odd_places),
        cells.find_rows(odd_places),
    )


def find_first_pluses(cells: GatheredCells, marks: AddressMarks) -> tuple[Positions, Positions]:
    """Return the rows with a plus sign after a character before the at-sign, and where it is."""
    is_plus = marks.odd_bytes == PLUS
    pluses, rows = marks.odd_places[is_plus], marks.odd_rows[is_plus]
    is_first = np.diff(rows, prepend=-1) > 0
    pluses, rows = pluses[is_first], rows[is_first]
    is_tag = (pluses > cells.offsets[rows]) & (pluses < marks.at_signs[rows])
    return rows[is_tag], pluses[is_tag]


def _sort_bytes(lowered: Bytes) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which bytes are at-signs, which at-signs or dots, and which are odd by themselves."""
    is_at, is_mark, is_odd = np.empty((3, len(lowered)), np.bool_)
    scratch = np.empty(min(_BYTES_AT_ONCE, len(lowered)), np.uint8)
    for start in range(0, len(lowered), _BYTES_AT_ONCE):  # what is in the processor's caches
        some = slice(start, start + _BYTES_AT_ONCE)
        text, at, mark, odd = lowered[some], is_at[some], is_mark[some], is_odd[some]
        shifted = scratch[: len(text)]
        np.equal(text, _AT, out=at)
        np.equal(text, _DOT, out=mark)
        np.bitwise_or(mark, at, out=mark)
        np.bitwise_not(at, out=odd)
        for low, high in _PLAIN_RANGES:
            np.subtract(text, np.uint8(low), out=shifted)
            is_beyond = np.greater(shifted, np.uint8(high - low), out=shifted.view(np.bool_))
            np.bitwise_and(odd, is_beyond, out=odd)
    return is_at, is_mark, is_odd
