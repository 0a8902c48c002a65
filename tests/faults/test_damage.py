"""Bytes that change by themselves: a damaged database is refused, and a copy opens."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.applications import run
from tests.faults.conftest import Desk
from tests.faults.invariants import require_sound
from tests.faults.lists import MadeList
from tests.faults.processes import Servers
from tests.faults.small_server import REFUSED
from winnow.wiring import Application, back_up

LIST = MadeList(300)


def damage(database: Path, table: str) -> bytes:
    """Change 100 bytes of a table's first page; return what the file is then."""
    content, at = bytearray(database.read_bytes()), find_page_of(database, table)
    content[at : at + 100] = bytes(byte ^ 0xFF for byte in content[at : at + 100])
    database.write_bytes(content)
    return bytes(content)


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
    damaged = damage(opened.folder.database, table)
    assert servers.launch().wait() == REFUSED
    assert "damaged" in servers.last_words()
    assert "backups" in servers.last_words()
    assert opened.folder.database.read_bytes() == damaged
    copy.replace(opened.folder.database)
    servers.start()
    servers.stop()
    require_sound(opened, desk.submitted)
