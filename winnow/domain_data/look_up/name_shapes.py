"""The shapes of many names at once: what ``name_shape`` says of one, by array operations."""

from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.domain_data.look_up.name_shape import (
    BOUNDARY,
    CONSONANTS,
    NUMBERED,
    SHAPED_LETTERS_MIN,
    SHORT_LETTERS,
    LetterPairs,
)

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ALPHABET = BOUNDARY + _LETTERS + "0123456789-"
_ONLY_LETTERS = "^[a-z]+$"
_LETTERS_AND_YEAR = r"[a-z](?:19|20)[0-9]{2}$"
_DOUBT = 1e-9  # sums in another order differ in their last bits


class NameShapes:
    """Tells which second-level labels look drawn by a program, as ``LetterPairs`` does."""

    def __init__(self, pairs: LetterPairs) -> None:
        self._pairs = pairs
        framed = BOUNDARY + _LETTERS
        self._contrasts = np.full((len(_ALPHABET), len(_ALPHABET)), np.nan)  # of other letters
        for first, letter in enumerate(framed):
            for second, other in enumerate(framed):
                self._contrasts[first, second] = pairs.contrast_by_pair.get(letter + other, np.nan)

    def find_machine_made(self, labels: pl.Series) -> NDArray[np.bool_]:
        """Tell of each label (a-z, 0-9 and hyphens, no A-label) whether it looks so."""
        sizes = labels.str.len_bytes().to_numpy()
        is_shaped = sizes >= SHAPED_LETTERS_MIN
        is_numbered = labels.str.contains(NUMBERED).to_numpy()
        is_dated = labels.str.contains(_LETTERS_AND_YEAR).to_numpy()
        is_made: NDArray[np.bool_] = is_shaped & is_numbered & ~is_dated
        is_word = is_shaped & labels.str.contains(_ONLY_LETTERS).to_numpy()
        words = np.flatnonzero(is_word)
        in_doubt = is_shaped & ~is_numbered & ~is_word
        if len(words):
            chosen = labels.gather(words)
            has_run = chosen.str.contains(CONSONANTS).to_numpy()
            limits = np.where(
                sizes[words] <= SHORT_LETTERS, self._pairs.short_limit, self._pairs.limit
            )
            excess = self._measure(chosen) - limits
            is_made[words] = has_run | (excess > 0)
            in_doubt[words] = ~has_run & ~(np.abs(excess) > _DOUBT)
        places = np.flatnonzero(in_doubt)
        for place, label in zip(places.tolist(), labels.gather(places).to_list(), strict=True):
            is_made[place] = self._pairs.is_machine_made(label)
        return is_made

    def _measure(self, words: pl.Series) -> NDArray[np.float64]:
        """Return ``LetterPairs.measure`` but for the last bits; NaN where it knows no contrast."""
        labels = Labels.read(words)
        letters = labels.letters
        contrasts = self._contrasts[letters[:-1], letters[1:]]
        sums: NDArray[np.float64] = np.add.reduceat(contrasts, labels.starts)
        return sums / (labels.sizes() + 1)


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels end to end, each behind a boundary, as places in the alphabet.

    ``starts`` has an entry a label: where its boundary stands. Another boundary ends them all.
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
        places = np.zeros(256, np.uint8)
        places[list(_ALPHABET.encode())] = range(len(_ALPHABET))
        return cls(np.append(places[text], np.uint8(0)), bounds[:-1])

    def sizes(self) -> NDArray[np.int64]:
        """Return how many letters each has."""
        return np.diff(self.starts, append=len(self.letters) - 1) - 1

    def letter_sets(self) -> NDArray[np.uint64]:
        """Return the set of letters that each has, one bit a letter."""
        if not len(self.starts):
            return np.empty(0, np.uint64)
        bits = np.uint64(1) << self.letters.astype(np.uint64)
        return np.bitwise_or.reduceat(bits, self.starts)
