"""Backup of a whole data folder and its restoration: the same bytes, or nothing."""

import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest

from tests.applications import Clock, complete, open_test_application, stage
from winnow.core.accounts import LOCAL_ACCOUNT, LOCAL_IDENTITY
from winnow.core.errors import StartRefused
from winnow.core.lists.exports import Export
from winnow.core.lists.rows import Variant
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.verdict import Category
from winnow.services.tasks.integrity import find_faults
from winnow.storage.blobs.archive import (
    FORMAT,
    remove_unfinished_backups,
    restore_backup,
    write_backup,
)
from winnow.storage.blobs.folder import DataFolder, FolderLock
from winnow.wiring import Application

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Application:
    """A folder with a project, a key, a link, an own list, usage, an upload."""
    opened = open_test_application(tmp_path, clock)
    services = opened.services
    services.own_lists.add(LOCAL_ACCOUNT, "bad.example", Category.BLACK, "complained")
    task = complete(opened)
    services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Export(Variant.ORIGINAL))
    services.keys.create(LOCAL_ACCOUNT, "crm", KeyType.LIVE, identity=LOCAL_IDENTITY)
    stage(opened, name="waiting.csv")
    return opened


@pytest.fixture
def new(tmp_path: Path) -> DataFolder:
    """A folder that is not there, next to ``opened``."""
    return DataFolder(tmp_path / "new" / "data")


@pytest.fixture
def reopen(new: DataFolder, clock: Clock) -> Callable[[], Application]:
    """Open the new folder."""
    return lambda: open_test_application(new.root.parent, clock)


def describe(opened: Application) -> object:
    """Return what an account has, and every byte of its files."""
    services, root = opened.services, opened.folder.root
    kinds = (opened.folder.inputs, opened.folder.results, opened.folder.own_files)
    return (
        services.tasks.list(LOCAL_ACCOUNT),
        services.own_lists.list(LOCAL_ACCOUNT),
        services.keys.list(LOCAL_ACCOUNT),
        services.usage.days(LOCAL_ACCOUNT),
        services.usage.storage(LOCAL_ACCOUNT),
        services.uploads.list_waiting(LOCAL_ACCOUNT),
        opened.folder.read_pepper(),
        {
            str(path.relative_to(root)): path.read_bytes()
            for kind in kinds
            for path in kind.rglob("*")
            if path.is_file()
        },
    )


def write_list(rows: int) -> bytes:
    """Return a list that cannot be packed well."""
    return b"email\n" + b"".join(os.urandom(200).hex().encode() + b"\n" for _ in range(rows))


def back_up(opened: Application, path: Path) -> Path:
    write_backup(opened.folder, opened.database, path, NOW)
    return path


def test_what_is_restored_is_what_was_there(
    opened: Application, tmp_path: Path, new: DataFolder, reopen: Callable[[], Application]
) -> None:
    path = back_up(opened, tmp_path / "winnow.tar.zst")
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(opened.folder.backups.iterdir()) == []
    head = restore_backup(path, new)
    assert (head.format, head.made_at) == (FORMAT, NOW)
    again = reopen()
    assert describe(again) == describe(opened)
    assert find_faults(again.database, again.blobs) == ()


def test_a_backup_never_replaces_a_file(opened: Application, tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_text("precious")
    with pytest.raises(FileExistsError):
        back_up(opened, path)
    assert path.read_text() == "precious"
    with pytest.raises(FileNotFoundError):
        back_up(opened, tmp_path / "missing" / "backup")


def test_two_backups_of_a_folder_are_never_written_at_once(
    opened: Application, tmp_path: Path
) -> None:
    """The second would replace the unfinished file of the first."""
    other = FolderLock.try_acquire(opened.folder, opened.folder.backup_lock)
    assert other is not None
    with pytest.raises(StartRefused, match="Another backup"):
        back_up(opened, tmp_path / "backup")
    assert not (tmp_path / "backup").exists()
    other.release()
    back_up(opened, tmp_path / "backup")


def test_links_of_a_killed_backup_are_removed_once_no_other_is_written(
    opened: Application, tmp_path: Path
) -> None:
    """They would keep deleted lists on the disk."""
    left = opened.folder.backups / ".unfinished-backup-abc"
    (left / "0").mkdir(parents=True)
    (opened.folder.backups / "backup-mine").mkdir()
    other = FolderLock.try_acquire(opened.folder, opened.folder.backup_lock)
    assert other is not None
    remove_unfinished_backups(opened.folder)
    assert left.exists()
    other.release()
    remove_unfinished_backups(opened.folder)
    assert [path.name for path in opened.folder.backups.iterdir()] == ["backup-mine"]


def test_a_folder_with_lost_files_is_backed_up_without_them(
    opened: Application, tmp_path: Path, new: DataFolder, reopen: Callable[[], Application]
) -> None:
    (result,) = opened.folder.results.iterdir()
    shutil.rmtree(result)
    lost = find_faults(opened.database, opened.blobs)
    assert lost != ()
    restore_backup(back_up(opened, tmp_path / "backup"), new)
    again = reopen()
    assert describe(again) == describe(opened)
    assert find_faults(again.database, again.blobs) == lost


def test_a_folder_without_its_secret_is_not_backed_up(opened: Application, tmp_path: Path) -> None:
    opened.folder.pepper.unlink()
    with pytest.raises(StartRefused, match="pepper"):
        back_up(opened, tmp_path / "backup")
    assert list(tmp_path.glob("*backup*")) == []


def test_files_of_others_in_the_folder_do_not_spoil_a_backup(
    opened: Application, tmp_path: Path, new: DataFolder
) -> None:
    (result,) = opened.folder.results.iterdir()
    for folder in (opened.folder.refreshed, result):
        (folder / "my own notes.txt").write_text("mine")
    restore_backup(back_up(opened, tmp_path / "backup"), new)
    assert list(new.root.rglob("*notes*")) == []


@pytest.mark.skipif(sys.platform != "linux", reason="names of open files are read from /proc")
def test_every_restored_folder_is_synced_before_there_is_a_database(
    opened: Application, tmp_path: Path, new: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = back_up(opened, tmp_path / "backup")
    synced: set[str] = set()
    sync = os.fsync

    def record(descriptor: int) -> None:
        if not new.database.exists():
            synced.add(os.readlink(f"/proc/self/fd/{descriptor}"))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", record)
    restore_backup(path, new)
    (result,) = new.results.iterdir()
    assert {str(one) for one in (new.root, new.inputs, new.results, result)} <= synced


def test_a_restoration_that_runs_or_was_cut_off_is_named_and_never_joined(
    opened: Application, tmp_path: Path, new: DataFolder
) -> None:
    path = back_up(opened, tmp_path / "backup")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StartRefused, match="damaged"):
        restore_backup(path, new)
    with pytest.raises(StartRefused, match="being restored"):
        new.prepare()
    path.write_bytes(whole)
    running = FolderLock.try_acquire(new, new.lock)
    assert running is not None
    with pytest.raises(StartRefused, match="Another restoration"):
        restore_backup(path, new)
    running.release()
    restore_backup(path, new)
    new.prepare()


def test_a_folder_with_anything_in_it_is_left_alone(opened: Application, tmp_path: Path) -> None:
    path = back_up(opened, tmp_path / "winnow.tar.zst")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "holiday.jpg").write_bytes(b"x")
    for folder in (tmp_path / "photos", opened.folder.root):
        before = sorted(folder.rglob("*"))
        with pytest.raises(StartRefused):
            restore_backup(path, DataFolder(folder))
        assert sorted(folder.rglob("*")) == before


def pack(path: Path, *members: tuple[str, bytes], kind: bytes = tarfile.REGTYPE) -> Path:
    with (
        pa.CompressedOutputStream(str(path), "zstd") as file,
        tarfile.open(fileobj=file, mode="w|") as tar,
    ):
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.type, member.size = kind, len(content)
            member.linkname = "/etc/passwd"
            tar.addfile(member, io.BytesIO(content))
    return path


def write_head(**fields: object) -> tuple[str, bytes]:
    said = {"format": FORMAT, "release": "0.3", "schema": 1, "made_at": NOW.isoformat(), **fields}
    return "winnow-backup.json", msgspec.json.encode(said)


@pytest.mark.parametrize(
    "members",
    [
        (),
        (("winnow.db", b""),),
        (write_head(),),
        (write_head(), ("checksums.json", b"{}")),
        (write_head(), ("../escaped", b"x")),
        (write_head(), ("/etc/escaped", b"x")),
        (write_head(), ("inputs/../../escaped", b"x")),
        (write_head(), ("inputs/..", b"x")),
        (write_head(), ("holiday.jpg", b"x")),
        (write_head(), ("pepper", b"x" * 32), ("checksums.json", b'{"pepper": "00"}')),
        (write_head(), ("pepper", b"x"), ("pepper", b"y")),
        (write_head(made_at=1),),
        (("winnow-backup.json", b"[]"),),
        (("winnow-backup.json", b"\xff"),),
    ],
    ids=str,
)
def test_what_is_no_backup_is_refused(
    tmp_path: Path, members: tuple[tuple[str, bytes], ...]
) -> None:
    path = pack(tmp_path / "false.tar.zst", *members)
    folder = DataFolder(tmp_path / "new")
    with pytest.raises((StartRefused, FileExistsError)):
        restore_backup(path, folder)
    assert not folder.database.exists()
    assert sorted(one.name for one in tmp_path.iterdir()) in (
        ["false.tar.zst"],
        ["false.tar.zst", "new"],
    )


def test_links_in_a_backup_are_refused(tmp_path: Path) -> None:
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
        path = pack(tmp_path / "false.tar.zst", ("inputs/link", b""), kind=kind)
        with pytest.raises(StartRefused):
            restore_backup(path, DataFolder(tmp_path / "new"))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"x" * 100_000], ids=["0", "zip", "x"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(StartRefused, match="no backup"):
        restore_backup(path, DataFolder(tmp_path / "new"))


@pytest.mark.parametrize("fields", [{"format": FORMAT + 1}, {"schema": 10_000}], ids=str)
def test_a_newer_backup_is_refused_before_anything_is_written(
    tmp_path: Path, fields: dict[str, int]
) -> None:
    path = pack(tmp_path / "newer.tar.zst", write_head(release="9.0", **fields))
    with pytest.raises(StartRefused, match=r"newer Winnow \(9.0"):
        restore_backup(path, DataFolder(tmp_path / "new"))
    assert not (tmp_path / "new").exists()


def test_a_damaged_backup_leaves_no_database_and_can_be_followed_by_a_good_one(
    opened: Application, tmp_path: Path, new: DataFolder, reopen: Callable[[], Application]
) -> None:
    stage(opened, write_list(2_000), name="several-blocks.csv")
    path = back_up(opened, tmp_path / "winnow.tar.zst")
    content = path.read_bytes()
    for cut in (len(content) // 2, len(content) - 1):
        (tmp_path / "cut").write_bytes(content[:cut])
        with pytest.raises(StartRefused):
            restore_backup(tmp_path / "cut", new)
        assert not new.database.exists()
        with pytest.raises(StartRefused):
            reopen()
    restore_backup(path, new)
    assert describe(reopen()) == describe(opened)


_KILLED = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from winnow.storage.blobs.archive import restore_backup, write_backup
from winnow.storage.blobs.folder import DataFolder
from winnow.storage.database.database import Database
data, path, what = map(Path, sys.argv[1:])
print(flush=True)
if what.name == "backup":
    write_backup(DataFolder(data), Database(data / "winnow.db"), path, datetime.now(UTC))
else:
    restore_backup(path, DataFolder(data))
"""


@pytest.mark.slow
@pytest.mark.parametrize("what", ["backup", "restore"])
def test_a_kill_leaves_nothing_half(
    opened: Application,
    tmp_path: Path,
    new: DataFolder,
    reopen: Callable[[], Application],
    what: str,
) -> None:
    complete(opened, write_list(50_000), project_name="big")
    whole = back_up(opened, tmp_path / "whole.tar.zst")
    for number in range(12):
        path = tmp_path / "killed.tar.zst" if what == "backup" else whole
        data = opened.folder.root if what == "backup" else new.root
        with subprocess.Popen(
            [sys.executable, "-c", _KILLED, str(data), str(path), what], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(0.03 * number)
            process.send_signal(signal.SIGKILL)
        if what == "backup" and path.exists():
            restore_backup(path, DataFolder(tmp_path / f"new{number}" / "data"))
            path.unlink()
    if what == "backup":
        remove_unfinished_backups(opened.folder)
        assert list(opened.folder.backups.iterdir()) == []
    if what == "restore":
        if not new.database.exists():
            restore_backup(whole, new)
        assert describe(reopen()) == describe(opened)
    assert find_faults(opened.database, opened.blobs) == ()


def test_daily_backups_keep_the_newest(tmp_path: Path, clock: Clock) -> None:
    kept = tmp_path / "kept"
    opened = open_test_application(tmp_path, clock, backup_dir=kept, backups_kept=2)
    (tmp_path / "kept").mkdir()
    (kept / "mine.tar.zst").write_text("precious")
    (kept / ".winnow-20261101-120000.tar.zst.part").write_text("of a killed server")
    for _ in range(10):
        opened.services.backups.sweep(clock())
        clock.now += timedelta(hours=12)
    names = [one.path.name for one in opened.services.backups.list()]
    assert names == ["winnow-20261124-120000.tar.zst", "winnow-20261123-120000.tar.zst"]
    assert sorted(path.name for path in kept.iterdir()) == ["mine.tar.zst", *sorted(names)]
