"""Bytes that change by themselves: a database is refused, a file is found."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.applications import run, stage
from tests.faults.conftest import Desk
from tests.faults.invariants import require_sound
from tests.faults.lists import MadeList
from tests.faults.processes import Servers
from tests.faults.small_server import REFUSED
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.services.tasks.integrity import find_faults
from winnow.wiring import Application, back_up

LIST = MadeList(300)


def damage(path: Path, at: int, size: int = 1) -> None:
    content = bytearray(path.read_bytes())
    for place in range(at, at + size):
        content[place] ^= 0xFF
    path.write_bytes(content)


def find_page_of(database: Path, table: str) -> int:
    """Return where a table's first page begins."""
    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        (page,) = connection.execute(query, (table,)).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    return int((page - 1) * size)


@pytest.mark.parametrize("table", ["tasks", "links", "usage_ledger"])
def test_a_damaged_page_refuses_the_start_and_a_copy_is_the_way_out(
    opened: Application, desk: Desk, servers: Servers, table: str
) -> None:
    desk.submit(LIST)
    run(opened)
    environ = {"WINNOW_DATA_DIR": str(opened.settings.data_dir)}
    copy = opened.folder.backups / back_up(environ)
    opened.database.close()
    damage(opened.folder.database, find_page_of(opened.folder.database, table), 100)
    damaged = opened.folder.database.read_bytes()
    assert servers.launch().wait() == REFUSED
    assert "damaged" in servers.last_words()
    assert "backups" in servers.last_words()
    assert opened.folder.database.read_bytes() == damaged
    copy.replace(opened.folder.database)
    servers.start()
    servers.stop()
    require_sound(opened, desk.submitted)


@pytest.mark.parametrize("name", ["result", "rows.json"])
def test_a_damaged_result_is_found(opened: Application, desk: Desk, name: str) -> None:
    task = desk.submit(LIST)
    run(opened)
    assert find_faults(opened.database, opened.blobs) == ()
    damage(opened.folder.results / f"{task.task_id}.1" / name, 7)
    (fault,) = find_faults(opened.database, opened.blobs)
    assert fault == f"the result of task {task.task_id} is damaged"


def test_a_damaged_upload_is_found(opened: Application) -> None:
    upload = stage(opened)
    damage(opened.blobs.fetch(upload.key), 7)
    (fault,) = find_faults(opened.database, opened.blobs)
    assert fault == f"the file of upload {upload.upload_id} is damaged"
    opened.services.uploads.discard(LOCAL_ACCOUNT, upload.upload_id)
