"""The compiled file: a header in JSON, a table of names, and a digest over both."""

import hashlib
import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
