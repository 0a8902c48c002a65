"""Schema migrations: create, upgrade after a backup, or refuse without a change."""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Connection, insert, inspect, select, text, update

from winnow.atomic_files import FILE_MODE, open_private, put_durably
from winnow.core.disk_errors import mapping_disk_errors
from winnow.storage.blobs.folder import DataFolder, refuse_lost_pepper
from winnow.storage.blobs.marking import has_bytes, refuse_lost_database
from winnow.storage.database.database import Database, refuse_damaged_database, refuse_schema
from winnow.storage.database.tables import (
    COUNTED,
    OPENED,
    SCHEMA_VERSION,
    accounts,
    metadata,
    schema_version,
    table_versions,
    tasks,
)
from winnow.storage.repositories.quota import measure_own_lists

OWN_LISTS_COUNT_SINCE = 26  # of the schema: toward the quota
REFRESH_IS_ONE_SWITCH = """INSERT OR IGNORE INTO switches
    SELECT 'refresh', max(is_on), max(changed_at) FROM switches
    WHERE name IN ('refresh_daily', 'refresh_weekly') GROUP BY 1"""


def complete_schema(connection: Connection) -> None:
    """Bring the schema of a former version, from 0.2 on, to this one.

    Versions only ever added tables, columns that may be empty, and indexes: what is missing is
    added. What 0.3 removed is dropped: series and tags of projects, schedules of checks, choices of
    the pages, counts of the domains at mail hosts, and an index. Own lists are counted once. A
    refresh each day or week is one each week.
    """
    for removed in ("recheck_plans", "desk_choices", "server_crowds"):
        connection.execute(text(f"DROP TABLE IF EXISTS {removed}"))
    connection.execute(text("DROP INDEX IF EXISTS tasks_of_account"))
    schema = inspect(connection)
    former = set(schema.get_table_names())
    for table in metadata.sorted_tables:
        if table.name not in former:
            table.create(connection)
            continue
        columns = {column["name"] for column in schema.get_columns(table.name)}
        for column in table.c:
            if column.name not in columns:
                kind = column.type.compile(connection.dialect)
                added = f"ALTER TABLE {table.name} ADD COLUMN {column.name} {kind}"
                connection.execute(text(added))
        indexes = {index["name"] for index in schema.get_indexes(table.name)}
        for index in table.indexes:
            if index.name not in indexes:
                index.create(connection)
        for removed in columns & {"series", "tags"} if table is tasks else ():
            connection.execute(text(f"ALTER TABLE tasks DROP COLUMN {removed}"))
    count_changes(connection)
    connection.execute(text(REFRESH_IS_ONE_SWITCH))
    if connection.execute(select(schema_version.c.version)).scalar_one() < OWN_LISTS_COUNT_SINCE:
        for account, size_bytes in measure_own_lists(connection).items():
            used = {"used_bytes": accounts.c.used_bytes + size_bytes}
            connection.execute(update(accounts).where(accounts.c.name == account).values(used))


def count_changes(connection: Connection) -> None:
    """Have triggers count the changes of the ``COUNTED`` tables; those that count one stay."""
    for name in (table.name for table in COUNTED):
        first = insert(table_versions).prefix_with("OR IGNORE")
        connection.execute(first.values(name=name, version=0))
        count = f"UPDATE table_versions SET version = version + 1 WHERE name = '{name}'"  # noqa: S608
        for event in ("INSERT", "UPDATE", "DELETE"):
            trigger = f"{name}_{event} AFTER {event} ON {name} BEGIN {count}; END"
            connection.execute(text(f"CREATE TRIGGER IF NOT EXISTS {trigger}"))


def read_version(database: Database) -> int:
    """Return the schema's version, 0 for a database without tables.

    Raises:
        StartRefused: The database was written by a newer version or one before 0.2, or is
            damaged; nothing was changed.
    """
    with database.reading() as connection:
        if not inspect(connection).has_table(schema_version.name):
            return 0
        version = connection.execute(select(schema_version.c.version)).scalar_one()
    if version not in OPENED:
        raise refuse_schema("The data folder", version)
    return int(version)


def require_intact(database: Database) -> None:
    """Look at every page of the database, before anything is served from it.

    Raises:
        StartRefused: It is damaged; nothing was changed.
    """
    if not has_bytes(database.path):
        return
    with database.reading() as connection:
        found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if found != "ok":
        raise refuse_damaged_database()


def is_ready(database: Database, folder: DataFolder) -> bool:
    """Return whether no set-up or upgrade is needed; a missing database is not created.

    Raises:
        StartRefused: As ``read_version``.
    """
    return (
        has_bytes(database.path)
        and folder.pepper.exists()
        and read_version(database) == SCHEMA_VERSION
        and _has_accounts(database)
    )


def require_nothing_lost(database: Database, folder: DataFolder) -> None:
    """Refuse to create a new database or secret in place of a lost one.

    A first start makes the schema, then the pepper, then the account: where one is missing
    though a later one is there, it was lost.

    Raises:
        StartRefused: The database is missing or empty though there are files, or the pepper is
        missing though there are accounts; nothing was changed.
    """
    if not has_bytes(database.path) or read_version(database) == 0:
        if folder.holds_files():
            raise refuse_lost_database(folder.root)
        return
    if not folder.pepper.exists() and _has_accounts(database):
        raise refuse_lost_pepper("missing")


def _has_accounts(database: Database) -> bool:
    return database.first(select(accounts.c.name).limit(1)) is not None


def migrate(
    database: Database,
    folder: DataFolder,
    now: datetime,
    *,
    complete: Callable[[Connection], None] = complete_schema,
) -> None:
    """Bring the schema to this version. Call it under the folder's lock.

    A copy of an older database is put into ``backups`` first. All is one transaction: a crash or
    a failure of ``complete`` leaves the old schema.

    Raises:
        StartRefused: As ``read_version``.
    """
    version = read_version(database)
    if version == SCHEMA_VERSION:
        return
    if version > 0:
        copy_database(database, folder, now)
    with database.writing() as connection:
        if version == 0:
            metadata.create_all(connection)
            count_changes(connection)
            connection.execute(insert(schema_version).values(version=SCHEMA_VERSION))
        else:
            complete(connection)
            connection.execute(update(schema_version).values(version=SCHEMA_VERSION))
    database.path.chmod(FILE_MODE)


def copy_database(database: Database, folder: DataFolder, now: datetime) -> str:
    """Copy the database into ``backups``; return the copy's name. Never overwrites one.

    Raises:
        StorageFull, StorageFailed: The disk is full, or fails; no copy is left.
    """
    name = f"winnow-{now:%Y%m%d-%H%M%S-%f}.db"
    path = folder.backups / name
    unfinished = path.with_suffix(".tmp")
    try:
        with mapping_disk_errors():
            open_private(unfinished).close()
            database.copy_to(unfinished)
            put_durably(unfinished, path)
    except BaseException:
        for rest in folder.backups.glob(f"{path.stem}.*"):  # SQLite's journal, too
            rest.unlink()
        raise
    return name
