"""Windows on a large text file: whole records cut out of bytes that begin and end anywhere.

A window may begin within a quoted cell. Of the two readings, outside and inside quotes, the one
holds in which all quotes open and close where they may; where neither does, quotes are stray, and
the window is read with care from its first line end on.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from winnow.lists.text.escapes import blot_escaped
from winnow.lists.text.records import (
    QUOTE,
    Bytes,
    Positions,
    RecordFault,
    find_line_breaks,
    find_quotes,
    quotes_pair_up,
)

WINDOW_BYTES = 8 << 10
RECORDS_PER_WINDOW = 16  # at least, so that long records are met as often as short ones


@dataclass(frozen=True, slots=True)
class WholeRecords:
    """Records cut out of a window; ``quotes`` are those that open and close.

    ``shape`` is ``data`` with what is escaped blotted out.
    """

    data: Bytes
    shape: Bytes
    quotes: Positions


def choose_window_bytes(size_bytes: int, record_bytes: float) -> int:
    """Return the size of each window for records of this mean size."""
    wanted = max(WINDOW_BYTES, int(RECORDS_PER_WINDOW * record_bytes))
    return min(wanted + wanted % 2, max(2, size_bytes // 2 * 2))


def read_windows(path: Path, begin: int, window_bytes: int, sample_bytes: int) -> Iterator[bytes]:
    """Yield windows across a file from ``begin`` on: one at a random place of each stretch.

    The same file gives the same windows. They begin at even offsets from ``begin`` (UTF-16).
    """
    size_bytes = path.stat().st_size - begin
    count = max(1, min(sample_bytes, size_bytes) // window_bytes)
    stretch = size_bytes / count
    pick = random.Random(size_bytes)  # noqa: S311 - a sample, no secret
    with path.open("rb", buffering=0) as file:
        for number in range(count):
            room = max(0.0, stretch - window_bytes)
            start = int(number * stretch + pick.random() * room) // 2 * 2
            file.seek(begin + start)
            yield file.read(window_bytes)


def cut_records(window: bytes, delimiter: int, *, has_escapes: bool = False) -> WholeRecords | None:
    """Return the whole records of a window, None where there are none to be told apart."""
    data = np.frombuffer(window, np.uint8)
    shape = blot_escaped(data) if has_escapes else data
    breaks = find_line_breaks(shape)
    if len(breaks) and breaks[-1] == len(data) - 1 and data[-1] != 10:
        breaks = breaks[:-1]  # a CR at the end may be half of a CRLF
    if len(breaks) < 2:
        return None
    found = _choose_quotes(shape, breaks, delimiter)
    if found is None:
        return None
    start, end, quotes = found
    return WholeRecords(data[start:end], shape[start:end], quotes)


def _choose_quotes(
    shape: Bytes, breaks: Positions, delimiter: int
) -> tuple[int, int, Positions] | None:
    """Return where the records start and end, and the quotes that open and close in them."""
    first, last = int(breaks[0]) + 1, int(breaks[-1]) + 1
    quotes = np.flatnonzero(shape == QUOTE)
    if not len(quotes):
        return first, last, quotes
    before = np.searchsorted(quotes, breaks)
    for is_inside in (0, 1):
        ends = breaks[(before + is_inside) % 2 == 0]
        if len(ends) < 2:
            continue
        if 2 * (ends[-1] - ends[0]) < breaks[-1] - breaks[0]:
            continue  # this reading takes most lines for a quoted cell's
        start, end = int(ends[0]) + 1, int(ends[-1]) + 1
        found = quotes[(quotes >= start) & (quotes < end)] - start
        if quotes_pair_up(shape[start:end], found, delimiter):
            return start, end, found
    found_end = _cut_carefully(shape[first:last], delimiter)
    return None if found_end is None else (first, first + found_end[0], found_end[1])


def _cut_carefully(shape: Bytes, delimiter: int) -> tuple[int, Positions] | None:
    """Return where the last whole record ends, and the quotes before that."""
    try:
        quotes, opening = find_quotes(shape, delimiter)
    except RecordFault:
        return None
    end = len(shape)
    if opening is not None:
        ends = find_line_breaks(shape[:opening])
        if not len(ends):
            return None
        end = int(ends[-1]) + 1
        quotes = quotes[quotes < end]
        if len(quotes) % 2:
            return None
    return end, quotes
