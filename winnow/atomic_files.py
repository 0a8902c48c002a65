"""Atomic, durable writes: readers see all of a file or none, also after a power loss."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

FOLDER_MODE = 0o700
FILE_MODE = 0o600


def open_private(path: Path) -> BinaryIO:
    """Create a file for its owner alone and open it for writing bytes; it must not exist."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, FILE_MODE), "wb")


@contextmanager
def create_durably(path: Path) -> Iterator[BinaryIO]:
    """Open a new private file whose bytes are on the disk once the context ends well."""
    with open_private(path) as file:
        yield file
        sync(file)


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a private file durably; its folder is made where there is none.

    Raises:
        OSError: It cannot be written; the former file is then untouched.
    """
    path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            sync(file)
        move_durably(Path(temporary), path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def move_durably(source: Path, target: Path) -> None:
    """Put a synced file or folder in its place on the same disk."""
    os.replace(source, target)
    sync_folder(target.parent)


def put_durably(source: Path, target: Path) -> None:
    """Put a file that something else wrote in its place: private, and synced before."""
    with source.open("rb+") as file:
        sync(file)
    source.chmod(FILE_MODE)
    move_durably(source, target)


def try_writing(folder: Path, size_bytes: int) -> None:
    """Write and sync a file without a name, which is gone afterwards.

    Raises:
        OSError: The error of the disk.
    """
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(size_bytes))
        sync(file)


def sync(file: IO[bytes]) -> None:
    """Flush an open file to the disk itself."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Make renames and new names in a folder durable; Windows does so by itself."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
