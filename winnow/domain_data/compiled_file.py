"""The compiled file: a digest, then a header and each name with the bits of its lists."""

import hashlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from winnow.atomic_files import write_atomically

MAGIC = b"WINNOWK2"
_DIGEST_BYTES = 32  # SHA-256
_BLOCK_NAMES = 64


class NameTable:
    """Names in alphabetical order, each with its bits below 2**32.

    ``blocks`` are the names, one a line; a block is split when a name is sought in it: a small list
    asks for few.
    """

    def __init__(self, blocks: Sequence[str], masks: bytes) -> None:
        self.blocks = blocks
        self._firsts = [block.partition("\n")[0] for block in blocks]
        self._split: dict[int, list[str]] = {}
        self._masks = array("I", masks)

    @classmethod
    def build(cls, masks: Mapping[str, int]) -> "NameTable":
        """Return the table of names and their bits."""
        names = sorted(masks)
        starts = range(0, len(names), _BLOCK_NAMES)
        blocks = ["\n".join(names[start : start + _BLOCK_NAMES]) for start in starts]
        return cls(blocks, array("I", [masks[name] for name in names]).tobytes())

    def get(self, name: str) -> int:
        """Return the bits of a name, or 0 for a name that is not in the table."""
        block = bisect_right(self._firsts, name) - 1
        if block < 0:
            return 0
        names = self._split.get(block)
        if names is None:
            names = self._split[block] = self.blocks[block].split("\n")
        place = bisect_left(names, name)
        is_there = place < len(names) and names[place] == name
        return self._masks[block * _BLOCK_NAMES + place] if is_there else 0

    def items(self) -> Iterator[tuple[str, int]]:
        """Yield every name with its bits, in alphabetical order."""
        names = (name for block in self.blocks for name in block.split("\n"))
        return zip(names, self._masks, strict=True)

    def pack(self) -> tuple[Sequence[str], bytes]:
        """Return blocks and bits, these in this machine's order of bytes."""
        return self.blocks, self._masks.tobytes()


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
    content = tuple[dict[str, Any], list[str], bytes]
    header, blocks, masks = msgspec.msgpack.decode(body, type=content)
    return header, NameTable(blocks, masks)
