"""The compiled file: a digest, then a header and each name with the bits of its lists."""

import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from winnow.atomic_files import write_atomically

MAGIC = b"WINNOWK2"
_DIGEST_BYTES = 32  # SHA-256


class NameTable:
    """Names in alphabetical order, each with its bits below 2**32."""

    def __init__(self, masks: Mapping[str, int]) -> None:
        self.names = sorted(masks)
        self._masks = array("I", [masks[name] for name in self.names])

    def get(self, name: str) -> int:
        """Return the bits of a name, or 0 for a name that is not in the table."""
        place = bisect_left(self.names, name)
        is_there = place < len(self.names) and self.names[place] == name
        return self._masks[place] if is_there else 0

    def items(self) -> Iterator[tuple[str, int]]:
        """Yield every name with its bits, in alphabetical order."""
        return zip(self.names, self._masks, strict=True)

    def pack(self) -> tuple[str, bytes]:
        """Return names and bits as ``unpack`` reads them, in this machine's order of bytes."""
        return "\n".join(self.names), self._masks.tobytes()

    @classmethod
    def unpack(cls, names: str, masks: bytes) -> "NameTable":
        """Read what ``pack`` returned."""
        table = cls({})
        table.names = names.split("\n")
        table._masks.frombytes(masks)
        return table


class CompiledFileBroken(Exception):
    """The file is missing, cut short or changed; a new build repairs that."""


def pack_content(header: Mapping[str, Any], names: NameTable) -> bytes:
    """Return header and names as bytes; the same content gives the same bytes."""
    return msgspec.msgpack.Encoder(order="sorted").encode((header, *names.pack()))


def pack_compiled(header: Mapping[str, Any], names: NameTable) -> bytes:
    """Return the file's bytes."""
    body = pack_content(header, names)
    return MAGIC + hashlib.sha256(body).digest() + body


def write_compiled(path: Path, header: Mapping[str, Any], names: NameTable) -> None:
    """Write the file whole or not at all."""
    write_atomically(path, pack_compiled(header, names))


def read_compiled(path: Path) -> tuple[dict[str, Any], NameTable]:
    """Read header and names.

    Raises:
        CompiledFileBroken: Missing, unreadable, or not what was written.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CompiledFileBroken(str(error)) from error
    return parse_compiled(data, path.name)


def parse_compiled(data: bytes, name: str) -> tuple[dict[str, Any], NameTable]:
    """Parse header and names.

    Raises:
        CompiledFileBroken: It is not what was written, under this name.
    """
    start = len(MAGIC) + _DIGEST_BYTES
    body = memoryview(data)[start:]
    if not data.startswith(MAGIC) or hashlib.sha256(body).digest() != data[len(MAGIC) : start]:
        msg = f"{name} is not what was written"
        raise CompiledFileBroken(msg)
    header, text, masks = msgspec.msgpack.decode(body, type=tuple[dict[str, Any], str, bytes])
    return header, NameTable.unpack(text, masks)
