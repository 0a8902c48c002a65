"""What is remembered is never older than the last commit, which the counter sees."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.applications import Clock, open_test_application
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.storage.database import tables
from winnow.storage.database.query_cache import ChangeCounter, QueryCache
from winnow.wiring import Application


def test_a_value_is_read_once_until_anybody_commits() -> None:
    commits, reads = [0], list[str]()
    cache = QueryCache[str, int](lambda: commits[0])

    def read(key: str) -> int:
        reads.append(key)
        return len(reads)

    assert [cache.get("a", read), cache.get("a", read), cache.get("b", read)] == [1, 1, 2]
    commits[0] += 1
    assert [cache.get("a", read), cache.get("a", read)] == [3, 3]


@pytest.mark.parametrize(
    ("during", "after"),
    [
        pytest.param(2, 2, id="committed-meanwhile"),
        # by a process that dies before its commit is complete; the next has the same number
        pytest.param(0, 1, id="undone-meanwhile"),
    ],
)
def test_a_value_read_while_somebody_commits_is_not_kept(during: int, after: int) -> None:
    commits = [1]
    cache = QueryCache[str, str](lambda: commits[0])

    def read_while_it_changes(_: str) -> str:
        commits[0] = during
        return "old"

    assert cache.get("a", read_while_it_changes) == "old"
    commits[0] = after
    assert cache.get("a", lambda _: "new") == "new"


def test_each_commit_is_another_number_whoever_made_it(
    opened: Application, tmp_path: Path, clock: Clock
) -> None:
    changes = opened.database.changes
    other = open_test_application(tmp_path, clock)
    numbers = [changes.read_number()]
    opened.services.usage.days(LOCAL_ACCOUNT)
    assert changes.read_number() == numbers[0], "reading changes nothing"
    for application in (opened, other, opened, other):
        application.services.accounts.create(f"account-{len(numbers)}")
        numbers.append(changes.read_number())
    assert len(set(numbers)) == len(numbers)
    other.database.close()


def test_who_asks_while_somebody_commits_does_not_wait(opened: Application) -> None:
    changes = opened.database.changes
    before = changes.read_number()
    committing = sqlite3.connect(opened.database.path, isolation_level=None)
    committing.execute("BEGIN EXCLUSIVE")
    committing.execute("INSERT INTO bans VALUES ('198.51.100.4', 1, '2026-11-21 00:00:00')")
    assert changes.read_number() == before
    committing.execute("COMMIT")
    committing.close()
    assert changes.read_number() != before


def test_commits_in_wal_mode_are_counted_too(tmp_path: Path) -> None:
    path = tmp_path / "wal.db"
    writing = sqlite3.connect(path, isolation_level=None)
    writing.execute("PRAGMA journal_mode=WAL")
    writing.execute("CREATE TABLE t (a)")
    changes = ChangeCounter(path)
    numbers = [changes.read_number(), changes.read_number()]
    assert len(set(numbers)) == 1
    for _ in range(3):
        writing.execute("INSERT INTO t VALUES (1)")
        numbers.append(changes.read_number())
    changes.close()
    numbers.append(changes.read_number())  # another connection counts anew
    assert len(set(numbers)) == 5
    changes.close()
    writing.close()


_LEAVE_IN_A_TRANSACTION = """
import atexit, sqlite3, sys
from subprocess import run
atexit.register(lambda: run([sys.executable, "-c", *sys.argv[2:0:-1]]))  # the last of all
from pathlib import Path
from winnow.storage.database import tables
from winnow.storage.database.query_cache import ChangeCounter
writing = sqlite3.connect(sys.argv[1], isolation_level=None)
writing.execute("PRAGMA journal_mode=TRUNCATE")
writing.execute("CREATE TABLE t (a)")
changes = ChangeCounter(Path(sys.argv[1]))
changes.read_number()
writing.execute("BEGIN IMMEDIATE")
"""
_WRITE = """
import sqlite3, sys
try:
    sqlite3.connect(sys.argv[1], timeout=0).execute("INSERT INTO t VALUES (1)")
except sqlite3.OperationalError as error:
    print(error)
"""


def test_a_process_that_leaves_keeps_its_locks_to_the_end(tmp_path: Path) -> None:
    """Threads may be in a commit then, and SQLite's locks end with any descriptor of the file."""
    command = [sys.executable, "-c", _LEAVE_IN_A_TRANSACTION, str(tmp_path / "a.db"), _WRITE]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "database is locked\n"


def test_only_changes_of_its_table_make_a_value_old(opened: Application) -> None:
    database, read = opened.database, list[str]()
    cache = QueryCache[str, list[str]](database.changes_of(tables.switches))

    def find() -> list[str]:
        return cache.get("all", lambda key: [*read, read.append(key) or key])

    find()
    opened.services.accounts.create("another")
    assert find() is find()
    assert read == ["all"]
    other = sqlite3.connect(database.path, isolation_level=None)
    for change in (
        "INSERT INTO switches VALUES ('dns', 1, 0)",
        "UPDATE switches SET is_on = 0 WHERE name = 'dns'",
        "DELETE FROM switches WHERE name = 'dns'",
    ):
        count = len(read)
        other.execute(change)
        find()
        assert len(read) == count + 1, change
    other.close()
