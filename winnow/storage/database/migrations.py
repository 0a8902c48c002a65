"""The schema's version: made new, moved forward after a backup, or refused untouched."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, Table, insert, inspect, select, text, update
from sqlalchemy.exc import DatabaseError

from winnow.atomic_files import FILE_MODE
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
    recheck_plans,
    schema_version,
    server_crowds,
    switches,
    tasks,
    uploads,
)


def add_network_tables(connection: Connection) -> None:
    """Version 2: what DNS said, what was learned from it, and whether it may be asked."""
    metadata.create_all(connection, [switches, domain_answers, mail_servers, network_use])


def add_own_lists(connection: Connection) -> None:
    """Version 3: the accounts' own lists."""
    metadata.create_all(connection, [own_entries, own_list_versions])


def add_choices_and_ages(connection: Connection) -> None:
    """Version 4: what a download's link was made for, and when domains were registered."""
    _add_column(connection, links.c.choice)
    metadata.create_all(connection, [domain_ages])


def add_sessions(connection: Connection) -> None:
    """Version 5: sign-ins that end here, their links, and what came with an idempotency key."""
    _add_column(connection, tasks.c.fields_digest)
    _add_column(connection, links.c.session_hash)
    metadata.create_all(connection, [desk_sessions])


def add_own_changes(connection: Connection) -> None:
    """Version 6: changes of the own lists, so that they can be undone."""
    metadata.create_all(connection, [own_changes])


def add_server_crowds(connection: Connection) -> None:
    """Version 7: how many domains stand at a server beside the known ones."""
    metadata.create_all(connection, [server_crowds])


def add_run_options(connection: Connection) -> None:
    """Version 8: what was chosen for a run beside its plan."""
    _add_column(connection, tasks.c.options)


def add_policies(connection: Connection) -> None:
    """Version 9: the accounts' named policies."""
    metadata.create_all(connection, [policies])


def add_own_files(connection: Connection) -> None:
    """Version 10: what do-not-mail files and imported bounces name, beside hashes in files."""
    metadata.create_all(connection, [own_files])


def add_undo_of_deletions(connection: Connection) -> None:
    """Version 11: until when a deleted project can be brought back."""
    _add_column(connection, tasks.c.undo_until)
    _add_index(connection, tasks, "tasks_set_aside")


def add_tags(connection: Connection) -> None:
    """Version 12: what projects are tagged with."""
    _add_column(connection, tasks.c.tags)


def add_series(connection: Connection) -> None:
    """Version 13: which projects are the same list month by month."""
    _add_column(connection, tasks.c.series)


def add_recheck_plans(connection: Connection) -> None:
    """Version 14: which projects are judged anew at intervals, and what was found."""
    metadata.create_all(connection, [recheck_plans])


def add_desk_choices(connection: Connection) -> None:
    """Version 15: what the pages remember of choices, for an account and beside a project."""
    metadata.create_all(connection, [desk_choices])


def add_merges(connection: Connection) -> None:
    """Version 16: what a merged list was made of, and which files wait for one."""
    _add_column(connection, uploads.c.merge)
    _add_column(connection, uploads.c.merged_into)


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
    13: add_series,
    14: add_recheck_plans,
    15: add_desk_choices,
    16: add_merges,
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
    """Tell whether nothing need be set up or moved forward; a missing database is not made.

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
    """Refuse what would make a new database or secret in the place of a lost one.

    A first start makes the schema, then the pepper, then the account: where one is missing
    though a later one is there, it was lost.

    Raises:
        StartRefused: The database is missing or empty where files are, or the pepper is missing
            beside accounts; nothing was changed.
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
    """Copy the database into ``backups``; return the copy's name. Never overwrites one."""
    name = f"winnow-{now:%Y%m%d-%H%M%S-%f}.db"
    path = folder.backups / name
    database.copy_to(path)
    path.chmod(FILE_MODE)
    return name
