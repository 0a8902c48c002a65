"""Checksums of stored bytes; those of a result's parts are written when it is published."""

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from winnow.atomic_files import create_durably
from winnow.core.blobs import BlobKey
from winnow.core.ports import Blobs

SUMS_NAME = "sums.json"
_CHUNK_BYTES = 1 << 20


def write_sums(folder: Path) -> None:
    """Write the checksums of all files of a folder into the folder, synced."""
    sums = {path.name: _checksum(_read(path)) for path in folder.iterdir() if path.is_file()}
    with create_durably(folder / SUMS_NAME) as file:
        file.write(json.dumps(sums).encode())


def is_whole(blobs: Blobs, key: BlobKey) -> bool:
    """Return whether every published part still exists; none of them is read.

    Raises:
        OSError: The disk fails.
    """
    try:
        sums = _read_sums(blobs, key)
        if sums is None:  # from before checksums were kept, or lost
            return blobs.size(key) > 0
        for name in sums:
            blobs.size(key.with_part(name))
    except (FileNotFoundError, NotADirectoryError, ValueError, TypeError, AttributeError):
        return False
    return True


def find_damaged(blobs: Blobs, key: BlobKey) -> list[str]:
    """Return the parts of a result whose bytes are not those that were published.

    Results from before checksums were kept have none, and nothing is found in them.
    """
    try:
        sums = _read_sums(blobs, key)
    except (ValueError, TypeError, AttributeError):
        return [SUMS_NAME]
    return sorted(
        name
        for name, checksum in (sums or {}).items()
        if not _is_unchanged(blobs, key.with_part(name), checksum)
    )


def digest(blobs: Blobs, key: BlobKey) -> str:
    """Return the SHA-256 of a blob's bytes, as rows of uploads and own files have it."""
    found = hashlib.sha256()
    for chunk in blobs.read_blob(key):
        found.update(chunk)
    return found.hexdigest()


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk


def _read_sums(blobs: Blobs, key: BlobKey) -> dict[str, int] | None:
    try:
        text = b"".join(blobs.read_blob(key.with_part(SUMS_NAME)))
    except FileNotFoundError:
        return None
    return {str(name): int(checksum) for name, checksum in json.loads(text).items()}


def _is_unchanged(blobs: Blobs, part: BlobKey, checksum: int) -> bool:
    try:
        return _checksum(blobs.read_blob(part)) == checksum
    except OSError:  # missing, or unreadable
        return False


def _checksum(chunks: Iterable[bytes]) -> int:
    """Return a CRC-32: against damage, not against forgery."""
    checksum = 0
    for chunk in chunks:
        checksum = zlib.crc32(chunk, checksum)
    return checksum
