"""The distinct domain texts of a list, each with a number; which spellings are one domain."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.addresses.address import (
    DOMAIN_MAX_OCTETS,
    FAST_DOMAIN,
    SPECIAL_USE_ENDING,
    normalise,
    parse_address,
)
from winnow.core.addresses.mailbox import MAILBOX_DOMAINS
from winnow.core.errors import AddressSyntaxError, InputError
from winnow.core.file_faults import FileFault
from winnow.lists.engine.hash_numbers import HashNumbers
from winnow.lists.engine.row_codes import FAULT_CODES, FIRST_DOMAIN, FIRST_FAULT

_TEXTS_AT_ONCE = 1 << 15
_TEXTS_IN_PIECE = 1 << 16
TEXT_BYTES = 172  # measured: all tables by code, of one of a dozen bytes
MOST_WEIGHT_BYTES = 1_805 << 20  # ten million, at 1.8 GiB in all; 2.05 where rows hold no more


class DomainTexts:
    """The distinct texts, numbered in order of arrival from ``first_code`` on.

    Texts carry their at-sign when they are numbered. They are distinguished by 64-bit hashes,
    as duplicates are.
    """

    def __init__(self, first_code: int) -> None:
        self._first_code = np.uint32(first_code)
        self._numbers = HashNumbers()
        self._pieces: list[pa.StringArray] = []  # in order of the codes
        self._starts = np.zeros(1, np.int64)  # of the pieces, and the end
        self._weight_bytes = 0

    def number(self, texts: pl.Series) -> NDArray[np.uint32]:
        """Return the code of each text, new ones added.

        Raises:
            InputError: They would take more memory than a list may.
        """
        return self.number_many(texts.hash().to_numpy(), texts.gather)

    def number_many(
        self, hashes: NDArray[np.uint64], read: Callable[[NDArray[np.int64]], pl.Series]
    ) -> NDArray[np.uint32]:
        """Return the codes of texts by their hashes; ``read`` gives the texts of indices."""
        numbers, new = self._numbers.number(hashes)
        if len(new):
            self._append(read(new).to_arrow().cast(pa.string()))
        numbers += self._first_code - np.uint32(1)
        return numbers

    def __len__(self) -> int:
        """Return how many texts there are."""
        return len(self._numbers)

    def read(self, codes: NDArray[np.uint32]) -> pl.Series:
        """Return the texts of codes, each with its at-sign."""
        indices = codes.astype(np.int64) - int(self._first_code)
        order = np.argsort(indices, kind="stable")
        indices = indices[order]
        bounds = np.searchsorted(indices, self._starts)
        texts = [
            self._pieces[number].take(pa.array(indices[start:end] - self._starts[number]))
            for number, (start, end) in enumerate(pairwise(bounds.tolist()))
            if end > start
        ]
        found = pl.Series(pl.from_arrow(pa.chunked_array(texts, pa.string())))
        return found if (np.diff(order) == 1).all() else found.gather(np.argsort(order))

    def _append(self, texts: pa.StringArray) -> None:
        """Keep new texts; short pieces are put together, so that they do not become many."""
        self._weight_bytes += TEXT_BYTES * len(texts) + pc.sum(pc.binary_length(texts)).as_py()
        if self._weight_bytes > MOST_WEIGHT_BYTES:
            raise InputError(
                "The list names too many different domains: more than {most}.",
                fault=FileFault.TOO_LARGE,
                most=len(self),
                hint="Split it into parts, and clean them one by one.",
            )
        while self._pieces and len(self._pieces[-1]) <= min(len(texts), _TEXTS_IN_PIECE):
            texts = pa.concat_arrays((self._pieces.pop(), texts))
        self._pieces.append(texts)
        self._starts = np.cumsum([0, *map(len, self._pieces)])


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


@dataclass(frozen=True, slots=True)
class NamesByRows:
    """Names, those of most rows first; rows are counted when the names are iterated.

    ``count_rows`` gives the rows of each code.
    """

    names: NamesByCode
    count_rows: Callable[[], NDArray[np.int64]]

    def __iter__(self) -> Iterator[str]:
        counts = self.count_rows()[self.names.codes]
        np.negative(counts, out=counts)
        order = np.argsort(counts, kind="stable").astype(np.uint32)
        del counts
        for chunk in NamesByCode(self.names.texts, self.names.codes[order]).in_series():
            yield from chunk.to_list()


@dataclass(frozen=True, slots=True)
class DomainSpellings:
    """Domains and faults of a list's codes. Arrays are indexed by code.

    ``canonical`` gives one code to all spellings of one domain, and of one malformed text;
    ``aliases`` are the codes that are not their own canonical one. ``faults`` is a FAULT code,
    or 0.
    """

    canonical: NDArray[np.uint32]
    aliases: NDArray[np.uint32]
    faults: NDArray[np.uint8]
    texts: DomainTexts

    def join_mailboxes(self) -> NDArray[np.uint32]:
        """Return canonical codes, one for the domains that deliver to the same mailboxes."""
        canonical = self.canonical
        for one, home in MAILBOX_DOMAINS.items():
            code, other = self.texts.number(pl.Series([f"@{one}", f"@{home}"])).tolist()
            canonical = np.where(canonical == code, np.uint32(other), canonical)
        return canonical


def parse_spellings(
    domains: DomainTexts, tick: Callable[[float], None] = lambda share: None
) -> DomainSpellings:
    """Parse each distinct text; ``tick`` gets the share done, 0 to 1, and may raise."""
    count = len(domains)
    faults = np.zeros(count, np.uint8)
    sources = [np.empty(0, np.uint32)]
    targets = [np.empty(0, np.uint32)]
    start = 0
    codes = np.arange(FIRST_DOMAIN, FIRST_DOMAIN + count, dtype=np.uint32)
    for texts in NamesByCode(domains, codes).in_series():
        # What ``parse_address`` would give back as it is: most, at a glance.
        is_plain = texts.str.contains(f"^{FAST_DOMAIN}$") & ~texts.str.contains("[A-Z]")
        is_plain &= ~texts.str.contains(SPECIAL_USE_ENDING)
        is_plain &= texts.str.len_bytes() <= DOMAIN_MAX_OCTETS
        indices = np.flatnonzero(~is_plain.to_numpy())
        if len(indices):  # in few lists
            texts_open = texts.gather(indices)
            parsed = [_parse_domain(text) for text in texts_open.to_list()]
            faults[start + indices] = [fault for _, fault in parsed]
            spellings = pl.Series([domain for domain, _ in parsed], dtype=pl.String)
            is_other = (spellings != texts_open).to_numpy()
            sources.append((FIRST_DOMAIN + start + indices[is_other]).astype(np.uint32))
            targets.append(domains.number("@" + spellings.filter(is_other)))
        start += len(texts)
        tick(start / count)
    canonical = np.arange(FIRST_DOMAIN + len(domains), dtype=np.uint32)
    aliases, spelt = np.concatenate(sources), np.concatenate(targets)
    canonical[aliases] = spelt
    all_faults = np.zeros(len(canonical), np.uint8)
    all_faults[FIRST_FAULT:FIRST_DOMAIN] = np.arange(FIRST_FAULT, FIRST_DOMAIN)
    all_faults[FIRST_DOMAIN : FIRST_DOMAIN + count] = faults
    is_new = spelt >= FIRST_DOMAIN + count  # canonical spellings that no cell has
    all_faults[spelt[is_new]] = faults[aliases[is_new] - FIRST_DOMAIN]
    return DomainSpellings(canonical, aliases, all_faults, domains)


def _parse_domain(text: str) -> tuple[str, int]:
    """Return the canonical domain and 0, or the malformed text's canonical form and its fault."""
    try:
        return parse_address(f"a@{text}").domain, 0
    except AddressSyntaxError as error:
        return normalise(f"@{text}")[1:].lower(), FAULT_CODES[error.reason]
