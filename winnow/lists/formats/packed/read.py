"""Reading of packed streams, a piece at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pyarrow as pa

from winnow.core.errors import BrokenFile
from winnow.core.file_faults import FileFault
from winnow.lists.unpacked_size import UnpackedSize
from winnow.words import translatable

Codec = Literal["gzip", "zstd"]

_READ_BYTES = 1 << 20
_HINT = translatable("Unpack it yourself and upload the list, or pack it again.")

# By the libraries' own messages: zlib's inflate.c and Zstandard's zstd_errors.h, through Arrow.
_FAULTS = (
    (
        "Truncated",
        translatable("The packed file ends too early: a part of it is missing."),
        FileFault.TRUNCATED,
    ),
    (
        "Dictionary mismatch",
        translatable("The file was packed with a dictionary, which is not in it."),
        FileFault.DAMAGED,
    ),
    (
        "too much memory",
        translatable("The file was packed with a window of more than 128 MiB (zstd --long)."),
        FileFault.TOO_LARGE,
    ),
    (
        "",  # any other
        translatable("The packed file is damaged, or followed by something that is not packed."),
        FileFault.DAMAGED,
    ),
)


def unpack(path: Path, codec: Codec, most_bytes: int | None = None) -> Iterator[bytes]:
    """Yield the contents of all members or frames of a file, at most so many bytes.

    Raises:
        BrokenFile: It is damaged, cut off, followed by something else, needs a dictionary or a
            window of more than 128 MiB, or holds more than ``UnpackedSize`` lets it.
    """
    size = UnpackedSize(path.stat().st_size, most_bytes=most_bytes)
    with pa.OSFile(str(path)) as file, pa.CompressedInputStream(file, codec) as stream:
        while True:
            try:
                chunk = stream.read(_READ_BYTES)
            except OSError as error:
                if error.errno is not None:  # of the disk
                    raise
                found = ((text, fault) for mark, text, fault in _FAULTS if mark in str(error))
                detail, fault = next(found)
                raise BrokenFile(detail, hint=_HINT, fault=fault) from error
            if not chunk:
                return
            size.add(len(chunk))
            yield chunk
