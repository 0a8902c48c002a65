"""Columns of which only rows beyond the first say who may be mailed, found while a list is read.

A cell is looked at where it, or a part of it, begins as a strong word does: four bytes decide.
"""

from collections.abc import Collection, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from winnow.core.meaning.columns import has_strong_word, may_speak_of_mail
from winnow.core.meaning.vocabulary import list_strong_words
from winnow.lists.text.arrow_cells import read_buffers, slice_cells, unquote_cells
from winnow.lists.text.records import LF, QUOTE, Bytes, Positions, Records

_BEGINNING = 4  # bytes
_PARTING = frozenset(b",;|\n")
_IS_PARTING = np.isin(np.arange(256), list(_PARTING))
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
        text = data.tobytes() if self._places else b""
        is_parted = any(bytes([mark]) in text for mark in _PARTING - {self._delimiter, LF})
        for place in self._places:
            if place not in self.found:
                starts, ends = records.find(place)
                cells = _pick_cells(data, starts, ends, is_parted=is_parted)
                texts = unquote_cells(data, starts[cells], ends[cells]).unique().to_pylist()
                read = (text.decode(self._codec, "replace") for text in texts)
                if any(has_strong_word(one) and one != self._names[place] for one in read):
                    self.found |= {place}


def _pick_cells(data: Bytes, starts: Positions, ends: Positions, *, is_parted: bool) -> Positions:
    """Return the cells that begin, or a part of which begins, as a strong word.

    Parts are looked for in quoted cells, and where ``is_parted`` in all.
    """
    is_quoted = data.take(starts, mode="clip") == QUOTE
    is_picked = np.zeros(len(starts), np.bool_)
    is_picked[_find_strong(data, starts + is_quoted)] = True
    parted = np.flatnonzero(ends > starts if is_parted else is_quoted)
    texts, firsts, _ = read_buffers(slice_cells(data, starts[parted], ends[parted]))
    parts = np.flatnonzero(_IS_PARTING.take(texts)) + 1
    parts = parts[_find_strong(texts, parts)]
    is_picked[parted[np.searchsorted(firsts, parts, "right") - 1]] = True
    return np.flatnonzero(is_picked & (ends > starts))


def _find_strong(data: Bytes, starts: Positions) -> Positions:
    """Return at which of some places a strong word may begin; none is shorter than three bytes.

    The last bytes are read with the one before them, which may be a sign.
    """
    pairs, is_likely, beginnings = _list_beginnings()
    count = len(data) - _BEGINNING + 1
    if count < 1:
        return starts[:0]
    starts = np.minimum(starts, count - 1)
    found = np.flatnonzero(is_likely.take(_read_numbers(data, "<u2")[starts]))
    words = _read_numbers(data, "<u4")[starts[found]]
    return found[np.flatnonzero(beginnings[pairs[words & 0xFFFF], pairs[words >> 16]])]


def _read_numbers(data: Bytes, kind: str) -> NDArray[np.unsignedinteger]:
    """Return the number that begins at each byte, without a copy."""
    return np.ndarray((len(data) - np.dtype(kind).itemsize + 1,), kind, data.data, strides=(1,))


@cache
def _list_beginnings() -> tuple[NDArray[np.uint32], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the number of two bytes by their kinds, and whether a word may begin with them.

    The last says so of two such numbers.
    """
    kinds = np.full(256, _SIGN, np.uint32)
    for first in b"aA":
        kinds[first : first + 26] = np.arange(_LETTER, _LETTER + 26)
    kinds[ord("0") : ord("9") + 1], kinds[128:] = _DIGIT, _HIGH
    values = np.arange(1 << 16)
    words = {
        tuple(int(kinds[ord(one)]) if one.isascii() else _HIGH for one in word[:_BEGINNING])
        for word in list_strong_words()
    }
    pairs = kinds[values & 0xFF] * _KINDS + kinds[values >> 8]
    beginnings = _spell(words, _BEGINNING).reshape(_KINDS**2, -1)
    is_likely: NDArray[np.bool_] = beginnings.max(axis=1)
    return pairs, is_likely[pairs], beginnings


def _spell(words: Collection[tuple[int, ...]], count: int) -> NDArray[np.bool_]:
    """Return for so many kinds of bytes, an axis each, whether some word may begin with them.

    Signs may be before any letter, and so may bytes of other letters, which may be a letter too.
    Behind a whole word there may be anything, such as the next cell.
    """
    if () in words:
        return np.ones((_KINDS,) * count, np.bool_)
    found, letters = np.zeros((_KINDS,) * count, np.bool_), {word[0] for word in words}
    if count == 1:
        found[[_SIGN, _HIGH, *letters]] = True
        return found
    found[_SIGN] = _spell(words, count - 1)
    found[_HIGH] = _spell({*words, *(word[1:] for word in words)}, count - 1)
    for letter in letters:
        found[letter] |= _spell({word[1:] for word in words if word[:1] == (letter,)}, count - 1)
    return found
