"""The data folder: its paths, private to its owner, served by one server at a time."""

import errno
import os
import secrets
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from winnow.atomic_files import FILE_MODE, FOLDER_MODE, write_atomically
from winnow.core.blobs import BlobKind
from winnow.core.errors import StartRefused
from winnow.storage.blobs.marking import (
    DATABASE_NAME,
    PEPPER_BYTES,
    PEPPER_NAME,
    claim,
    has_bytes,
    is_ours,
    refuse_lost_database,
    refuse_unusable,
)

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class _Path:
    """Path of something in a data folder."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, folder: "DataFolder", owner: type | None = None) -> Path:
        return folder.root / self.name


@dataclass(frozen=True, slots=True)
class DataFolder:
    """Paths of one installation.

    ``inputs/<upload_id>`` are the uploads, staged or taken by a task; ``results/<task>.<attempt>``
    are published results, unfinished ones end in ``.tmp``; ``variants/<hash>`` are
    filtered workbooks made for a link; ``ownfiles/<file_id>`` are hashes of what do-not-mail files
    and bounces name. ``garbage_collection`` says what is removed, and when.
    """

    root: Path

    database = _Path(DATABASE_NAME)
    """The SQLite file."""
    inputs = _Path(BlobKind.INPUT)
    """Uploaded files."""
    results = _Path(BlobKind.RESULT)
    """One folder per published result."""
    variants = _Path(BlobKind.VARIANT)
    """Filtered workbooks."""
    own_files = _Path(BlobKind.OWN_FILE)
    """Hashes of what own files name."""
    backups = _Path("backups")
    """Copies of the database, made before each migration and by command."""
    knowledge = _Path("knowledge")
    """Compiled domain knowledge; can be rebuilt at any time."""
    refreshed = _Path("refreshed")
    """The last good copies of lists that were refreshed; can only be had by refreshing."""
    rdap = _Path("rdap")
    """The last good copy of IANA's table of registries; made when it is first fetched."""
    pepper = _Path(PEPPER_NAME)
    """The secret of the key hashes, which are useless without it; never in the database."""
    lock = _Path("server.lock")
    """The file whose OS lock the server holds."""
    backup_lock = _Path("backup.lock")
    """The file whose OS lock a process holds while it writes a backup."""

    def require_usable(self) -> None:
        """Check that the folder can be Winnow's; nothing is changed.

        Raises:
            StartRefused: It is not Winnow's, has lost its database, or has a link or a file
            where Winnow keeps files.
        """
        if not is_ours(self.root):
            return
        for kept in (self.inputs, self.results, self.variants, self.own_files):
            if kept.is_symlink() or (kept.exists() and not kept.is_dir()):
                raise StartRefused(
                    f'"{kept.name}" in the data folder is not a folder of its own.',
                    hint="Winnow follows no links where it removes files. Put a folder in its "
                    "place, with the files that belong in it.",
                )
        if self.holds_files() and not has_bytes(self.database):
            raise refuse_lost_database(self.root)

    def prepare(self) -> None:
        """Make the folders, marked as Winnow's; others can no longer enter the data folder.

        Raises:
            StartRefused: As ``check``, or it cannot be made or written to.
        """
        self.require_usable()
        claim(self.root)
        try:
            self.root.chmod(FOLDER_MODE)
            for folder in (
                *(self.inputs, self.results, self.variants, self.own_files),
                *(self.backups, self.knowledge, self.refreshed),
            ):
                folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        except OSError as error:
            raise refuse_unusable(self.root, error.strerror or str(error)) from error

    def holds_files(self) -> bool:
        """Return whether there are files that only exist if there was a database."""
        return self.pepper.exists() or any(
            folder.is_dir() and any(folder.iterdir())
            for folder in (self.inputs, self.results, self.backups)
        )

    def make_pepper(self) -> None:
        """Write a new pepper unless there is one. Call it under the lock."""
        if not self.pepper.exists():
            write_atomically(self.pepper, secrets.token_bytes(PEPPER_BYTES))

    def read_pepper(self) -> bytes:
        """Return the pepper.

        Raises:
            StartRefused: It is not there, or has been cut or overwritten.
        """
        try:
            pepper = self.pepper.read_bytes()
        except FileNotFoundError as error:
            raise refuse_lost_pepper("missing") from error
        except OSError as error:
            raise refuse_unusable(self.root, error.strerror or str(error)) from error
        if len(pepper) != PEPPER_BYTES:
            raise refuse_lost_pepper("damaged")
        return pepper


def refuse_lost_pepper(state: str) -> StartRefused:
    """Return the refusal of a database whose secret is missing or damaged."""
    return StartRefused(
        f"The file {PEPPER_NAME} in the data folder is {state}; without it no API key can be "
        "recognised.",
        hint="Put it back from a backup of the folder. If it is lost for good, move what is left "
        "of it away and run: winnow keys reset. That revokes every key.",
    )


class FolderLock:
    """The OS lock on a data folder; it is released when the process ends."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def acquire(cls, folder: DataFolder, *, patience_seconds: float = 2.0) -> Self:
        """Take the lock; wait a moment for a command that is setting up the folder.

        Raises:
            StartRefused: A server holds it, or the folder cannot be written to.
        """
        deadline = time.monotonic() + patience_seconds
        while (lock := cls.try_acquire(folder, folder.lock)) is None:
            if time.monotonic() >= deadline:
                raise StartRefused(
                    "Another Winnow server is using this data folder.",
                    hint="Stop it first, or give this one a folder of its own: WINNOW_DATA_DIR.",
                )
            time.sleep(0.05)
        return lock

    @classmethod
    def try_acquire(cls, folder: DataFolder, path: Path) -> Self | None:
        """Take the lock of one file of the folder; None if another process holds it.

        Raises:
            StartRefused: The folder cannot be written to.
        """
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        try:
            descriptor = os.open(path, flags, FILE_MODE)
        except OSError as error:
            raise refuse_unusable(folder.root, error.strerror or str(error)) from error
        if _try_lock(descriptor):
            return cls(descriptor)
        os.close(descriptor)
        return None

    def release(self) -> None:
        """Release the lock."""
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
