"""Schema migrations: create, upgrade after a backup, or refuse without a change."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, Table, insert, inspect, select, text, update
from sqlalchemy.exc import DatabaseError

from winnow.atomic_files import FILE_MODE, open_private, put_durably
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.errors import StartRefused
from winnow.storage.blobs.folder import DataFolder, refuse_lost_pepper
from winnow.storage.blobs.marking import (
    DAMAGED,
    has_bytes,
    refuse_damaged_database,
    refuse_lost_database,
)
from winnow.storage.database.database import Database
from winnow.storage.database.tables import (
    SCHEMA_VERSION,
    accounts,
    desk_choices,
    desk_sessions,
    domain_ages,
    domain_answers,
    links,
    mail_servers,
    metadata,
    network_use,
    own_changes,
    own_entries,
    own_files,
    own_list_versions,
    policies,
    schema_version,
    server_crowds,
    switches,
    tasks,
    uploads,
)


def add_network_tables(connection: Connection) -> None:
    """Version 2: DNS answers, known servers, and network switches."""
    metadata.create_all(connection, [switches, domain_answers, mail_servers, network_use])


def add_own_lists(connection: Connection) -> None:
    """Version 3: the accounts' own lists."""
    metadata.create_all(connection, [own_entries, own_list_versions])


def add_choices_and_ages(connection: Connection) -> None:
    """Version 4: what a download's link was made for, and when domains were registered."""
    _add_column(connection, links.c.choice)
    metadata.create_all(connection, [domain_ages])


def add_sessions(connection: Connection) -> None:
    """Version 5: sign-in sessions, their links, and the digest with an idempotency key."""
    _add_column(connection, tasks.c.fields_digest)
    _add_column(connection, links.c.session_hash)
    metadata.create_all(connection, [desk_sessions])


def add_own_changes(connection: Connection) -> None:
    """Version 6: changes of the own lists, so that they can be undone."""
    metadata.create_all(connection, [own_changes])


def add_server_crowds(connection: Connection) -> None:
    """Version 7: how many further domains use a server, next to the known ones."""
    metadata.create_all(connection, [server_crowds])


def add_run_options(connection: Connection) -> None:
    """Version 8: the options of a run."""
    _add_column(connection, tasks.c.options)


def add_policies(connection: Connection) -> None:
    """Version 9: the accounts' named policies."""
    metadata.create_all(connection, [policies])


def add_own_files(connection: Connection) -> None:
    """Version 10: do-not-mail files and imported bounces, of which the hashes are in files."""
    metadata.create_all(connection, [own_files])


def add_undo_of_deletions(connection: Connection) -> None:
    """Version 11: until when a deleted project can be brought back."""
    _add_column(connection, tasks.c.undo_until)
    _add_index(connection, tasks, "tasks_set_aside")


def add_tags(connection: Connection) -> None:
    """Version 12: tags of projects."""
    _add_column(connection, tasks.c.tags)


def add_desk_choices(connection: Connection) -> None:
    """Version 15: choices made on the pages, per account and per project."""
    metadata.create_all(connection, [desk_choices])


def add_merges(connection: Connection) -> None:
    """Version 16: the files of merged lists."""
    _add_column(connection, uploads.c.merge)
    _add_column(connection, uploads.c.merged_into)


def skip_removed(_connection: Connection) -> None:
    """Do nothing: what the step added was removed in 0.3."""


def drop_removed(connection: Connection) -> None:
    """Version 17: series and schedules of checks were removed in 0.3."""
    connection.execute(text("DROP TABLE IF EXISTS recheck_plans"))
    if any(column["name"] == "series" for column in inspect(connection).get_columns(tasks.name)):
        connection.execute(text("ALTER TABLE tasks DROP COLUMN series"))


def _add_index(connection: Connection, table: Table, name: str) -> None:
    next(index for index in table.indexes if index.name == name).create(connection)


def _add_column(connection: Connection, column: Column[Any]) -> None:
    kind = column.type.compile(connection.dialect)
    connection.execute(text(f"ALTER TABLE {column.table.name} ADD COLUMN {column.name} {kind}"))


MIGRATIONS: Mapping[int, Callable[[Connection], None]] = {
    2: add_network_tables,
    3: add_own_lists,
    4: add_choices_and_ages,
    5: add_sessions,
    6: add_own_changes,
    7: add_server_crowds,
    8: add_run_options,
    9: add_policies,
    10: add_own_files,
    11: add_undo_of_deletions,
    12: add_tags,
    13: skip_removed,  # series of projects
    14: skip_removed,  # schedules of checks
    15: add_desk_choices,
    16: add_merges,
    17: drop_removed,
}
"""By the version that a step leads to; each runs in the transaction that records the version."""


def read_version(database: Database, *, known: int = SCHEMA_VERSION) -> int:
    """Return the schema's version, 0 for a database without tables.

    Args:
        database: Only read.
        known: The newest version that can be served.

    Raises:
        StartRefused: The database was written by a newer version, or is damaged; nothing was
            changed.
    """
    try:
        with database.read() as connection:
            if not inspect(connection).has_table(schema_version.name):
                return 0
            version = connection.execute(select(schema_version.c.version)).scalar_one()
    except DatabaseError as error:
        if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF not in DAMAGED:
            raise
        raise refuse_damaged_database() from error
    if version > known:
        raise StartRefused(
            f"The data folder was written by a newer Winnow (schema {version}; "
            f"this one knows {known}).",
            hint="Start the newer version, or use another folder. Nothing was changed.",
        )
    return int(version)


def require_intact(database: Database) -> None:
    """Look at every page of the database, before anything is served from it.

    Raises:
        StartRefused: It is damaged; nothing was changed.
    """
    if not has_bytes(database.path):
        return
    try:
        with database.read() as connection:
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    except DatabaseError as error:
        if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF not in DAMAGED:
            raise
        raise refuse_damaged_database() from error
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
    with database.read() as connection:
        return connection.execute(select(accounts.c.name).limit(1)).first() is not None


def migrate(
    database: Database,
    folder: DataFolder,
    now: datetime,
    *,
    steps: Mapping[int, Callable[[Connection], None]] = MIGRATIONS,
    target: int = SCHEMA_VERSION,
) -> None:
    """Bring the schema to the target version. Call it under the folder's lock.

    A copy of an older database is put into ``backups`` first. All steps are one transaction: a
    crash or a failing step leaves the old schema.

    Raises:
        StartRefused: As ``read_version``.
    """
    version = read_version(database, known=target)
    if version == target:
        return
    if version > 0:
        back_up(database, folder, now)
    with database.write() as connection:
        if version == 0:
            metadata.create_all(connection)
            connection.execute(insert(schema_version).values(version=target))
        else:
            for step in range(version + 1, target + 1):
                steps[step](connection)
            connection.execute(update(schema_version).values(version=target))
    database.path.chmod(FILE_MODE)


def back_up(database: Database, folder: DataFolder, now: datetime) -> str:
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
