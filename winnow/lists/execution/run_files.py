"""Files that a run makes, whatever its format: every one is opened here or in this package."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def create_file(path: Path) -> BinaryIO:
    """Open a new file, or one in the place of an old one, for writing."""
    return path.open("wb")


@contextmanager
def create_durably(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that is on the disk itself once the context ends without an error."""
    with create_file(path) as file:
        yield file
        sync(file)


def sync(file: BinaryIO) -> None:
    """Flush a file to the disk itself."""
    file.flush()
    os.fsync(file.fileno())


def rename_file(path: Path, name: str) -> None:
    """Give a synced file another name in its folder, which is published as a whole."""
    path.rename(path.with_name(name))
