"""Blob storage in the local data folder: one file per blob, one folder per result."""

import logging
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from winnow.atomic_files import (
    FOLDER_MODE,
    move_durably,
    open_private,
    put_durably,
    sync,
    sync_folder,
)
from winnow.core.blobs import BlobKey, BlobKind, StoredBlob, is_cached
from winnow.core.lists.file_format import FORMATS
from winnow.core.lists.rows import Variant
from winnow.storage.blobs.checksums import write_sums
from winnow.storage.blobs.marking import is_marked

_READ_BYTES = 1 << 20
_ID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_FORMAT = "|".join(map(re.escape, FORMATS))
_NAMES = {
    BlobKind.INPUT: re.compile(_ID),
    BlobKind.RESULT: re.compile(rf"({_ID})\.[0-9]{{1,9}}(?:\.tmp)?"),
    BlobKind.VARIANT: re.compile(
        rf"([0-9a-f]{{64}})\.[0-9]{{1,18}}\.(?:{'|'.join(Variant)})(?:-[0-9]{{1,12}})?"
        rf"(?:\.(?:{_FORMAT})|(?:\.(?:{_FORMAT}))?\.tmp(?:\.strings)?)"
    ),
    BlobKind.OWN_FILE: re.compile(rf"({_ID})(?:\.{_ID})?(?:\.tmp)?"),
}
_SCRATCH_PREFIX = "preview-"
_SCRATCH_NAME = re.compile(rf"{_SCRATCH_PREFIX}[a-z0-9_]{{8}}")
_log = logging.getLogger(__name__)


class LocalBlobs:
    """Stores blobs in a data folder; ``fetch`` returns the stored file itself, not a copy."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def create(self, key: BlobKey) -> "_FileWriter":
        """Create the file, private to its owner."""
        return _FileWriter(self._place(key))

    @contextmanager
    def stage(self, key: BlobKey) -> Iterator[Path]:
        """Yield a temporary path next to the blob's own; a rename publishes it."""
        target = self._place(key)
        staged = target.with_name(f"{target.name}.tmp")
        remove(staged)
        if key.kind is BlobKind.RESULT:
            staged.mkdir(mode=FOLDER_MODE)
        try:
            yield staged
            publish(staged, target)
        finally:
            remove(staged)

    def fetch(self, key: BlobKey) -> Path:
        """Return the path of the blob."""
        path = self._place(key)
        path.stat()
        return path

    def read_blob(self, key: BlobKey) -> Iterator[bytes]:
        """Yield pieces of the file."""
        with self._place(key).open("rb") as file:
            while chunk := file.read(_READ_BYTES):
                yield chunk

    def size(self, key: BlobKey) -> int:
        """Return the bytes of the file, or of the files in the folder but caches and folders."""
        path = self._place(key)
        found = path.stat()
        if not stat.S_ISDIR(found.st_mode):
            return found.st_size
        parts = (entry for entry in os.scandir(path) if not is_cached(entry.name))
        return sum(entry.stat().st_size for entry in parts if entry.is_file())

    def list(self, kind: BlobKind) -> tuple[StoredBlob, ...]:
        """Return the files with Winnow's names, no links; none if the folder has no mark."""
        return tuple(
            StoredBlob(BlobKey(kind, path.name), changed_at)
            for path, changed_at in self._find_ours(kind, _NAMES[kind])
        )

    def delete(self, key: BlobKey) -> bool:
        """Remove the file or folder; one that is open on Windows, or no blob, stays."""
        path = self._place(key)
        return remove(path) or not os.path.lexists(path)

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Yield a folder on the same disk, which ``remove_scratch`` recognises by its name."""
        with TemporaryDirectory(
            prefix=_SCRATCH_PREFIX, dir=self._root / BlobKind.VARIANT, ignore_cleanup_errors=True
        ) as folder:
            yield Path(folder)

    def remove_scratch(self, changed_before: datetime) -> int:
        """Remove old scratch folders with their files."""
        found = self._find_ours(BlobKind.VARIANT, _SCRATCH_NAME)
        return sum(changed_at < changed_before and remove(path) for path, changed_at in found)

    def _place(self, key: BlobKey) -> Path:
        path = self._root / key.kind / key.name
        return path if key.part is None else path / key.part

    def _find_ours(self, kind: BlobKind, name: re.Pattern[str]) -> Iterator[tuple[Path, datetime]]:
        folder = self._root / kind
        if not is_marked(self._root):
            _log.error("the data folder has lost its mark; nothing in %s is removed", kind)
            return
        if folder.is_symlink():
            return
        for path in folder.iterdir():
            with suppress(OSError, OverflowError, ValueError):  # gone, or without a valid time
                found = path.lstat()
                if name.fullmatch(path.name) and not stat.S_ISLNK(found.st_mode):
                    yield path, datetime.fromtimestamp(found.st_mtime, UTC)


class _FileWriter:
    """Appends to a new file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = open_private(path)
        self._is_open = True

    def write(self, data: bytes) -> None:
        """Append."""
        self._file.write(data)

    def commit(self) -> None:
        """Sync the file and its name."""
        sync(self._file)
        self._file.close()
        sync_folder(self._path.parent)
        self._is_open = False

    def abort(self) -> None:
        """Close and remove the file, unless it was committed."""
        if self._is_open:
            self._is_open = False
            with suppress(OSError):  # the bytes are no longer needed
                self._file.close()
            remove(self._path)


def publish(staged: Path, target: Path) -> None:
    """Move a finished file or folder to its final name, durably.

    The engines have synced each file of a result; a checksum of each is written into the folder.
    After a crash it has either name; it counts only once the row is committed afterwards.
    """
    if staged.is_dir():
        write_sums(staged)
        sync_folder(staged)
        move_durably(staged, target)
    else:
        put_durably(staged, target)


def remove(path: Path) -> bool:
    """Remove a file, or a folder with the files in it; False if that was not done.

    Links, and folders within a folder, are not Winnow's: they stay, with the folder around them.
    """
    try:
        if path.parent.is_symlink():
            return False
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode):
            path.unlink()
            return True
        if not stat.S_ISDIR(mode):
            return False
        for entry in list(path.iterdir()):
            if stat.S_ISREG(entry.lstat().st_mode):
                entry.unlink()
        path.rmdir()
    except OSError:
        return False
    return True
