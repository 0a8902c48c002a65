"""The distinct domain texts of a list, each with a number, gathered block by block."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

_TEXTS_AT_ONCE = 1 << 14
_SLOT_COUNT = 1 << 19  # 6 MiB a thread; a list of 100,000 domains meets few clashes


class DomainTexts:
    """The distinct texts, numbered in order of arrival from ``first_code`` on.

    Texts carry their at-sign when they are numbered. The table itself is Polars' categories; as
    most rows name a domain met before, each thread looks first into slots of its own, by the
    text's 64-bit hash.
    """

    def __init__(self, first_code: int) -> None:
        self._first_code = np.uint32(first_code)
        self._categories = pl.Categories.random()
        self._dtype = pl.Categorical(self._categories)
        self._anchor = pl.Series(dtype=self._dtype)  # the texts live while a series does
        self._slots = threading.local()
        self._guard = threading.Lock()
        self._count = 0

    def number(self, texts: pl.Series) -> NDArray[np.uint32]:
        """Return the code of each text, new ones added. Safe to call from several threads."""
        codes: NDArray[np.uint32] = texts.cast(self._dtype).to_physical().to_numpy()
        if len(codes):
            with self._guard:
                self._count = max(self._count, int(codes.max()) + 1)
        return codes + self._first_code

    def number_many(self, texts: pl.Series) -> NDArray[np.uint32]:
        """Do the same, quicker where most texts were met before."""
        hashes = texts.hash().to_numpy()
        known, codes = self._own_slots()
        slots = (hashes & np.uint64(_SLOT_COUNT - 1)).astype(np.int64)
        found = codes[slots]
        missed = np.flatnonzero(known[slots] != hashes)
        if len(missed):
            found[missed] = self.number(texts.gather(missed))
            slots = slots[missed]
            known[slots] = hashes[missed]
            codes[slots] = found[missed]
        return found

    def __len__(self) -> int:
        """Return how many texts there are; right when no thread adds any."""
        return self._count

    def read(self, codes: NDArray[np.uint32]) -> pl.Series:
        """Return the texts of codes, each with its at-sign."""
        places = pl.Series(codes - self._first_code, dtype=pl.UInt32)
        return places.cat.to(self._dtype).cast(pl.String)

    def _own_slots(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        if not hasattr(self._slots, "known"):
            self._slots.known = np.zeros(_SLOT_COUNT, np.uint64)
            self._slots.codes = np.zeros(_SLOT_COUNT, np.uint32)
        return self._slots.known, self._slots.codes


@dataclass(frozen=True, slots=True)
class DomainNames:
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

    names: DomainNames
    count_rows: Callable[[], NDArray[np.int64]]

    def __iter__(self) -> Iterator[str]:
        counts = self.count_rows()[self.names.codes]
        order = np.argsort(-counts, kind="stable")
        for chunk in DomainNames(self.names.texts, self.names.codes[order]).in_lists():
            yield from chunk
