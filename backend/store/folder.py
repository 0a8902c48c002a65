"""The data folder: what lies where, private to its owner, served by one server at a time."""

import errno
import os
import secrets
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

from backend.core.errors import StartRefused

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PEPPER_BYTES = 32  # the key of HMAC-SHA256: one digest long (RFC 2104, 3)
FOLDER_MODE = 0o700
FILE_MODE = 0o600
_LOCK_PATIENCE_SECONDS = 2.0  # a command that sets up the folder holds the lock for a moment


@dataclass(frozen=True, slots=True)
class DataFolder:
    """Paths of one installation.

    ``inputs/<upload_id>`` are the uploads, staged or taken by a task; ``results/<task>.<attempt>``
    are published results, with ``.tmp`` behind it those on their way; ``variants/<hash>`` are
    filtered workbooks made for a link; everything in them that no row names is rubbish.
    """

    root: Path

    @property
    def database(self) -> Path:
        """The SQLite file."""
        return self.root / "winnow.db"

    @property
    def inputs(self) -> Path:
        """Uploaded files."""
        return self.root / "inputs"

    @property
    def results(self) -> Path:
        """One folder a published result."""
        return self.root / "results"

    @property
    def variants(self) -> Path:
        """Filtered workbooks."""
        return self.root / "variants"

    @property
    def backups(self) -> Path:
        """Copies of the database, made before each migration and by command."""
        return self.root / "backups"

    @property
    def knowledge(self) -> Path:
        """Compiled domain knowledge; can be rebuilt at any time."""
        return self.root / "knowledge"

    @property
    def refreshed(self) -> Path:
        """The last good copies of lists that were refreshed; can only be had by refreshing."""
        return self.root / "refreshed"

    @property
    def rdap(self) -> Path:
        """The last good copy of IANA's table of registries; made when it is first fetched."""
        return self.root / "rdap"

    @property
    def pepper(self) -> Path:
        """The secret that makes stolen key hashes useless; never in the database."""
        return self.root / "pepper"

    @property
    def lock(self) -> Path:
        """The file whose OS lock the server holds."""
        return self.root / "server.lock"

    def prepare(self) -> None:
        """Make the folders, readable by their owner only.

        Raises:
            StartRefused: The folder cannot be made or written to.
        """
        try:
            for folder in (
                self.root,
                self.inputs,
                self.results,
                self.variants,
                self.backups,
                self.knowledge,
                self.refreshed,
            ):
                folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            self.root.chmod(FOLDER_MODE)
        except OSError as error:
            raise StartRefused(
                f"The data folder cannot be used: {error.strerror or error}.",
                hint="Point WINNOW_DATA_DIR to a folder of your own.",
            ) from error

    def make_pepper(self) -> None:
        """Write a new pepper unless there is one. Call it under the lock."""
        if not self.pepper.exists():
            unfinished = self.pepper.with_suffix(".tmp")
            unfinished.unlink(missing_ok=True)
            with open_private(unfinished) as file:
                file.write(secrets.token_bytes(PEPPER_BYTES))
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self.pepper)
            sync_folder(self.root)

    def read_pepper(self) -> bytes:
        """Return the pepper.

        Raises:
            StartRefused: It has been cut or overwritten.
        """
        pepper = self.pepper.read_bytes()
        if len(pepper) != PEPPER_BYTES:
            raise StartRefused(
                "The file pepper in the data folder is damaged.",
                hint="Restore it from a backup; without it no API key can be recognised.",
            )
        return pepper


def open_private(path: Path) -> BinaryIO:
    """Create a file for its owner alone and open it for writing bytes; it must not exist."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, FILE_MODE), "wb")


def sync_folder(path: Path) -> None:
    """Make renames and new names in a folder durable; Windows does so by itself."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class FolderLock:
    """The OS lock on a data folder; it ends with the process, however that ends."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def acquire(cls, folder: DataFolder, *, patience_seconds: float | None = None) -> Self:
        """Take the lock, waiting a moment for a command that is just setting up.

        Raises:
            StartRefused: A server holds it.
        """
        patience = _LOCK_PATIENCE_SECONDS if patience_seconds is None else patience_seconds
        deadline = time.monotonic() + patience
        descriptor = os.open(folder.lock, os.O_RDWR | os.O_CREAT, FILE_MODE)
        while not _try_lock(descriptor):
            if time.monotonic() >= deadline:
                os.close(descriptor)
                raise StartRefused(
                    "Another Winnow server is using this data folder.",
                    hint="Stop it first, or give this one a folder of its own: WINNOW_DATA_DIR.",
                )
            time.sleep(0.05)
        return cls(descriptor)

    def release(self) -> None:
        """Give the lock back."""
        os.close(self._descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EACCES, errno.EAGAIN, errno.EDEADLK}:
            return False
        raise
    return True
