"""Keyed 64-bit hashes of many texts at once; without the key addresses cannot be guessed.

SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012), every step taken by
array operations for thousands of texts at once.
"""

from dataclasses import dataclass
from itertools import starmap

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Positions = NDArray[np.int64]

KEY_BYTES = 16  # SipHash, 2.1
_TEXTS_AT_ONCE = 1 << 15  # of which all states stay in a processor's cache
_WORD = 8
_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
_FINISH = np.uint64(0xFF)
_PAIR_END = np.uint64(2 * _WORD << 56)  # two blocks leave nothing over but their number of bytes


@dataclass(frozen=True, slots=True)
class KeyedHash:
    """Hashes by one key of 16 bytes."""

    key: bytes

    def hash_parts(self, data: Bytes, starts: Positions, ends: Positions) -> Hashes:
        """Return the hash of each stretch of a block of bytes."""
        padded = np.concatenate((data, np.zeros(_WORD, np.uint8)))
        found = np.empty(len(starts), np.uint64)
        for first in range(0, len(starts), _TEXTS_AT_ONCE):
            some = slice(first, first + _TEXTS_AT_ONCE)
            found[some] = self._hash_some(padded, starts[some], ends[some] - starts[some])
        return found

    def hash_texts(self, texts: pl.Series) -> Hashes:
        """Return the hash of each text (or binary), in UTF-8; a missing one is as an empty one."""
        cells = texts.cast(pl.Binary).fill_null(b"").to_arrow().cast(pa.large_binary())
        offsets = np.frombuffer(cells.buffers()[1], np.int64)[cells.offset :][: len(cells) + 1]
        values = cells.buffers()[2]
        data = np.empty(0, np.uint8) if values is None else np.frombuffer(values, np.uint8)
        return self.hash_parts(data, offsets[:-1], offsets[1:])

    def hash_pairs(self, first: Hashes, second: Hashes) -> Hashes:
        """Return the hash of each two numbers, written as sixteen bytes."""
        found = np.empty(len(first), np.uint64)
        for start in range(0, len(first), _TEXTS_AT_ONCE):
            some = slice(start, start + _TEXTS_AT_ONCE)
            state, spare = self._begin(len(found[some]))
            for block in (first[some], second[some], _PAIR_END):
                _absorb(state, block, spare)
            found[some] = _finish(state, spare)
        return found

    def _begin(self, count: int) -> tuple[list[Hashes], Hashes]:
        """Return the state of so many hashes before anything is absorbed, and working memory."""
        keys = np.frombuffer(self.key, "<u8")
        state = [
            np.full(count, np.uint64(start) ^ keys[place % 2]) for place, start in enumerate(_START)
        ]
        return state, np.empty(count, np.uint64)

    def _hash_some(self, padded: Bytes, starts: Positions, sizes: Positions) -> Hashes:
        words = sizes // _WORD  # whole ones; what is left of a text ends it
        order = np.argsort(words, kind="stable")
        starts, sizes, words = starts[order], sizes[order], words[order]
        state, spare = self._begin(len(starts))
        for number in range(int(words[-1]) + 1 if len(words) else 0):
            first, following = np.searchsorted(words, (number, number + 1))
            block = _load(padded, starts[first:] + _WORD * number)
            last = sizes[first:following]
            bits = (last % _WORD).astype(np.uint64) * np.uint64(8)
            block[: len(last)] &= (np.uint64(1) << bits) - np.uint64(1)
            block[: len(last)] |= (last & 255).astype(np.uint64) << np.uint64(56)
            _absorb([one[first:] for one in state], block, spare[first:])
        found = np.empty(len(starts), np.uint64)
        found[order] = _finish(state, spare)
        return found


def _load(padded: Bytes, places: Positions) -> Hashes:
    """Return the eight bytes from each place on as little-endian numbers."""
    words = np.ndarray((len(padded) - _WORD + 1,), "<u8", padded, strides=(1,))
    return words[places].astype(np.uint64, copy=False)


def _absorb(state: list[Hashes], block: "Hashes | np.uint64", spare: Hashes) -> None:
    """Take one more block of each text in (SipHash, 2.3)."""
    state[3] ^= block
    for _ in range(2):
        _mix(state, spare)
    state[0] ^= block


def _finish(state: list[Hashes], spare: Hashes) -> Hashes:
    state[2] ^= _FINISH
    for _ in range(4):
        _mix(state, spare)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _mix(state: list[Hashes], spare: Hashes) -> None:
    """One SipRound (SipHash, 2.4), in place."""
    one, two, three, four = state
    one += two
    _turn(two, 13, spare)
    two ^= one
    _turn(one, 32, spare)
    three += four
    _turn(four, 16, spare)
    four ^= three
    one += four
    _turn(four, 21, spare)
    four ^= one
    three += two
    _turn(two, 17, spare)
    two ^= three
    _turn(three, 32, spare)


def _turn(numbers: Hashes, bits: int, spare: Hashes) -> None:
    np.left_shift(numbers, np.uint64(bits), out=spare)
    np.right_shift(numbers, np.uint64(64 - bits), out=numbers)
    np.bitwise_or(numbers, spare, out=numbers)


@dataclass(frozen=True, slots=True)
class AddressHash:
    """Addresses and domains as keyed hashes, so that duplicates (``duplicate_key``) are equal.

    An address's is made of its local part's and its domain's, so that a list's domains are hashed
    once each. Different addresses share one by chance only: a list of ten million meets a file of
    ten million wrongly once in 180,000 times.
    """

    local: KeyedHash
    domain: KeyedHash
    address: KeyedHash

    @classmethod
    def of(cls, secret: bytes) -> "AddressHash":
        """Make the three keys of a secret of 48 bytes."""
        bounds = ((place, place + KEY_BYTES) for place in range(0, 3 * KEY_BYTES, KEY_BYTES))
        return cls(*starmap(lambda start, end: KeyedHash(secret[start:end]), bounds))

    @property
    def seal(self) -> int:
        """A number that is different for hashes of another secret."""
        return int(self.address.hash_texts(pl.Series([b"winnow"]))[0])

    def hash_addresses(self, local_parts: Hashes, domains: Hashes) -> Hashes:
        """Return the addresses of hashed local parts (lower case) and domains (A-labels)."""
        return self.address.hash_pairs(local_parts, domains)

    def hash_address(self, key: str) -> int:
        """Return the hash of one well-formed address, given as its duplicate key."""
        local_part, _, domain = key.rpartition("@")
        local = self.local.hash_texts(pl.Series([local_part]))
        return int(self.hash_addresses(local, self.hash_domains([domain]))[0])

    def hash_domains(self, domains: "pl.Series | list[str]") -> Hashes:
        """Return the hashes of domains in A-label form."""
        return self.domain.hash_texts(pl.Series(domains, dtype=pl.String))
