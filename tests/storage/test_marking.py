"""Whose a data folder is: what others have is never touched, what was lost never made anew."""

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from tests.applications import Clock, complete, delete_for_good, open_test_application, stage
from tests.folders import describe_tree
from winnow.core.errors import StartRefused
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.settings import Settings
from winnow.serving import _take_over
from winnow.storage.blobs.folder import DataFolder
from winnow.storage.blobs.marking import MARK_NAME, is_marked
from winnow.storage.repositories.accounts import account_exists
from winnow.wiring import Application

ID = "3f2b8c1e-0d4a-4f6b-9c7d-5e8f1a2b3c4d"
KINDS = ("inputs", "results", "variants")


Starts = tuple[Callable[[], object], ...]


@pytest.fixture
def starts(tmp_path: Path, clock: Clock) -> Starts:
    """What opens the folder: a command, and a server."""
    return (
        lambda: open_test_application(tmp_path, clock),
        lambda: _take_over(Settings(data_dir=tmp_path / "data")),
    )


def put(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"precious")


def fill_as_winnow_would(root: Path) -> None:
    put(root / "inputs" / ID)
    put(root / "results" / f"{ID}.1" / "result")
    put(root / "variants" / f"{'a' * 64}.1.cleaned.xlsx")


def link_to_others(root: Path) -> None:
    others = root.parent / "others"
    fill_as_winnow_would(others)
    root.mkdir()
    for kind in KINDS:
        (root / kind).symlink_to(others / kind)


def be_a_link_to_others(root: Path) -> None:
    fill_as_winnow_would(root.parent / "others")
    root.symlink_to(root.parent / "others")


def hold_a_linked_mark(root: Path) -> None:
    DataFolder(root.parent / "ours").prepare()
    fill_as_winnow_would(root)
    (root / MARK_NAME).symlink_to(root.parent / "ours" / MARK_NAME)


def hold_another_database(root: Path) -> None:
    fill_as_winnow_would(root)
    with closing(sqlite3.connect(root / "winnow.db")) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE schema_version (version)")
        database.commit()


FOREIGN: dict[str, Callable[[Path], None]] = {
    "photos": lambda root: put(root / "inputs" / "holiday.jpg"),
    "a file": lambda root: put(root / "notes.txt"),
    "a hidden file": lambda root: put(root / ".profile"),
    "names like ours": fill_as_winnow_would,
    "links": link_to_others,
    "a link": be_a_link_to_others,
    "a linked mark": hold_a_linked_mark,
    "another database": hold_another_database,
    "another mark": lambda root: put(root / MARK_NAME),
    "a pepper of another size": lambda root: put(root / "pepper"),
    "a knowledge folder": lambda root: put(root / "knowledge" / "thesis.txt"),
    "no folder": put,
    "a link to nowhere": lambda root: root.symlink_to("nowhere"),
}


@pytest.mark.parametrize(("name", "make"), FOREIGN.items(), ids=FOREIGN)
def test_a_folder_of_others_is_refused_untouched(
    tmp_path: Path, starts: Starts, name: str, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "data")
    before = describe_tree(tmp_path)
    is_folder = name not in {"no folder", "a link to nowhere"}
    said = "not Winnow's" if is_folder else f'"{tmp_path / "data"}" cannot be used'
    for start in starts:
        with pytest.raises(StartRefused, match=said):
            start()
    assert describe_tree(tmp_path) == before


def test_an_empty_folder_is_marked_also_one_of_a_fresh_disk_behind_a_link(
    tmp_path: Path, clock: Clock
) -> None:
    (tmp_path / "disk" / "lost+found").mkdir(parents=True)
    (tmp_path / "disk" / ".winnow-folder-0123456789abcdef.tmp").touch()  # a start that was killed
    (tmp_path / "data").symlink_to(tmp_path / "disk")
    opened = open_test_application(tmp_path, clock)
    assert is_marked(opened.folder.root)
    task = complete(opened)
    assert task.summary is not None
    delete_for_good(opened.services, task.task_id)
    assert not list((tmp_path / "disk" / "inputs").iterdir())
    opened.database.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_link_in_place_of_a_folder_is_not_followed(
    opened: Application, tmp_path: Path, clock: Clock, kind: str
) -> None:
    fill_as_winnow_would(tmp_path / "others")
    os.utime(tmp_path / "others" / "inputs" / ID, (0, 0))
    before = describe_tree(tmp_path / "others")
    shutil.rmtree(opened.folder.root / kind)
    (opened.folder.root / kind).symlink_to(tmp_path / "others" / kind)
    opened.services.retention.sweep(clock.now)
    assert describe_tree(tmp_path / "others") == before
    opened.database.close()
    with pytest.raises(StartRefused, match=f'"{kind}" in the data folder is not a folder'):
        open_test_application(tmp_path, clock)
    assert describe_tree(tmp_path / "others") == before


def test_only_files_under_names_of_ours_are_removed(opened: Application, clock: Clock) -> None:
    root, long_name = opened.folder.root, f"{'a' * 64}.1.cleaned"
    fill_as_winnow_would(root)
    ours = [
        root / name for name in (f"inputs/{ID}", f"results/{ID}.1", f"variants/{long_name}.xlsx")
    ]
    assert all(path.exists() for path in ours)
    others = [
        root / name
        for name in (
            *("inputs/holiday.jpg", f"inputs/{ID}.bak", f"inputs/{ID.upper()}"),
            *("inputs/more/deep.txt", f"results/{ID}.2/more/deep.txt", f"results/{ID}.old/result"),
            *("variants/report.xlsx", f"variants/{long_name}"),
        )
    ]
    for path in others:
        put(path)
    linked = opened.folder.results / f"{ID}.3"
    linked.symlink_to(opened.folder.inputs / "more")
    for path in root.rglob("*"):
        os.utime(path, (0, 0), follow_symlinks=False)
    opened.services.retention.sweep(clock.now)
    assert all(path.read_bytes() == b"precious" for path in others)
    assert linked.is_symlink()
    assert not any(path.exists() for path in ours)


def test_another_folder_that_appears_in_its_place_is_left_alone(
    opened: Application, tmp_path: Path, clock: Clock
) -> None:
    """A disk that is unmounted, for instance."""
    opened.folder.root.rename(tmp_path / "unmounted")
    fill_as_winnow_would(opened.folder.root)
    os.utime(opened.folder.inputs / ID, (0, 0))
    before = describe_tree(opened.folder.root)
    opened.services.retention.sweep(clock.now)
    assert describe_tree(opened.folder.root) == before


@pytest.mark.parametrize("loss", ["missing", "empty", "without tables"])
def test_a_lost_database_is_a_refused_start_that_says_how_to_restore(
    opened: Application, tmp_path: Path, clock: Clock, starts: Starts, loss: str
) -> None:
    complete(opened)
    stage(opened)
    opened.database.copy_to(tmp_path / "copy.db")
    opened.database.close()
    for path in opened.folder.root.glob("winnow.db*"):
        path.unlink()
    if loss == "empty":
        opened.folder.database.touch()
    if loss == "without tables":
        with closing(sqlite3.connect(opened.folder.database)) as database:
            database.execute("PRAGMA user_version=1")
            database.execute("VACUUM")
    before = describe_tree(tmp_path)
    for start in starts:
        with pytest.raises(StartRefused) as caught:
            start()
        assert "backups" in (caught.value.hint or "")
        after = describe_tree(tmp_path)
        for name in ("data", "data/server.lock"):
            before.pop(name, None), after.pop(name, None)
        assert after == before
    (tmp_path / "copy.db").replace(opened.folder.database)
    again = open_test_application(tmp_path, clock)
    again.services.retention.sweep(clock.now)
    assert len(again.services.tasks.list(LOCAL_ACCOUNT)) == 1
    again.database.close()


def test_a_lost_pepper_is_a_refused_start(opened: Application, starts: Starts) -> None:
    pepper = opened.folder.read_pepper()
    opened.folder.pepper.unlink()
    for start in starts:
        with pytest.raises(StartRefused, match="pepper in the data folder is missing"):
            start()
    assert not opened.folder.pepper.exists()
    opened.folder.pepper.write_bytes(pepper)
    opened.folder.root.chmod(0o777)
    _take_over(opened.settings).release()
    if sys.platform != "win32":  # others cannot enter after a start
        assert opened.folder.root.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("done", ["folder", "schema", "pepper"])
def test_a_first_start_that_was_killed_goes_on(tmp_path: Path, clock: Clock, done: str) -> None:
    opened = open_test_application(tmp_path, clock)
    with opened.database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM accounts")
    opened.database.close()
    if done != "pepper":
        opened.folder.pepper.unlink()
    if done == "folder":
        opened.folder.database.write_bytes(b"")
    again = open_test_application(tmp_path, clock)
    assert account_exists(again.database, LOCAL_ACCOUNT)
    again.database.close()


def test_two_first_starts_at_once_make_one_folder(tmp_path: Path) -> None:
    folders = [DataFolder(tmp_path / f"data-{turn % 20}") for turn in range(80)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(DataFolder.prepare, folders))
    assert all(is_marked(folder.root) for folder in folders)
    assert not list(tmp_path.rglob("*.tmp"))
