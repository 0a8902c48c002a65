"""The data folder and its database: settings, all or nothing, versions, the lock."""

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, insert, select, update
from sqlalchemy.event import listen, remove
from sqlalchemy.exc import IntegrityError

from tests.applications import Clock
from winnow.core.errors import StartRefused, StorageFull
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.serving import _take_over
from winnow.storage.blobs.folder import DataFolder, FolderLock
from winnow.storage.database.database import Database, choose_journal
from winnow.storage.database.light_read import read_own_lists
from winnow.storage.database.tables import SCHEMA_VERSION, accounts, schema_version
from winnow.storage.migrations import migrate, read_version
from winnow.storage.repositories.accounts import account_exists
from winnow.storage.repositories.deletions import is_any_due, list_set_aside
from winnow.storage.repositories.tasks import list_names
from winnow.wiring import Application, back_up, find_faults


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ((3, 40, 1), ("TRUNCATE", "EXTRA")),
        ((3, 51, 2), ("TRUNCATE", "EXTRA")),
        ((3, 51, 3), ("WAL", "FULL")),
        ((3, 52, 0), ("WAL", "FULL")),
    ],
)
def test_wal_only_where_it_cannot_corrupt(
    version: tuple[int, ...], expected: tuple[str, str]
) -> None:
    assert choose_journal(version) == expected


def test_connections_have_the_settings(opened: Application) -> None:
    journal, synchronous = choose_journal(sqlite3.sqlite_version_info)
    with opened.database.reading() as connection:
        read = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert read == {
        "journal_mode": journal.lower(),
        "synchronous": {"FULL": 2, "EXTRA": 3}[synchronous],
        "foreign_keys": 1,
        "busy_timeout": 60_000,
    }


def test_a_write_that_raises_changes_nothing(opened: Application, clock: Clock) -> None:
    def break_off() -> None:
        with opened.database.writing() as connection:
            connection.execute(update(accounts).values(used_bytes=99))
            raise ZeroDivisionError

    def insert_twice() -> None:
        with opened.database.writing() as connection:
            row = {"name": "who@mailboxes.example", "created_at": clock.now}
            connection.execute(insert(accounts).values(row))
            connection.execute(insert(accounts).values(row))

    with pytest.raises(ZeroDivisionError):
        break_off()
    with pytest.raises(IntegrityError) as caught:
        insert_twice()
    assert "who@" not in str(caught.value), "an error says nothing of the values"
    with pytest.raises(IntegrityError):  # counters never go below zero
        opened.database.run(update(accounts).values(used_bytes=-1))
    (account,) = opened.database.fetch(select(accounts))
    assert account.used_bytes == 0


def test_a_full_disk_is_named_and_nothing_is_written(opened: Application, clock: Clock) -> None:
    def fill() -> None:
        with opened.database.writing() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
            rows = [{"name": f"{one}" * 20, "created_at": clock.now} for one in range(5000)]
            connection.execute(insert(accounts), rows)

    with pytest.raises(StorageFull):
        fill()
    assert len(opened.database.fetch(select(accounts))) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no modes there")
def test_the_folder_is_its_owners_alone(opened: Application) -> None:
    modes = {path.name: path.stat().st_mode & 0o777 for path in opened.folder.root.iterdir()}
    assert opened.folder.root.stat().st_mode & 0o777 == 0o700
    assert modes["winnow.db"] == modes["pepper"] == 0o600
    assert {modes[name] for name in ("inputs", "results", "backups")} == {0o700}


def test_an_upgrade_that_fails_leaves_the_old_schema(opened: Application, clock: Clock) -> None:
    def fail(connection: Connection) -> None:
        connection.execute(insert(accounts).values(name="half", created_at=clock.now))
        raise ZeroDivisionError

    with opened.database.writing() as connection:
        connection.execute(update(schema_version).values(version=SCHEMA_VERSION - 1))
    with pytest.raises(ZeroDivisionError):
        migrate(opened.database, opened.folder, clock.now, complete=fail)
    assert read_version(opened.database) == SCHEMA_VERSION - 1
    assert not account_exists(opened.database, "half")


def test_setting_up_twice_changes_nothing(opened: Application, clock: Clock) -> None:
    before = opened.folder.pepper.read_bytes()
    migrate(opened.database, opened.folder, clock.now)
    opened.folder.make_pepper()
    assert opened.folder.pepper.read_bytes() == before
    assert list(opened.folder.backups.iterdir()) == []


def test_a_corrupt_page_is_found(opened: Application, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    opened.database.copy_to(copy)
    data = bytearray(copy.read_bytes())
    data[4096 * 3 : 4096 * 3 + 512] = os.urandom(512)
    copy.write_bytes(data)
    assert Database(copy).find_faults() != []


@pytest.mark.parametrize(
    ("find", "written"),
    [
        pytest.param(lambda data: len(data) // 2, None, id="cut"),
        pytest.param(lambda data: 50, None, id="cut-in-the-header"),
        pytest.param(lambda data: 0, bytes(100), id="no-header"),
        pytest.param(lambda data: 47, b"\xff", id="unknown-format"),
        pytest.param(lambda data: data.index(b"CREATE TABLE") + 3, b"\xeb", id="no-text"),
        pytest.param(lambda data: 4096, b"\xa5" * 4096, id="page"),
        pytest.param(lambda data: 8192, bytes(4096), id="empty-page"),
    ],
)
def test_damage_stops_the_start_and_every_command_in_words(
    opened: Application, find: Callable[[bytes], int], written: bytes | None
) -> None:
    """Both ways to start take over the folder so."""
    opened.database.close()
    path, settings = opened.database.path, opened.settings
    data = path.read_bytes()
    at = find(data)
    damaged = data[:at] + ((written + data[at + len(written) :]) if written else b"")
    path.write_bytes(damaged)
    with pytest.raises(StartRefused, match="damaged"):
        _take_over(settings)
    assert path.read_bytes() == damaged
    for act in (find_faults, back_up, lambda _: read_own_lists(path, LOCAL_ACCOUNT)):
        with suppress(StartRefused):
            act({"WINNOW_DATA_DIR": str(settings.data_dir)})


def test_a_second_holder_of_the_lock_is_refused(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    folder.prepare()
    first = FolderLock.acquire(folder)
    with pytest.raises(StartRefused, match="Another Winnow server"):
        FolderLock.acquire(folder, patience_seconds=0)
    first.release()
    FolderLock.acquire(folder, patience_seconds=0).release()


def test_a_damaged_pepper_is_refused(opened: Application) -> None:
    opened.folder.pepper.write_bytes(b"short")
    with pytest.raises(StartRefused, match="pepper"):
        opened.folder.read_pepper()


@pytest.mark.parametrize(
    ("read", "plan"),
    [
        pytest.param(
            lambda database, now: list_names(database, LOCAL_ACCOUNT, now),
            "COVERING INDEX tasks_present",
            id="names",
        ),
        pytest.param(
            lambda database, now: list_set_aside(database, LOCAL_ACCOUNT, now),
            "INDEX tasks_set_aside",
            id="set-aside",
        ),
        pytest.param(is_any_due, "INDEX tasks_set_aside", id="due"),
    ],
)
def test_what_is_read_again_and_again_reads_no_other_project(
    opened: Application, read: Callable[[Database, datetime], object], plan: str
) -> None:
    plans: list[str] = []

    def explain(connection: Connection, _: object, query: str, values: Any, *rest: object) -> None:
        if not query.startswith("EXPLAIN"):
            found = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", values)
            plans.extend(row.detail for row in found if " tasks" in row.detail)

    listen(Engine, "before_cursor_execute", explain)
    try:
        read(opened.database, opened.services.clock())
    finally:
        remove(Engine, "before_cursor_execute", explain)
    assert plans
    assert [one for one in plans if plan not in one] == []
