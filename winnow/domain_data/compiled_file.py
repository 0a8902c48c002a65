"""The compiled file: a header in JSON, a table of names, and a digest over both."""

import hashlib
import json
import struct
import sys
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

from winnow.atomic_files import write_atomically

MAGIC = b"WINNOWK1"
_LENGTH = struct.Struct("<I")
_DIGEST_BYTES = 32  # SHA-256


class CompiledFileBroken(Exception):
    """The file is missing, cut short or changed; a new build repairs that."""


def pack_header(header: Mapping[str, Any]) -> bytes:
    """Write a header as JSON; the same content gives the same bytes."""
    return json.dumps(header, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def write_compiled(path: Path, header: Mapping[str, Any], names: bytes) -> None:
    """Write the file whole or not at all."""
    text = pack_header(header)
    body = _LENGTH.pack(len(text)) + text + names
    write_atomically(path, MAGIC + hashlib.sha256(body).digest() + body)


def read_compiled(path: Path) -> tuple[dict[str, Any], bytes]:
    """Read header and names.

    Raises:
        CompiledFileBroken: Missing, unreadable, or not what was written.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CompiledFileBroken(str(error)) from error
    return parse_compiled(data, path.name)


def parse_compiled(data: bytes, name: str) -> tuple[dict[str, Any], bytes]:
    """Parse header and names.

    Raises:
        CompiledFileBroken: It is not what was written, under this name.
    """
    start = len(MAGIC) + _DIGEST_BYTES
    body = memoryview(data)[start:]
    if (
        not data.startswith(MAGIC)
        or hashlib.sha256(body).digest() != data[len(MAGIC) : start]
        or len(body) < _LENGTH.size
    ):
        msg = f"{name} is not what was written"
        raise CompiledFileBroken(msg)
    (length,) = _LENGTH.unpack_from(body)
    header_end = _LENGTH.size + length
    return json.loads(bytes(body[_LENGTH.size : header_end])), bytes(body[header_end:])


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
