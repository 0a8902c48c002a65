"""A list cut into ranges of whole records, each found by its own worker.

Where a range's first record begins is told by whether quotes are open there, which all quotes
before it say. That is exact unless a quote is stray; whoever meets one says so, and the list is
read in one go.
"""

from dataclasses import dataclass, field

import numpy as np

from winnow.cluster.cluster_job import ClusterJob
from winnow.lists.text.records import CR, LF, QUOTE, Bytes

LEAST_RANGE_BYTES = 64 << 20
USUAL_RANGE_BYTES = 128 << 20  # of which a worker holds the result: twice that at most
_RANGES_WANTED = 64
_MOST_RANGES = 9_000  # as many tasks are planned in no time; of larger lists there are more
_MOST_RANGE_BYTES = 1 << 30  # far below what a row's place counts: no row has less than a byte
_READ_BYTES = 16 << 20
_FIRST_LOOK_BYTES = 1 << 16


class OddList(Exception):
    """The list cannot be cut into ranges; the text continues "one worker reads it: "."""


def choose_range_bytes(size_bytes: int) -> int:
    """Return the size of the ranges of a list."""
    wanted = min(max(size_bytes // _RANGES_WANTED, LEAST_RANGE_BYTES), USUAL_RANGE_BYTES)
    return max(wanted, min(-(-size_bytes // _MOST_RANGES), _MOST_RANGE_BYTES))


def count_quotes(job: ClusterJob, number: int) -> int:
    """Return how many quotes stand in a range as it is cut before anybody looks into it."""
    count = 0
    end = job.bound(number + 1)
    for start in range(job.bound(number), end, _READ_BYTES):
        data = np.frombuffer(job.read_source(start, min(start + _READ_BYTES, end)), np.uint8)
        count += int(np.count_nonzero(data == QUOTE))
    return count


def find_record(job: ClusterJob, number: int, *, is_inside: bool) -> int:
    """Return where the first record begins that is the range's own; the list's end if none does.

    ``is_inside``: whether quotes are open at the range's bound.
    """
    if number == 0:
        return len(job.above)
    position, end = job.bound(number), job.source.size_bytes
    step = _FIRST_LOOK_BYTES
    while position < end:
        stop = min(position + step, end)
        data = np.frombuffer(job.read_source(position, min(stop + 1, end)), np.uint8)
        found = _find_end(data[: stop - position], data, is_inside=is_inside)
        if found is not None:
            return position + found
        is_inside ^= bool(np.count_nonzero(data[: stop - position] == QUOTE) % 2)
        position, step = stop, min(2 * step, _READ_BYTES)
    return end


def _find_end(data: Bytes, reach: Bytes, *, is_inside: bool) -> int | None:
    """Return where the first line ends outside quotes; ``reach`` has the byte behind as well."""
    for mark in np.flatnonzero((data == LF) | (data == CR) | (data == QUOTE)).tolist():
        if data[mark] == QUOTE:
            is_inside = not is_inside
        elif not is_inside and not (data[mark] == CR and reach[mark + 1 : mark + 2] == LF):
            return int(mark) + 1
    return None


@dataclass(slots=True)
class RangeFile:
    """A list up to where a range ends, as a file that is read forward."""

    job: ClusterJob
    end: int
    _position: int = 0
    _start: int = 0
    _data: bytes = field(default=b"", repr=False)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place; ``whence`` 2 counts from the range's end."""
        self._position = offset + (self.end if whence == 2 else 0)
        return self._position

    def readinto(self, view: memoryview) -> int:
        """Fill as much of a buffer as is at hand."""
        place = self._position - self._start
        if not 0 <= place < len(self._data):
            stop = min(self._position + _READ_BYTES, self.end)
            self._data = self.job.read_source(self._position, stop)
            self._start, place = self._position, 0
        piece = memoryview(self._data)[place : place + len(view)]
        view[: len(piece)] = piece
        self._position += len(piece)
        return len(piece)
