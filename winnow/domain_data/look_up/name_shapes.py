"""The shapes of many names at once: what ``name_shape`` says of one, by array operations."""

from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.domain_data.look_up.name_shape import (
    BOUNDARY,
    CONSONANT_RUN_MIN,
    CONSONANTS,
    DIGIT_SWITCHES_MIN,
    NUMBER_PARTS_MIN,
    SHAPED_LETTERS_MIN,
    SHORT_LETTERS,
    LetterPairs,
)

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ALPHABET = BOUNDARY + _LETTERS + "0123456789-"
_PLACES = np.zeros(256, np.uint8)  # by byte
_PLACES[list(_ALPHABET.encode())] = range(len(_ALPHABET))
_PAIR_SHIFT = 8
_KINDS = np.array([0] + 26 * [1] + 10 * [2] + [4], np.uint8)  # of the alphabet's places
_LETTER, _DIGIT, _HYPHEN = 1, 2, 4
_IS_CONSONANT = np.array([letter in CONSONANTS for letter in _ALPHABET])
_YEAR_DIGITS = 4
_CENTURIES = [
    _ALPHABET.index(first) << _PAIR_SHIFT | _ALPHABET.index(second)
    for first, second in ("19", "20")
]
_DOUBT = 1e-9  # sums in another order differ in their last bits


class NameShapes:
    """Tells which second-level labels look drawn by a program, as ``LetterPairs`` does."""

    def __init__(self, pairs: LetterPairs) -> None:
        self._pairs = pairs
        self._contrasts = np.full((len(_ALPHABET), 1 << _PAIR_SHIFT), np.nan)  # of other letters
        framed = BOUNDARY + _LETTERS
        for first, letter in enumerate(framed):
            for second, other in enumerate(framed):
                self._contrasts[first, second] = pairs.contrast_by_pair.get(letter + other, np.nan)

    def find_machine_made(self, labels: "Labels") -> NDArray[np.bool_]:
        """Tell of each label (a-z, 0-9 and hyphens, no A-label) whether it looks so."""
        kinds = _KINDS.take(labels.letters)
        sizes = labels.sizes()
        digits = labels.count(kinds == _DIGIT)
        hyphens = labels.count(kinds == _HYPHEN)
        switches = labels.count(kinds[:-1] ^ kinds[1:] == _LETTER ^ _DIGIT)
        is_numbered = (hyphens == 0) & (switches == 1) & (kinds[labels.starts + 1] == _LETTER)
        is_numbered &= (digits >= NUMBER_PARTS_MIN) & (sizes - digits >= NUMBER_PARTS_MIN)
        is_made: NDArray[np.bool_] = is_numbered | (hyphens == 0) & (switches >= DIGIT_SWITCHES_MIN)
        dated = np.flatnonzero(is_numbered & (digits == _YEAR_DIGITS))
        years = (labels.starts + sizes)[dated] + 1 - _YEAR_DIGITS
        is_made[dated] = ~np.isin(labels.pairs().take(years), _CENTURIES)
        words = np.flatnonzero((digits + hyphens == 0) & (sizes >= SHAPED_LETTERS_MIN))
        if len(words):
            is_made[words] = self._are_drawn(labels, words)
        is_made &= sizes >= SHAPED_LETTERS_MIN
        return is_made

    def _are_drawn(self, labels: "Labels", words: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell which of the labels that are words have letters as programs draw them."""
        sizes = labels.sizes()[words]
        limits = np.where(sizes <= SHORT_LETTERS, self._pairs.short_limit, self._pairs.limit)
        excess = self._measure(labels)[words] - limits
        is_drawn = _have_consonant_run(labels)[words]
        in_doubt = np.flatnonzero(~is_drawn & ~(np.abs(excess) > _DOUBT))
        is_drawn |= excess > 0
        for place in in_doubt.tolist():
            is_drawn[place] = self._pairs.is_machine_made(labels.spell(int(words[place])))
        return is_drawn

    def _measure(self, labels: "Labels") -> NDArray[np.float64]:
        """Return ``LetterPairs.measure`` but for the last bits; NaN where it knows no contrast."""
        contrasts = self._contrasts.reshape(-1).take(labels.pairs())
        sums: NDArray[np.float64] = np.add.reduceat(contrasts, labels.starts)
        return sums / (labels.sizes() + 1)


def _have_consonant_run(labels: "Labels") -> NDArray[np.bool_]:
    is_run = _IS_CONSONANT.take(labels.letters)
    size = 1
    while size < CONSONANT_RUN_MIN:  # two runs that meet or overlap are a longer one
        step = min(size, CONSONANT_RUN_MIN - size)
        is_run[:-step] &= is_run[step:]
        size += step
    return labels.count(is_run) > 0


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels end to end, each behind a boundary, as places in the alphabet.

    ``starts`` has an entry a label: where its boundary stands. Boundaries end them all.
    """

    letters: NDArray[np.uint8]
    starts: NDArray[np.int64]

    @classmethod
    def read(cls, labels: pl.Series) -> "Labels":
        """Take labels of a-z, 0-9 and hyphens; any other byte counts as a boundary."""
        framed = pa.array((BOUNDARY + labels).to_arrow(), pa.large_string())
        _, offsets, data = framed.buffers()
        bounds = np.frombuffer(offsets, np.int64, len(framed) + 1)
        text = np.frombuffer(data, np.uint8, int(bounds[-1])) if data else np.empty(0, np.uint8)
        return cls(np.append(_PLACES.take(text), np.uint8(0)), bounds[:-1])

    def sizes(self) -> NDArray[np.int64]:
        """Return how many letters each has."""
        return np.diff(self.starts, append=len(self.letters) - 1) - 1

    def count(self, marks: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many places of each label are marked."""
        if not len(self.starts):
            return np.empty(0, np.int64)
        counts: NDArray[np.int64] = np.add.reduceat(marks, self.starts, dtype=np.int64)
        return counts

    def pairs(self) -> NDArray[np.int64]:
        """Return what stands at each place and behind it, as one number."""
        return self.letters[:-1].astype(np.int64) << _PAIR_SHIFT | self.letters[1:]

    def spell(self, number: int) -> str:
        """Return one label as text."""
        start = int(self.starts[number]) + 1
        letters = self.letters[start : start + int(self.sizes()[number])]
        return "".join(_ALPHABET[place] for place in letters.tolist())
