"""Backup of a data folder as one file, and its restoration into an empty folder.

A backup is a tar file packed with Zstandard: ``winnow-backup.json`` (what it is), the files of the
folder by their own names, and ``checksums.json`` at the end.
"""

import hashlib
import logging
import os
import re
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, Never

import msgspec
from sqlalchemy import select

from winnow.atomic_files import create_durably, move_durably, open_private, sync, sync_folder
from winnow.core.blobs import BlobKind, is_cached
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.errors import StartRefused
from winnow.core.release import VERSION
from winnow.storage.blobs.folder import DataFolder, FolderLock
from winnow.storage.blobs.marking import (
    DATABASE_NAME,
    MARK_NAME,
    PEPPER_BYTES,
    PEPPER_NAME,
    UNFINISHED_NAME,
    is_ours,
    set_mark,
)
from winnow.storage.database.database import Database, refuse_schema
from winnow.storage.database.tables import OPENED, SCHEMA_VERSION, own_files, tasks, uploads

FORMAT = 1
_log = logging.getLogger(__name__)
_HEAD, _SUMS = "winnow-backup.json", "checksums.json"
_WORK = ".unfinished-backup-"  # folders of backups being written
_DAILY_PART = re.compile(r"\.winnow-\d{8}-\d{6}\.tar\.zst\.part")
_COPY_PART = re.compile(r"winnow-\d{8}-\d{6}-\d{6}\.tmp(-journal|-wal|-shm)?")
_TRIES = 5  # files that are deleted between the copy of the database and theirs ask for another
_COPY_BYTES = 1 << 20
_DESCRIPTION_MOST_BYTES = 1 << 26
_EXTENDED_MOST_BYTES = 1 << 12  # pax headers: a size beyond 8 GB
_NAME = re.compile(
    rf"{re.escape(DATABASE_NAME)}|{PEPPER_NAME}"
    rf"|(?:{BlobKind.INPUT}|{BlobKind.OWN_FILE}|refreshed)/[\w.-]+"
    rf"|{BlobKind.RESULT}/[0-9a-f.-]+/[\w.-]+",
    re.ASCII,
)


class BackupHead(msgspec.Struct, frozen=True):
    """What a backup says of itself; ``made_at`` in UTC."""

    format: int
    release: str
    schema: int
    made_at: datetime


def write_backup(folder: DataFolder, database: Database, path: Path, now: datetime) -> None:
    """Write the state of one moment, also while a server runs. Never replaces a file.

    The database is copied first; the files that it names never change, so links to them hold the
    moment while the backup is written. Lost files, which ``winnow integrity`` names, are left out.

    Raises:
        FileExistsError: Something is there already.
        StartRefused: Another backup is being written, or the pepper is lost.
        StorageFull, StorageFailed: The disk is full, or fails; no file is left.
    """
    if os.path.lexists(path):
        raise FileExistsError(f"{path} is already there")
    folder.read_pepper()  # without it the backup could not be restored
    unfinished = path.with_name(f".{path.name}.part")
    with (
        mapping_disk_errors(),
        excluding_others(folder),
        tempfile.TemporaryDirectory(
            prefix=_WORK,
            dir=folder.backups,
            ignore_cleanup_errors=True,  # Windows deletes no file that a worker has open
        ) as work,
    ):
        moment = _hold_moment(folder, database, Path(work))
        unfinished.unlink(missing_ok=True)
        try:
            with open_private(unfinished) as file:
                _write_tar(moment, BackupHead(FORMAT, VERSION, SCHEMA_VERSION, now), file)
            with unfinished.open("rb+") as file:  # the compressor closes its file
                sync(file)
            _publish(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)


def find_unfinished_backups(folder: DataFolder, target: Path | None) -> list[Path]:
    """Return what killed backups left, or one at work is writing.

    In the data folder their links keep deleted lists alive; in ``target``, the folder of daily
    backups, there are incomplete files.
    """
    parts = target.glob(".winnow-*.part") if target is not None else ()
    daily = (path for path in parts if _DAILY_PART.fullmatch(path.name))
    copies = folder.backups.glob("winnow-*.tmp*")
    copied = (path for path in copies if _COPY_PART.fullmatch(path.name))
    return [*folder.backups.glob(f"{_WORK}*/"), *copied, *daily]


def remove_unfinished_backups(folder: DataFolder, target: Path | None = None) -> int:
    """Remove what killed backups left, unless a backup is being written; return how much."""
    if not find_unfinished_backups(folder, target):
        return 0
    with suppress(StartRefused), excluding_others(folder, target) as removed:
        return removed
    return 0


@contextmanager
def excluding_others(folder: DataFolder, target: Path | None = None) -> Iterator[int]:
    """Hold the lock of backups, and remove what killed ones left; yield how much.

    Raises:
        StartRefused: Another backup is being written.
    """
    lock = FolderLock.try_acquire(folder, folder.backup_lock)
    if lock is None:
        raise StartRefused("Another backup of this folder is being written. Wait for its end.")
    try:
        unfinished = find_unfinished_backups(folder, target)
        for path in unfinished:
            with suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        yield sum(not path.exists() for path in unfinished)
    finally:
        lock.release()


def _publish(unfinished: Path, path: Path) -> None:
    try:
        os.link(unfinished, path)  # unlike a rename, it replaces nothing
    except FileExistsError:
        raise
    except OSError:  # a disk without links
        unfinished.rename(path)
    sync_folder(path.parent)


def _hold_moment(folder: DataFolder, database: Database, work: Path) -> Path:
    """Return a folder with a copy of the database and links to the files that it names."""
    missing: set[str] = set()
    for number in range(_TRIES):
        moment = work / str(number)
        moment.mkdir()
        database.copy_to(moment / DATABASE_NAME)
        names = _list_files(folder, moment / DATABASE_NAME)
        gone = {name for name in names if not _link(folder.root / name, moment / name)}
        if gone <= missing:  # none; or lost, not deleted: a later copy still names them
            if gone:
                _log.warning("backup without %d lost files; see winnow integrity", len(gone))
            return moment
        missing |= gone
    raise StartRefused("Projects were deleted all the time; no backup was made. Try again.")


def _list_files(folder: DataFolder, copy: Path) -> Iterator[str]:
    """Yield the names of the files that belong to a copy of the database."""
    copied = Database(copy)
    try:
        with copied.reading() as connection:
            staged = select(uploads.c.upload_id).where(uploads.c.sha256.is_not(None))
            live = select(tasks.c.upload_id, tasks.c.result).where(tasks.c.deleted_at.is_(None))
            inputs = set(connection.scalars(staged))
            projects = connection.execute(live).all()
            hashes = select(own_files.c.file_id).where(own_files.c.sha256.is_not(None))
            own = set(connection.scalars(hashes))
    finally:
        copied.close()
    yield PEPPER_NAME
    refreshed = (f"refreshed/{path.name}" for path in folder.refreshed.iterdir() if path.is_file())
    yield from filter(_NAME.fullmatch, refreshed)  # no files of others
    yield from (
        f"{BlobKind.INPUT}/{name}" for name in sorted(inputs | {one[0] for one in projects})
    )
    yield from (f"{BlobKind.OWN_FILE}/{name}" for name in sorted(own))
    for name in sorted(result for _, result in projects if result is not None):
        try:
            parts = sorted((folder.results / name).iterdir())
        except FileNotFoundError:
            yield f"{BlobKind.RESULT}/{name}"
            continue
        for part in parts:
            path = f"{BlobKind.RESULT}/{name}/{part.name}"
            if part.is_file() and not is_cached(part.name) and _NAME.fullmatch(path):
                yield path


def _link(source: Path, target: Path) -> bool:
    """Hold a file by a link, or a copy; return whether it is there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        try:
            os.link(source, target)
        except (OSError, NotImplementedError):  # a disk without links
            shutil.copyfile(source, target)
    except FileNotFoundError:
        return False
    return True


def _write_tar(moment: Path, head: BackupHead, file: BinaryIO) -> None:
    import pyarrow as pa  # the server needs it for backups alone

    sums: dict[str, str] = {}
    with (
        pa.CompressedOutputStream(file, "zstd") as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        _add(tar, _HEAD, msgspec.json.encode(head))
        for path in sorted(path for path in moment.rglob("*") if path.is_file()):
            name = path.relative_to(moment).as_posix()
            with path.open("rb") as content:
                sums[name] = hashlib.file_digest(content, "sha256").hexdigest()
                content.seek(0)
                member = tarfile.TarInfo(name)
                member.size = os.fstat(content.fileno()).st_size
                tar.addfile(member, content)
        _add(tar, _SUMS, msgspec.json.encode(sums))


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    tar.addfile(member, BytesIO(content))


def restore_backup(path: Path, folder: DataFolder) -> BackupHead:
    """Write the files of a backup into a missing or empty folder; return what the backup is.

    A folder where a restoration was cut off is cleared and filled again. Until every checksum
    agrees there is no database in the folder, so that no server starts on half of it.

    Raises:
        StartRefused: It is no backup, damaged, or as ``refuse_schema``; or the folder is not empty,
            or another restoration is filling it.
        OSError: The backup cannot be read.
        StorageFull, StorageFailed: The disk is full, or fails.
    """
    with mapping_disk_errors(), _opening(path) as tar:
        head = _read_head(tar)
        with _beginning(folder) as root:
            sums = _extract(tar, root)
            if not {DATABASE_NAME, PEPPER_NAME} <= sums.keys():
                raise _refuse_damaged()
            for place in {parent for name in sums for parent in PurePosixPath(name).parents}:
                sync_folder(root / place)
            move_durably(root / f"{DATABASE_NAME}.part", root / DATABASE_NAME)
            set_mark(root)
            (root / UNFINISHED_NAME).unlink()
            folder.prepare()
    return head


class _Member(tarfile.TarInfo):
    """Plain file with a small header; tarfile reads headers, and maps of sparse files, at once."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "_Member":
        """Read a header.

        Raises:
            ReadError: It is none of those that backups have.
        """
        member = super().frombuf(buf, encoding, errors)
        if member.type == tarfile.XHDTYPE and member.size <= _EXTENDED_MOST_BYTES:  # of huge files
            return member
        return member if member.type == tarfile.REGTYPE else cls._refuse()

    @staticmethod
    def _refuse(*_: object) -> Never:
        raise tarfile.ReadError("no member of a backup")

    _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _refuse


@contextmanager
def _opening(path: Path) -> Iterator[tarfile.TarFile]:
    """Yield the tar file; what is wrong with it becomes one refusal."""
    import pyarrow as pa

    try:
        with (
            path.open("rb") as file,
            pa.CompressedInputStream(file, "zstd") as packed,
            tarfile.open(fileobj=packed, mode="r|", tarinfo=_Member) as tar,
        ):
            yield tar
    except (tarfile.TarError, pa.ArrowException, EOFError, msgspec.MsgspecError) as error:
        raise _refuse_damaged() from error
    except OSError as error:
        if error.errno is None:  # of the decompressor
            raise _refuse_damaged() from error
        raise


def _refuse_damaged() -> StartRefused:
    return StartRefused(
        "This file is no backup of Winnow, or it is damaged.",
        hint="Take another backup. Nothing in the folder can be used; delete it or restore again.",
    )


def _read_head(tar: tarfile.TarFile) -> BackupHead:
    member = tar.next()
    content = member and member.name == _HEAD and member.size < 4096 and tar.extractfile(member)
    if not content:
        raise _refuse_damaged()
    head = msgspec.json.decode(content.read(), type=BackupHead)
    if head.format != FORMAT or head.schema not in OPENED:
        raise refuse_schema(f"This backup of Winnow {head.release}", head.schema)
    return head


@contextmanager
def _beginning(folder: DataFolder) -> Iterator[Path]:
    """Yield the folder, locked, and empty but for a note that it is being restored."""
    root = folder.root
    is_cut_off = (root / UNFINISHED_NAME).is_file() and not (root / MARK_NAME).exists()
    if not is_cut_off:
        if is_ours(root):
            raise _refuse_full(root)
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with create_durably(root / UNFINISHED_NAME) as file:
            file.write(b"A backup is being restored here. If that was cut off, restore it again.\n")
    lock = FolderLock.try_acquire(folder, folder.lock)
    if lock is None:
        raise StartRefused("Another restoration into this folder is running. Wait for its end.")
    try:
        if is_cut_off:
            _clear(folder)
        yield root
    finally:
        lock.release()


def _clear(folder: DataFolder) -> None:
    """Remove the files that a restoration that was cut off has written.

    Raises:
        StartRefused: There is a link, or a file that no restoration writes; nothing was removed.
    """
    kept = {UNFINISHED_NAME, folder.lock.name}
    found = [Path(at, one) for at, inner, names in os.walk(folder.root) for one in inner + names]
    files = {path.relative_to(folder.root).as_posix(): path for path in found if not path.is_dir()}
    ours = {name for name in files if name in kept or _NAME.fullmatch(name.removesuffix(".part"))}
    if ours != files.keys() or any(path.is_symlink() for path in found):
        raise _refuse_full(folder.root)
    for name in ours - kept:
        files[name].unlink()


def _refuse_full(root: Path) -> StartRefused:
    return StartRefused(
        f'The folder "{root}" is not empty.',
        hint="Name an empty folder in WINNOW_DATA_DIR. Nothing was changed.",
    )


def _extract(tar: tarfile.TarFile, root: Path) -> dict[str, str]:
    """Write every file, each by an allowed name, and return the checksums of the backup."""
    found: dict[str, str] = {}
    while (member := tar.next()) is not None:
        content = tar.extractfile(member)
        assert content is not None  # noqa: S101  # each is a plain file
        if member.name == _SUMS and member.size < _DESCRIPTION_MOST_BYTES:
            said = msgspec.json.decode(content.read(), type=dict[str, str])
            if said != found:
                raise _refuse_damaged()
            return found
        if member.name == PEPPER_NAME and member.size != PEPPER_BYTES:
            raise _refuse_damaged()
        if not _NAME.fullmatch(member.name) or ".." in PurePosixPath(member.name).parts:
            raise _refuse_damaged()
        name = f"{DATABASE_NAME}.part" if member.name == DATABASE_NAME else member.name
        target = root / name
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with create_durably(target) as file:
            found[member.name] = _copy(content, file)
    raise _refuse_damaged()  # cut off before its end


def _copy(source: IO[bytes], target: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := source.read(_COPY_BYTES):
        digest.update(chunk)
        target.write(chunk)
    return digest.hexdigest()
