"""Where the at-signs and dots of a column of cells stand, found in one search for all of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.core.addresses.address import LOCAL_PART_MAX_DOTS
from winnow.lists.text.gathered_cells import GatheredCells
from winnow.lists.text.records import Bytes, Positions

PLUS = 43
_AT, _DOT = 64, 46
_PLAIN_RANGES = ((94, 126), (45, 57))  # ^ _ ` a-z { | } ~, and - . / 0-9; the cells are lowered


@dataclass(frozen=True, slots=True)
class AddressMarks:
    """What the marks say of each cell.

    ``at_signs`` is where a cell's only at-sign stands, the cell's end where it has none or several;
    ``is_single`` tells which. ``dotted_rows`` have more dots before the at-sign than are usual.
    ``odd_places`` are bytes that few dot-atoms have, plus signs among them, and dots where none may
    stand: a cell without any is a dot-atom up to its at-sign, or has nothing there. ``odd_bytes``
    and ``odd_rows`` are what and in which cell they are. Rows and places rise.
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
    is_at = lowered == _AT
    is_dot = lowered == _DOT
    is_mark = is_at | is_dot
    odd_places = np.flatnonzero(_find_odd(cells, is_at, is_dot, is_mark))
    marks = np.flatnonzero(is_mark)
    at_places = np.flatnonzero(is_at.take(marks))
    at_signs = marks.take(at_places)
    starts, ends = offsets[:-1], offsets[1:]
    if len(at_signs) == len(starts) and bool(((at_signs >= starts) & (at_signs < ends)).all()):
        rows = np.arange(len(starts))
        is_single = np.ones(len(starts), np.bool_)
        places = at_signs
    else:
        rows = cells.find_rows(at_signs)
        is_single = np.bincount(rows, minlength=len(starts)) == 1
        places = ends.copy()
        places[rows] = at_signs
        places = np.where(is_single, places, ends)
    dots_back = LOCAL_PART_MAX_DOTS + 1
    candidates = np.flatnonzero(np.diff(at_places, prepend=-1) > dots_back)
    is_within = marks[at_places[candidates] - dots_back] >= starts[rows[candidates]]
    return AddressMarks(
        places,
        is_single,
        rows[candidates[is_within]],
        odd_places,
        lowered.take(odd_places),
        cells.find_rows(odd_places),
    )


def find_first_pluses(cells: GatheredCells, marks: AddressMarks) -> tuple[Positions, Positions]:
    """Return the rows with a plus sign behind a character before the at-sign, and where it is."""
    is_plus = marks.odd_bytes == PLUS
    pluses, rows = marks.odd_places[is_plus], marks.odd_rows[is_plus]
    is_first = np.diff(rows, prepend=-1) > 0
    pluses, rows = pluses[is_first], rows[is_first]
    is_tag = (pluses > cells.offsets[rows]) & (pluses < marks.at_signs[rows])
    return rows[is_tag], pluses[is_tag]


def _find_odd(
    cells: GatheredCells,
    is_at: NDArray[np.bool_],
    is_dot: NDArray[np.bool_],
    is_mark: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    lowered = cells.lowered
    is_odd: NDArray[np.bool_] = ~is_at
    shifted = np.empty_like(lowered)
    for low, high in _PLAIN_RANGES:
        np.subtract(lowered, np.uint8(low), out=shifted)
        is_odd &= np.greater(shifted, np.uint8(high - low), out=shifted.view(np.bool_))
    is_odd[:-1] |= is_dot[:-1] & is_mark[1:]
    starts = cells.offsets[:-1]
    if len(lowered):
        leading = starts[lowered.take(starts, mode="clip") == _DOT]
        is_odd[np.minimum(leading, len(lowered) - 1)] = True
    return is_odd
