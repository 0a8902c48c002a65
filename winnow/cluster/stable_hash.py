"""Keys of rows that are the same in every process and of every version: XXH3, 64 bits."""

import numpy as np
import polars as pl
import pyarrow as pa
import xxhash
from numpy.typing import NDArray

from winnow.lists.text.records import Bytes, Positions

_hash = xxhash.xxh3_64_intdigest  # the xxHash specification 0.8; Polars' own hashes promise nothing


class StableHash:
    """A ``HashText`` for tables that several machines share."""

    def hash_parts(self, data: Bytes, starts: Positions, ends: Positions) -> NDArray[np.uint64]:
        """Return the hash of each stretch of a block; they rise."""
        count = len(starts)
        bounds = np.zeros(2 * count + 1, np.int64)  # stretches, and what is between them
        bounds[0:-1:2], bounds[1::2] = starts, ends
        bounds[-1] = ends[-1] if count else 0
        buffers = [None, pa.py_buffer(bounds), pa.py_buffer(data)]
        pieces = pa.LargeBinaryArray.from_buffers(pa.large_binary(), 2 * count, buffers)
        return _hash_all(pl.Series(pieces).gather_every(2).to_list())

    def hash_texts(self, texts: pl.Series) -> NDArray[np.uint64]:
        """Return the hash of each text in UTF-8, or of each binary."""
        return _hash_all(texts.cast(pl.Binary).to_list())


def _hash_all(texts: list[bytes]) -> NDArray[np.uint64]:
    return np.fromiter(map(_hash, texts), np.uint64, len(texts))
