"""The compiled file: a header in JSON, a table of names, and a digest over both."""

import hashlib
import json
import os
import struct
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MAGIC = b"WINNOWK1"
_LENGTH = struct.Struct("<I")
_DIGEST_BYTES = 32  # SHA-256


class CompiledFileBroken(Exception):
    """The file is missing, cut short or changed; building it again mends that."""


def pack_header(header: Mapping[str, Any]) -> bytes:
    """Write a header as JSON; the same content gives the same bytes."""
    return json.dumps(header, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def write_compiled(path: Path, header: Mapping[str, Any], names: bytes) -> None:
    """Write the file beside its place and move it there: whoever looks sees all of it or none."""
    text = pack_header(header)
    body = _LENGTH.pack(len(text)) + text + names
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + hashlib.sha256(body).digest() + body)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read_compiled(path: Path) -> tuple[dict[str, Any], bytes]:
    """Read header and names.

    Raises:
        CompiledFileBroken: Missing, unreadable, or not what was written.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CompiledFileBroken(str(error)) from error
    start = len(MAGIC) + _DIGEST_BYTES
    body = memoryview(data)[start:]
    if (
        not data.startswith(MAGIC)
        or hashlib.sha256(body).digest() != data[len(MAGIC) : start]
        or len(body) < _LENGTH.size
    ):
        msg = f"{path.name} is not what was written"
        raise CompiledFileBroken(msg)
    (length,) = _LENGTH.unpack_from(body)
    header_end = _LENGTH.size + length
    return json.loads(bytes(body[_LENGTH.size : header_end])), bytes(body[header_end:])
