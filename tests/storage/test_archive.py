"""Backup of a whole data folder and its restoration: the same bytes, or nothing."""

import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest

from tests.applications import (
    Clock,
    OpenApplication,
    complete,
    delete_for_good,
    open_test_application,
    stage,
)
from winnow.core.errors import StartRefused
from winnow.core.identities import LOCAL_ACCOUNT, LOCAL_IDENTITY
from winnow.core.lists.exports import Export
from winnow.core.lists.rows import Variant
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.verdict import Category
from winnow.services.tasks.integrity import find_faults
from winnow.storage.blobs.archive import (
    FORMAT,
    find_unfinished_backups,
    remove_unfinished_backups,
    restore_backup,
    write_backup,
)
from winnow.storage.blobs.folder import DataFolder, FolderLock
from winnow.storage.blobs.marking import UNFINISHED_NAME
from winnow.storage.database.tables import OLDEST_VERSION, SCHEMA_VERSION
from winnow.wiring import Application

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def opened(open_application: OpenApplication) -> Application:
    """A folder with a project, a key, a link, an own list, usage, an upload."""
    opened = open_application()
    services = opened.services
    services.own_lists.add(LOCAL_ACCOUNT, "bad.example", Category.BLACK, "complained")
    task = complete(opened)
    services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Export(Variant.ORIGINAL))
    services.keys.create(LOCAL_ACCOUNT, "crm", KeyType.LIVE, identity=LOCAL_IDENTITY)
    stage(opened, name="waiting.csv")
    return opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where backups are written."""
    return tmp_path / "winnow.tar.zst"


@pytest.fixture
def new(tmp_path: Path) -> DataFolder:
    """A folder that is not there, next to ``opened``."""
    return DataFolder(tmp_path / "new" / "data")


Reopen = Callable[[], Application]


@pytest.fixture
def reopen(new: DataFolder, clock: Clock) -> Reopen:
    """Open the new folder."""
    return lambda: open_test_application(new.root.parent, clock)


def describe(opened: Application) -> object:
    """Return what an account has, and every byte of its files."""
    services, root = opened.services, opened.folder.root
    kinds = (opened.folder.inputs, opened.folder.results, opened.folder.own_files)
    files = (path for kind in kinds for path in kind.rglob("*") if path.is_file())
    return (
        services.tasks.list(LOCAL_ACCOUNT),
        services.own_lists.list(LOCAL_ACCOUNT),
        services.keys.list(LOCAL_ACCOUNT),
        services.usage.days(LOCAL_ACCOUNT),
        services.usage.storage(LOCAL_ACCOUNT),
        services.uploads.list_waiting(LOCAL_ACCOUNT),
        opened.folder.read_pepper(),
        {str(path.relative_to(root)): path.read_bytes() for path in files},
    )


def write_list(rows: int) -> bytes:
    """Return a list that cannot be packed well."""
    return b"email\n" + b"".join(os.urandom(200).hex().encode() + b"\n" for _ in range(rows))


def back_up(opened: Application, path: Path) -> Path:
    write_backup(opened.folder, opened.database, path, NOW)
    return path


@pytest.mark.parametrize("is_whole", [True, False], ids=["whole", "with-lost-files"])
def test_what_is_restored_is_what_was_there(
    opened: Application, path: Path, new: DataFolder, reopen: Reopen, is_whole: bool
) -> None:
    (result,) = opened.folder.results.iterdir()
    if not is_whole:
        shutil.rmtree(result)
    faults = find_faults(opened.database, opened.blobs)
    assert (faults == ()) is is_whole
    back_up(opened, path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(opened.folder.backups.iterdir()) == []
    head = restore_backup(path, new)
    assert (head.format, head.made_at) == (FORMAT, NOW)
    again = reopen()
    assert describe(again) == describe(opened)
    assert find_faults(again.database, again.blobs) == faults


def test_a_backup_never_replaces_a_file(opened: Application, path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(FileExistsError):
        back_up(opened, path)
    assert path.read_text() == "precious"
    with pytest.raises(FileNotFoundError):
        back_up(opened, path.parent / "missing" / "backup")


def test_while_a_backup_is_written_none_other_is_nor_are_its_links_removed(
    opened: Application, path: Path
) -> None:
    """A second one would replace its file; links of a killed one keep deleted lists on the disk."""
    left = opened.folder.backups / ".unfinished-backup-abc"
    (left / "0").mkdir(parents=True)
    (opened.folder.backups / "backup-mine").mkdir()
    other = FolderLock.try_acquire(opened.folder, opened.folder.backup_lock)
    assert other is not None
    with pytest.raises(StartRefused, match="Another backup"):
        back_up(opened, path)
    remove_unfinished_backups(opened.folder)
    assert (path.exists(), left.exists()) == (False, True)
    other.release()
    back_up(opened, path)
    remove_unfinished_backups(opened.folder)
    assert [path.name for path in opened.folder.backups.iterdir()] == ["backup-mine"]


def test_a_folder_without_its_secret_is_not_backed_up(opened: Application, path: Path) -> None:
    opened.folder.pepper.unlink()
    with pytest.raises(StartRefused, match="pepper"):
        back_up(opened, path)
    assert list(path.parent.glob("*tar*")) == []


def test_files_of_others_in_the_folder_do_not_spoil_a_backup(
    opened: Application, path: Path, new: DataFolder
) -> None:
    (result,) = opened.folder.results.iterdir()
    for folder in (opened.folder.refreshed, result):
        (folder / "my own notes.txt").write_text("mine")
    restore_backup(back_up(opened, path), new)
    assert list(new.root.rglob("*notes*")) == []


@pytest.mark.skipif(sys.platform != "linux", reason="names of open files are read from /proc")
def test_every_restored_folder_is_synced_before_there_is_a_database(
    opened: Application, path: Path, new: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up(opened, path)
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


def test_a_damaged_backup_or_one_that_runs_makes_no_folder_and_a_good_one_may_follow(
    opened: Application, path: Path, new: DataFolder, reopen: Reopen
) -> None:
    stage(opened, write_list(2_000), name="several-blocks.csv")
    content = back_up(opened, path).read_bytes()
    for cut in (len(content) // 2, len(content) - 1):
        path.write_bytes(content[:cut])
        with pytest.raises(StartRefused, match="damaged"):
            restore_backup(path, new)
        assert not new.database.exists()
        with pytest.raises(StartRefused, match="being restored"):
            reopen()
    path.write_bytes(content)
    running = FolderLock.try_acquire(new, new.lock)
    assert running is not None
    with pytest.raises(StartRefused, match="Another restoration"):
        restore_backup(path, new)
    running.release()
    restore_backup(path, new)
    assert describe(reopen()) == describe(opened)


def test_a_folder_with_anything_in_it_is_left_alone(opened: Application, path: Path) -> None:
    back_up(opened, path)
    photos = path.parent / "photos"
    photos.mkdir()
    (photos / "holiday.jpg").write_bytes(b"x")
    for folder in (photos, opened.folder.root):
        before = sorted(folder.rglob("*"))
        with pytest.raises(StartRefused):
            restore_backup(path, DataFolder(folder))
        assert sorted(folder.rglob("*")) == before


def pack(path: Path, *members: tuple[str, bytes], kind: bytes = tarfile.REGTYPE) -> None:
    with (
        pa.CompressedOutputStream(str(path), "zstd") as file,
        tarfile.open(fileobj=file, mode="w|") as tar,
    ):
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.type, member.size = kind, len(content)
            member.linkname = "/etc/passwd"
            tar.addfile(member, io.BytesIO(content))


def write_head(**fields: object) -> tuple[str, bytes]:
    said = {"format": FORMAT, "release": "9.0", "schema": SCHEMA_VERSION, "made_at": NOW}
    return "winnow-backup.json", msgspec.json.encode({**said, **fields})


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
        (write_head(), ("pepper", b"")),
        (write_head(made_at=1),),
        (write_head(schema="new"),),
        (write_head(schema=None),),
        (("winnow-backup.json", b"[]"),),
        (("winnow-backup.json", b"\xff"),),
        *(b"", b"PK\x03\x04", b"x" * 100_000),
        *(tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE),
        *(tarfile.GNUTYPE_SPARSE, tarfile.GNUTYPE_LONGNAME, tarfile.XGLTYPE),
    ],
    ids=lambda members: str(members)[:60],
)
def test_what_is_no_backup_is_refused(
    path: Path, new: DataFolder, members: tuple[tuple[str, bytes], ...] | bytes
) -> None:
    if isinstance(members, tuple):
        pack(path, *members)
    elif len(members) == 1:
        pack(path, ("inputs/link", b""), kind=members)
    else:
        path.write_bytes(members)
    with pytest.raises((StartRefused, FileExistsError)):
        restore_backup(path, new)
    assert not new.database.exists()
    assert {one.name for one in path.parent.iterdir()} <= {path.name, "new"}


@pytest.mark.parametrize(
    ("said", "content"),
    [
        pytest.param({}, b"x" * (1 << 28), id="huge"),
        pytest.param({"major": "1", "minor": "0"}, b"9999999\n" + b"1\n" * (1 << 25), id="map"),
        pytest.param({"map": "a", "size": "1"}, b"", id="map-in-the-header"),
    ],
)
def test_a_header_is_not_read_beyond_what_ours_need(
    path: Path, new: DataFolder, said: dict[str, str], content: bytes
) -> None:
    member = tarfile.TarInfo("pepper" if said else "header")
    member.type, member.size = tarfile.REGTYPE if said else tarfile.XHDTYPE, len(content)
    member.pax_headers = {f"GNU.sparse.{name}": value for name, value in said.items()}
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        name, head = write_head()
        first = tarfile.TarInfo(name)
        first.size = len(head)
        file.write(first.tobuf() + head.ljust(512, b"\0"))
        file.write(member.tobuf(tarfile.PAX_FORMAT if said else tarfile.USTAR_FORMAT) + content)
    tracemalloc.start()
    with pytest.raises(StartRefused, match="damaged"):
        restore_backup(path, new)
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("name", ["results/holiday.jpg", "notes.txt", "inputs"])
def test_a_folder_of_others_is_not_cleared_for_a_restoration(
    opened: Application, path: Path, new: DataFolder, name: str
) -> None:
    """Also where the note of one that was cut off is there."""
    back_up(opened, path)
    new.root.mkdir(parents=True)
    for written in (UNFINISHED_NAME, "pepper"):
        (new.root / written).write_bytes(b"x")
    if name == "inputs":
        (new.root / name).symlink_to(opened.folder.inputs)
    else:
        (new.root / name).parent.mkdir(exist_ok=True)
        (new.root / name).write_bytes(b"precious")
    before = sorted((*new.root.rglob("*"), *opened.folder.root.rglob("*")))
    with pytest.raises(StartRefused, match="not empty"):
        restore_backup(path, new)
    (new.root / "server.lock").unlink()
    assert sorted((*new.root.rglob("*"), *opened.folder.root.rglob("*"))) == before


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"format": FORMAT + 1}, "newer"),
        ({"schema": SCHEMA_VERSION + 1}, "newer"),
        ({"schema": OLDEST_VERSION - 1}, "before 0.2"),
    ],
)
def test_a_newer_or_too_old_backup_is_refused_before_anything_is_written(
    path: Path, new: DataFolder, fields: dict[str, int], said: str
) -> None:
    pack(path, write_head(**fields))
    with pytest.raises(StartRefused, match=f"Winnow 9.0 .*{said}"):
        restore_backup(path, new)
    assert not new.root.parent.exists()


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


@pytest.mark.parametrize("end", ["deletion", "retention", "next-backup"])
def test_what_a_killed_backup_left_is_named_and_goes_with_the_next_deletion(
    tmp_path: Path, clock: Clock, end: str
) -> None:
    """In the folder it holds deleted lists by links, in the folder of daily backups a copy."""
    daily = tmp_path / "daily"
    opened = open_test_application(tmp_path, clock, backup_dir=daily)
    daily.mkdir()
    for name in (".winnow-mine.tar.zst.part", ".winnow-20261101-120000.tar.zst", "a.part"):
        (daily / name).write_text("precious")
    for name in ("winnow-mine.tmp", "winnow-20261101-120000-000001.db"):
        (opened.folder.backups / name).write_text("precious")
    task = complete(opened, write_list(20_000))
    path = daily / "winnow-20261101-120000.tar.zst"
    command = [sys.executable, "-c", _KILLED, str(opened.folder.root), str(path), "backup"]
    services, unfinished = opened.services, partial(find_unfinished_backups, opened.folder)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while not list(daily.glob(".winnow-20261101-120000.tar.zst.part")):
            assert process.poll() is None
        process.send_signal(signal.SIGSTOP)
        for end_of_copy in ("", "-journal"):  # of the database alone
            name = f"winnow-20261101-120000-000001.tmp{end_of_copy}"
            (opened.folder.backups / name).write_text("deleted names")
        delete_for_good(services, complete(opened).task_id)
        assert len(unfinished(daily)) == 4  # it is still being written
        process.kill()
    (fault,) = find_faults(opened.database, opened.blobs, len(unfinished(daily)))
    assert fault.startswith("4 unfinished backups hold lists")
    if end == "deletion":
        delete_for_good(services, task.task_id)
        large = [one for one in opened.folder.root.rglob("*") if one.stat().st_size > 1_000_000]
        assert large == []
    elif end == "retention":
        services.retention.sweep(clock())
    else:
        services.backups.sweep(clock())
    assert unfinished(daily) == []
    assert len(list(daily.iterdir())) == 3 + (end == "next-backup")
    assert len(list(opened.folder.backups.iterdir())) == 2


@pytest.mark.slow
@pytest.mark.parametrize("what", ["backup", "restore"])
def test_a_kill_leaves_nothing_half(
    opened: Application, tmp_path: Path, new: DataFolder, reopen: Reopen, what: str
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
    else:
        if not new.database.exists():
            restore_backup(whole, new)
        assert describe(reopen()) == describe(opened)
    assert find_faults(opened.database, opened.blobs) == ()


def test_daily_backups_keep_the_newest(tmp_path: Path, clock: Clock) -> None:
    kept = tmp_path / "kept"
    opened = open_test_application(tmp_path, clock, backup_dir=kept, backups_kept=2)
    kept.mkdir()
    (kept / "mine.tar.zst").write_text("precious")
    (kept / ".winnow-20261101-120000.tar.zst.part").write_text("of a killed server")
    later = "winnow-20270101-120000.tar.zst"  # the clock was wrong
    (kept / later).write_text("of a wrong clock")
    for _ in range(10):
        opened.services.backups.sweep(clock())
        clock.now += timedelta(hours=12)
    (kept / later).unlink()
    names = [one.path.name for one in opened.services.backups.list()]
    assert names == ["winnow-20261124-120000.tar.zst", "winnow-20261123-120000.tar.zst"]
    assert sorted(path.name for path in kept.iterdir()) == ["mine.tar.zst", *sorted(names)]
