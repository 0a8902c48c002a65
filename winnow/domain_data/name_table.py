"""Table of names in flat arrays: exact, quick to load, no object per name."""

import struct
import sys
from array import array
from collections.abc import Iterator, Mapping
from zlib import crc32

_COUNTS = struct.Struct("<II")


class NameTable:
    """Names, each with an integer below 2**32, looked up by hash and then compared whole.

    Layout: number of names, number of buckets (a power of two); where each bucket begins; where
    each name begins; the integers; the names end to end. All numbers are little-endian uint32.
    """

    def __init__(self, data: bytes) -> None:
        name_count, bucket_count = _COUNTS.unpack_from(data)
        place = _COUNTS.size
        arrays = []
        for length in (bucket_count + 1, name_count + 1, name_count):
            numbers = array("I")
            numbers.frombytes(data[place : place + 4 * length])
            if sys.byteorder == "big":
                numbers.byteswap()
            arrays.append(numbers)
            place += 4 * length
        self._buckets, self._starts, self._masks = arrays
        self._names = data[place:]
        self._bucket_mask = bucket_count - 1

    def __len__(self) -> int:
        return len(self._masks)

    def get(self, name: bytes) -> int:
        """Return the integer of a name, or 0 for a name that is not in the table."""
        bucket = crc32(name) & self._bucket_mask
        for place in range(self._buckets[bucket], self._buckets[bucket + 1]):
            if self._names[self._starts[place] : self._starts[place + 1]] == name:
                return self._masks[place]
        return 0

    def buffers(self) -> "tuple[array[int], bytes]":
        """Return where each name begins and the last one ends, and the names end to end."""
        return self._starts, self._names

    def items(self) -> Iterator[tuple[str, int]]:
        """Yield every name with its integer, in the table's order."""
        for place, mask in enumerate(self._masks):
            name = self._names[self._starts[place] : self._starts[place + 1]]
            yield name.decode("ascii"), mask


def pack_names(masks: Mapping[str, int]) -> bytes:
    """Build the table's bytes; the same names and integers give the same bytes."""
    bucket_count = 1 << max(1, len(masks).bit_length())
    order = sorted(
        (crc32(name.encode("ascii")) & (bucket_count - 1), name.encode("ascii"), mask)
        for name, mask in masks.items()
    )
    buckets = array("I", [0]) * (bucket_count + 1)
    starts, blob = array("I", [0]), bytearray()
    for bucket, name, _ in order:
        buckets[bucket + 1] += 1
        blob += name
        starts.append(len(blob))
    for bucket in range(bucket_count):
        buckets[bucket + 1] += buckets[bucket]
    arrays = (buckets, starts, array("I", [mask for _, _, mask in order]))
    if sys.byteorder == "big":
        for numbers in arrays:
            numbers.byteswap()
    head = _COUNTS.pack(len(order), bucket_count)
    return head + b"".join(numbers.tobytes() for numbers in arrays) + bytes(blob)
