"""Data folders of every former schema open in this version, after a backup, with all they hold.

``golden/folders`` was written by the versions before: a dump of the database for each schema, and
the files that go with all of them.
"""

import shutil
import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest

from tests.applications import CHECKED_LIST, Clock, complete, open_test_application, run
from tests.folders import describe_tree
from winnow.core.errors import StartRefused
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.exports import Export
from winnow.core.lists.rows import RowFilter, Variant
from winnow.core.tasks.task import TaskState
from winnow.services.tasks.integrity import find_faults
from winnow.storage.blobs.marking import claim, is_marked
from winnow.storage.database.database import Database
from winnow.storage.database.tables import OLDEST_VERSION, SCHEMA_VERSION, metadata
from winnow.storage.migrations import read_version

FOLDERS = Path(__file__).parents[1] / "golden" / "folders"
KEY = "wk_live_a5bc1ae83eec.3MIMG7TMXZAlOCqvtNAsERbgtYTlpHET_X2A6gRxOT0"
LINK = "Rq5YNHO7ZxLY1B2VdnurfOD-v1tU0g-OdYUWbyUqY1Y"
DONE = "e9f405e1-63e8-4b1c-8553-46a1bb1c7535"
QUEUED = "f1464883-b17e-4917-b9ce-df3eb4e91577"
VERSIONS = sorted(int(path.stem.partition("-")[2]) for path in FOLDERS.glob("schema-*.sql"))
FIRST, LAST = VERSIONS[0], VERSIONS[-1]


def lay_out(folder: Path, version: int) -> None:
    claim(folder)
    shutil.copytree(FOLDERS / "files", folder, dirs_exist_ok=True)
    database = sqlite3.connect(folder / "winnow.db")
    database.executescript((FOLDERS / f"schema-{version}.sql").read_text(encoding="utf-8"))
    database.close()


def describe_schema(path: Path) -> dict[str, set[tuple[object, ...]]]:
    database = sqlite3.connect(path)
    names = [
        name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type='table'")
    ]
    described = {
        name: {column[1:] for column in database.execute(f"PRAGMA table_info({name})")}
        for name in names
    }
    described["others"] = set(
        database.execute("SELECT type, name, tbl_name FROM sqlite_master WHERE type != 'table'")
    )
    database.close()
    return described


@pytest.mark.parametrize("version", VERSIONS)
def test_a_former_folder_becomes_what_a_new_one_is_with_a_backup_of_it(
    version: int, tmp_path: Path, clock: Clock
) -> None:
    lay_out(tmp_path / "data", version)
    (tmp_path / "data" / "inputs" / "holiday.jpg").touch()
    before = describe_schema(tmp_path / "data" / "winnow.db")
    opened = open_test_application(tmp_path, clock)
    new = open_test_application(tmp_path / "new", clock)
    assert describe_schema(opened.database.path) == describe_schema(new.database.path)
    assert find_faults(opened.database, opened.blobs) == ()
    opened.services.retention.sweep(clock.now)
    assert (opened.folder.inputs / "holiday.jpg").exists()
    assert is_marked(opened.folder.root)
    for each in (opened, new):
        each.database.close()
    [backup] = opened.folder.backups.iterdir()
    assert describe_schema(backup) == before
    assert read_version(Database(backup)) == version
    assert backup.stat().st_mode & 0o077 == 0


def test_other_tables_are_another_version() -> None:
    """Folders of the version before would not be migrated: lift it with the digest."""
    names = sorted(
        f"{column.table.name}.{column.name}"
        for table in metadata.sorted_tables
        for column in table.c
    )
    digest = sha256("\n".join(names).encode()).hexdigest()[:12]
    assert (SCHEMA_VERSION, digest) == (30, "c51a8932c6ce")


@pytest.mark.parametrize("version", [FIRST, LAST])
def test_everything_it_held_is_there_and_works(version: int, tmp_path: Path, clock: Clock) -> None:
    lay_out(tmp_path / "data", version)
    opened = open_test_application(tmp_path, clock)
    services = opened.services
    assert services.keys.authenticate(KEY).name == "old scripts"
    assert [key.revoked_at is None for key in services.keys.list(LOCAL_ACCOUNT)].count(True) == 1
    assert services.bans.attempts_left("203.0.113.7") == 4
    assert services.checks.recent(LOCAL_ACCOUNT)[0].email == "one@mailboxes.example"
    assert services.usage.days(LOCAL_ACCOUNT, 1)[0].single == 1
    download = services.downloads.open(LINK)
    assert download.path is not None
    assert download.path.read_bytes() == CHECKED_LIST
    rows = services.results.rows(LOCAL_ACCOUNT, DONE, RowFilter(), 0, 10)
    assert rows.matching == 3
    again = services.downloads.issue(LOCAL_ACCOUNT, DONE, Export(Variant.ORIGINAL))
    original = services.downloads.open(again.path.rpartition("/")[2])
    assert original.path is not None
    assert original.path.stat().st_size == len(CHECKED_LIST)
    run(opened)
    assert services.tasks.get(LOCAL_ACCOUNT, QUEUED).state is TaskState.COMPLETED
    assert complete(opened).state is TaskState.COMPLETED
    assert services.own_lists.list(LOCAL_ACCOUNT).entries[0].pattern == "partner.example"
    opened.database.close()


@pytest.mark.parametrize(
    ("version", "said"), [(SCHEMA_VERSION + 1, "newer"), (OLDEST_VERSION - 1, "before 0.2")]
)
def test_a_newer_or_too_old_folder_is_refused_and_left_as_it_is(
    tmp_path: Path, clock: Clock, version: int, said: str
) -> None:
    opened = open_test_application(tmp_path, clock)
    complete(opened)
    opened.database.close()
    database = sqlite3.connect(opened.database.path)
    database.execute("UPDATE schema_version SET version = ?", (version,))
    database.commit()
    database.close()
    before = describe_tree(tmp_path / "data")
    with pytest.raises(StartRefused, match=said):
        open_test_application(tmp_path, clock)
    assert describe_tree(tmp_path / "data") == before


def test_a_queued_task_that_judges_both_addresses_fails_uncharged_and_names_it(
    tmp_path: Path, clock: Clock
) -> None:
    lay_out(tmp_path / "data", LAST)
    former = sqlite3.connect(tmp_path / "data" / "winnow.db")
    asked = """json_set(plan, '$.second_email_column', 0, '$.judges_both', json('true'))"""
    with former:
        former.execute(f"UPDATE tasks SET plan = {asked} WHERE task_id = ?", (QUEUED,))  # noqa: S608
    former.close()
    opened = open_test_application(tmp_path, clock)
    before = opened.services.usage.days(LOCAL_ACCOUNT, 1)
    run(opened)
    tasks = opened.services.tasks
    failed = tasks.get(LOCAL_ACCOUNT, QUEUED)
    assert failed.state is TaskState.FAILED
    assert failed.error is not None
    assert "judge_both: was removed; second_email_column" in failed.error["detail"]
    assert opened.services.usage.days(LOCAL_ACCOUNT, 1) == before
    again = tasks.submit_again(LOCAL_ACCOUNT, QUEUED)
    run(opened)
    assert tasks.get(LOCAL_ACCOUNT, again.task_id).state is TaskState.COMPLETED


@pytest.mark.parametrize(
    ("stored", "is_on"),
    [("", True), ("weekly,1", True), ("weekly,0", False), ("daily,1 weekly,0", True)],
)
def test_a_refresh_each_day_or_week_is_one_each_week_and_a_choice_outranks_the_setting(
    tmp_path: Path, clock: Clock, stored: str, is_on: bool
) -> None:
    lay_out(tmp_path / "data", LAST)
    former = sqlite3.connect(tmp_path / "data" / "winnow.db")
    rows = [(f"refresh_{one.partition(',')[0]}", one[-1] == "1") for one in stored.split()]
    with former:
        former.executemany("INSERT INTO switches VALUES (?, ?, 1)", rows)
    former.close()
    opened = open_test_application(tmp_path, clock, network_on=frozenset({"refresh"}))
    assert opened.services.network.is_on("refresh") is is_on
