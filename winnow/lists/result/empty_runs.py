"""Compression of runs of empty cells in ``rows.csv``: a sheet's rows may be mostly empty.

A run is its delimiters; a long one is a mark that says their number, and the last of them. A mark
has bytes that UTF-8 never has, so that no cell looks like one and no search meets it.
"""

import re
from functools import partial

LONGEST_PLAIN = 7  # delimiters: a mark and one take as many bytes
_LEAD = b"\xff"
_FIRST_DIGIT, _BASE, _DIGITS = 0xF8, 7, 5  # 7**5 is more than the columns of a sheet
_MARK = re.compile(rb"\xff([\xf8-\xfe]{5})")


def word_run(count: int, delimiter: bytes) -> bytes:
    """Return so many delimiters, or the mark for them."""
    if count <= LONGEST_PLAIN:
        return delimiter * count
    rest, digits = count - 1, bytearray()
    for _ in range(_DIGITS):
        rest, digit = divmod(rest, _BASE)
        digits.append(_FIRST_DIGIT + digit)
    return _LEAD + bytes(digits) + delimiter


def expand_runs(rows: bytes, delimiter: bytes) -> bytes:
    """Return rows with all their delimiters."""
    return _MARK.sub(partial(_expand, delimiter), rows) if _LEAD in rows else rows


def _expand(delimiter: bytes, mark: re.Match[bytes]) -> bytes:
    count = 0
    for digit in reversed(mark[1]):
        count = count * _BASE + digit - _FIRST_DIGIT
    return delimiter * count
