"""Columns of which only rows beyond the first say who may be mailed, found while a list is read.

A cell is looked at where it, or a part of it, begins as a strong word does: four bytes decide.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from winnow.core.meaning.columns import has_strong_word, may_speak_of_mail
from winnow.core.meaning.vocabulary import list_strong_words
from winnow.lists.text.arrow_cells import unquote_cells
from winnow.lists.text.records import LF, QUOTE, Bytes, Positions, Records

_BEGINNING = 4  # bytes
_PARTING = b",;|\n"
_SIGN, _LETTER, _DIGIT, _HIGH = 0, 1, 30, 31  # kinds of bytes; letters have one each
_KINDS = 32


class LateColumns:
    """Columns that were not chosen by the first rows; ``found`` have a strong word in later ones.

    ``without`` are the indices of those that were.
    """

    def __init__(
        self, names: Sequence[str], without: frozenset[int], codec: str, delimiter: int
    ) -> None:
        self.found: frozenset[int] = frozenset()
        self._names, self._codec, self._delimiter = names, codec, delimiter
        others = (place for place in range(len(names)) if place not in without)
        self._places = [place for place in others if may_speak_of_mail(names[place])]

    def search(self, data: Bytes, records: Records) -> None:
        """Search a block; threads may do so at once."""
        if len(data) < _BEGINNING or not self._places:
            return
        parts = _find_parts(data, records.cells.separators, self._delimiter)
        for place in self._places:
            if place not in self.found:
                starts, ends = records.cells.find(place)
                cells = _pick_cells(data, starts, ends, parts)
                texts = unquote_cells(data, starts[cells], ends[cells]).unique().to_pylist()
                if self._has_strong(texts, self._names[place]):
                    self.found |= {place}

    def _has_strong(self, cells: Iterable[bytes], name: str) -> bool:
        texts = (cell.decode(self._codec, "replace") for cell in cells)
        return any(has_strong_word(text) and text != name for text in texts)


def _find_parts(data: Bytes, separators: Positions, delimiter: int) -> Positions:
    """Return where parts of cells begin, after marks that part no cells."""
    text = data.tobytes()
    found = [mark for mark in _PARTING if bytes([mark]) in text]
    if b'"' not in text:
        found = [mark for mark in found if mark not in (delimiter, LF)]
    if not found:  # as in most lists
        return np.empty(0, np.int64)
    marks = data == found[0]
    for mark in found[1:]:
        marks |= data == mark
    marks[separators] = False
    return np.flatnonzero(marks) + 1


def _pick_cells(data: Bytes, starts: Positions, ends: Positions, parts: Positions) -> Positions:
    """Return the cells that begin, or a part of which begins, as a strong word."""
    inner = starts + (data.take(starts, mode="clip") == QUOTE)
    picked = np.flatnonzero(_begins_strong(data, inner) & (ends > starts))
    parts = parts[_begins_strong(data, parts)]
    if not len(parts):
        return picked
    order = np.searchsorted(starts, parts, "right") - 1
    is_inside = (order >= 0) & (parts < ends[order])
    return np.union1d(picked, order[is_inside])


def _begins_strong(data: Bytes, starts: Positions) -> NDArray[np.bool_]:
    pairs, beginnings = _list_beginnings()
    count = len(data) - _BEGINNING + 1
    words = np.ndarray((count,), "<u4", data.data, strides=(1,))[np.minimum(starts, count - 1)]
    found: NDArray[np.bool_] = beginnings[pairs[words & 0xFFFF] * _KINDS**2 + pairs[words >> 16]]
    return found


@cache
def _list_beginnings() -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Return the number of two bytes by their kinds, and for two such whether a word so begins."""
    kinds = np.full(256, _SIGN, np.uint32)
    for first in b"aA":
        kinds[first : first + 26] = np.arange(_LETTER, _LETTER + 26)
    kinds[ord("0") : ord("9") + 1], kinds[128:] = _DIGIT, _HIGH
    values = np.arange(1 << 16)
    words = {
        tuple(int(kinds[ord(one)]) if one.isascii() else _HIGH for one in word[:_BEGINNING])
        for word in list_strong_words()
    }
    return kinds[values & 0xFF] * _KINDS + kinds[values >> 8], _spell(words, _BEGINNING).ravel()


def _spell(words: Collection[tuple[int, ...]], count: int) -> NDArray[np.bool_]:
    """Return for so many kinds of bytes, an axis each, whether some word may begin with them.

    Signs may be before any letter, and so may bytes of other letters, which may be a letter too.
    """
    found, letters = np.zeros((_KINDS,) * count, np.bool_), {word[0] for word in words if word}
    if count == 1:
        found[[_SIGN, _HIGH, *letters]] = True
        return found
    found[_SIGN] = _spell(words, count - 1)
    found[_HIGH] = _spell({*words, *(word[1:] for word in words)}, count - 1)
    for letter in letters:
        found[letter] |= _spell({word[1:] for word in words if word[:1] == (letter,)}, count - 1)
    return found
