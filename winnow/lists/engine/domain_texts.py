"""The distinct domain texts of a list, each with a number, gathered block by block."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.errors import InputError

_TEXTS_AT_ONCE = 1 << 14
TEXT_BYTES = 172  # measured: all tables by code, of one of a dozen bytes
MOST_WEIGHT_BYTES = 1_805 << 20  # ten million, at 1.8 GiB in all; 2.05 where rows hold no more
_SLOT_COUNT = 1 << 19  # 8 MiB, a second try included: 100,000 domains meet few clashes
_SLOT_MASK = np.uint64(_SLOT_COUNT - 1)
_SECOND_SHIFT = np.uint64(24)
_SLOT = np.dtype([("hash", np.uint64), ("code", np.uint32), ("", np.uint32)])


class DomainTexts:
    """The distinct texts, numbered in order of arrival from ``first_code`` on.

    Texts carry their at-sign when they are numbered. The table itself is Polars' categories; as
    most rows name a domain met before, they are first looked for in slots, two for each text, by
    its 64-bit hash.
    """

    def __init__(self, first_code: int) -> None:
        self._first_code = np.uint32(first_code)
        self._categories = pl.Categories.random()
        self._dtype = pl.Categorical(self._categories)
        self._anchor = pl.Series(dtype=self._dtype)  # the texts live while a series does
        self._slots = np.zeros(_SLOT_COUNT, _SLOT)
        self._slots["hash"][0] = ~np.uint64(0)  # 0 would be the text with that hash
        self._count = 0
        self._weight_bytes = 0

    def number(self, texts: pl.Series) -> NDArray[np.uint32]:
        """Return the code of each text, new ones added.

        Raises:
            InputError: They would take more memory than a list may.
        """
        codes: NDArray[np.uint32] = texts.cast(self._dtype).to_physical().to_numpy()
        if len(codes):
            first, self._count = self._count, max(self._count, int(codes.max()) + 1)
            if self._count > first:
                self._weigh(texts, codes, first)
        return codes + self._first_code

    def number_many(
        self, hashes: NDArray[np.uint64], read: Callable[[NDArray[np.int64]], pl.Series]
    ) -> NDArray[np.uint32]:
        """Do the same by the texts' hashes, quicker where most were met before.

        ``read`` gives the texts of places.
        """
        slots = self._slots
        first = (hashes & _SLOT_MASK).view(np.int64)
        found = slots.take(first)
        codes = found["code"].copy()
        missed = np.flatnonzero(found["hash"] != hashes)
        if len(missed):
            hashes, is_free = hashes[missed], found["hash"][missed] == 0
            second = (hashes >> _SECOND_SHIFT & _SLOT_MASK).view(np.int64)
            found = slots.take(second)
            codes[missed] = found["code"]
            new = np.flatnonzero(found["hash"] != hashes)
            if len(new):
                missed = missed[new]
                numbers = codes[missed] = self.number(read(missed))
                place = np.where(is_free[new], first[missed], second[new])
                slots["hash"][place] = hashes[new]
                slots["code"][place] = numbers
        return codes

    def __len__(self) -> int:
        """Return how many texts there are."""
        return self._count

    def read(self, codes: NDArray[np.uint32]) -> pl.Series:
        """Return the texts of codes, each with its at-sign."""
        places = pl.Series(codes - self._first_code, dtype=pl.UInt32)
        return places.cat.to(self._dtype).cast(pl.String)

    def _weigh(self, texts: pl.Series, codes: NDArray[np.uint32], first: int) -> None:
        """Add up what the texts with new codes take."""
        new = np.flatnonzero(codes >= first)
        sizes = np.zeros(self._count - first, np.int64)
        sizes[codes[new] - first] = texts.gather(new).str.len_bytes().to_numpy()
        self._weight_bytes += TEXT_BYTES * len(sizes) + int(sizes.sum())
        if self._weight_bytes > MOST_WEIGHT_BYTES:
            raise InputError(
                f"The list names too many different domains: more than {self._count:,}.",
                hint="Split it into parts, and clean them one by one.",
            )


@dataclass(frozen=True, slots=True)
class NamesByCode:
    """Some of the texts, by their codes. Read a stretch at a time: all at once take much memory."""

    texts: DomainTexts
    codes: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, place: int) -> str:
        """Return one name, with its at-sign."""
        return str(self.texts.read(self.codes[place : place + 1])[0])

    def in_series(self) -> Iterator[pl.Series]:
        """Yield all in series of bounded length, without their at-signs."""
        for start in range(0, len(self.codes), _TEXTS_AT_ONCE):
            yield self.texts.read(self.codes[start : start + _TEXTS_AT_ONCE]).str.slice(1)

    def in_lists(self) -> Iterator[list[str]]:
        """Yield the same as Python lists."""
        for names in self.in_series():
            yield names.to_list()


@dataclass(frozen=True, slots=True)
class NamesByRows:
    """Names, those of most rows first; rows are counted when somebody goes through the names.

    ``count_rows`` gives the rows of each code.
    """

    names: NamesByCode
    count_rows: Callable[[], NDArray[np.int64]]

    def __iter__(self) -> Iterator[str]:
        counts = self.count_rows()[self.names.codes]
        np.negative(counts, out=counts)
        order = np.argsort(counts, kind="stable").astype(np.uint32)
        del counts
        for chunk in NamesByCode(self.names.texts, self.names.codes[order]).in_lists():
            yield from chunk
