"""Rows and areas of a sheet (``A1:F9``), moved when rows are removed."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from winnow.lists.formats.xlsx.cells import MAX_ROWS, column_index, column_letters

_AREA = re.compile(
    rb"(\$?)([A-Za-z]{0,3})(\$?)([0-9]{1,7})(?::(\$?)([A-Za-z]{0,3})(\$?)([0-9]{1,7}))?\Z"
)


class RowMap:
    """Numbers of a sheet's rows after some were removed.

    Args:
        removed: The numbers of the removed rows, ascending.
    """

    def __init__(self, removed: Sequence[int]) -> None:
        self.removed = removed

    def find(self, row: int) -> int | None:
        """Return a row's new number, None when it is removed."""
        place = bisect_left(self.removed, row)
        if place < len(self.removed) and self.removed[place] == row:
            return None
        return row - place

    def next_kept(self, row: int) -> int:
        """Return the new number of the first kept row from here on."""
        return row - bisect_left(self.removed, row)

    def covers_removed(self, first: int, last: int) -> bool:
        """Whether any row between two, in either order, is removed."""
        first, last = sorted((first, last))
        return bisect_right(self.removed, last) > bisect_left(self.removed, first)

    def span(self, first: int, last: int) -> tuple[int, int] | None:
        """Return the remaining range of rows, None when all are removed."""
        if first == 1 and last == MAX_ROWS:
            return first, last
        start, end = self.next_kept(first), last - bisect_right(self.removed, last)
        return (start, end) if start <= end else None

    def move_areas(self, areas: bytes) -> bytes | None:
        """Return areas separated by blanks with new rows; None when nothing is left of them."""
        moved = [left for area in areas.split() if (left := self._move_area(area)) is not None]
        return b" ".join(moved) or (None if areas.split() else areas)

    def rest_areas(self, areas: bytes) -> bytes:
        """Return areas moved; of lost ones the first cell in the next kept row."""
        moved = self.move_areas(areas)
        if moved is not None:
            return moved
        row = self.next_kept(first_row(areas))
        return re.sub(rb"[0-9]+", b"%d" % row, areas.split()[0].partition(b":")[0])

    def _move_area(self, area: bytes) -> bytes | None:
        match = _AREA.match(area)
        if match is None:
            return area  # whole columns
        first = int(match[4])
        span = self.span(first, int(match[8] or first))
        if span is None:
            return None
        start = match[1] + match[2] + match[3] + b"%d" % span[0]
        if match[8] is None:
            return start
        return start + b":" + match[5] + match[6] + match[7] + b"%d" % span[1]


def read_rows(area: bytes) -> tuple[int, int] | None:
    """Return the first and the last row of an area; None for one that names no rows."""
    match = _AREA.match(area.strip())
    return (int(match[4]), int(match[8] or match[4])) if match is not None else None


def read_columns(area: bytes) -> tuple[int, int] | None:
    """Return the first and the last column, from 0, of an area; None for whole rows or columns."""
    match = _AREA.match(area.strip())
    if match is None or not match[2]:
        return None
    return column_index(match[2].upper()), column_index((match[6] or match[2]).upper())


def write_area(columns: tuple[int, int], rows: tuple[int, int]) -> bytes:
    """Return the area between two columns, from 0, and two rows, from 1."""
    return b"%s%d:%s%d" % (column_letters(columns[0]), rows[0], column_letters(columns[1]), rows[1])


def first_row(areas: bytes) -> int:
    """Return the top row of areas: rules for them count their rows from there."""
    return min((int(digits) for digits in re.findall(rb"[0-9]{1,7}", areas)), default=1)
