"""One SQLite database: connections with safe settings, explicit transactions, no half-writes."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from sqlalchemy import (
    Column,
    Connection,
    Delete,
    Insert,
    Row,
    Select,
    Table,
    Update,
    create_engine,
    delete,
    event,
    select,
)
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.engine import URL
from sqlalchemy.exc import DatabaseError

from winnow.atomic_files import try_writing
from winnow.core.disk_errors import failing_disk, full_disk, name_disk_error
from winnow.core.errors import StartRefused, WinnowError
from winnow.core.release import VERSION
from winnow.core.waiting import prepare_to_wait
from winnow.storage.database.query_cache import BUSY_TIMEOUT_SECONDS, ChangeCounter, QueryCache
from winnow.storage.database.tables import OLDEST_VERSION, SCHEMA_VERSION, table_versions

WAL_SAFE_SINCE = (3, 51, 3)  # sqlite.org/wal.html, "The WAL-reset bug": 3.7.0 to 3.51.2 may corrupt
ROOM_LEAST_BYTES = 1 << 20  # a disk with less is called full
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_UNREADABLE = ("unsupported file format", "Could not decode to UTF-8", "'utf-8' codec can't decode")
_IMMEDIATE, _SINGLE = "winnow_immediate", "winnow_single"
QUOTA = "winnow_quota"  # option of a connection: what an account may use and reserve, in bytes

T = TypeVar("T")


class Database:
    """Short transactions on one database file; safe to share between threads and processes.

    ``quota_bytes`` is what each account may use and reserve.
    """

    def __init__(self, path: Path, quota_bytes: int = 0) -> None:
        self.path, self.quota_bytes = path, quota_bytes
        self._engine = create_engine(
            URL.create("sqlite", database=str(path)),
            connect_args={
                "isolation_level": None,
                "timeout": BUSY_TIMEOUT_SECONDS,
                "check_same_thread": False,
            },
            json_deserializer=msgspec.json.decode,
            execution_options={QUOTA: quota_bytes},
            hide_parameters=True,  # an error's text may reach a log; a cell must not
            pool_size=8,
            max_overflow=-1,
        )
        event.listen(self._engine, "connect", _set_up)
        event.listen(self._engine, "begin", _begin)
        self._single = self._engine.execution_options(**{_SINGLE: True})
        self.changes = ChangeCounter(path)
        self._versions = QueryCache[None, dict[str, int]](self.changes.read_number)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield one consistent view; nothing is written.

        Raises:
            StartRefused: The database is damaged.
            StorageFailed: The disk fails.
        """
        with _naming_errors(self.path.parent), self._engine.connect() as connection:
            yield connection
            connection.rollback()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Yield one transaction that owns the write lock from its start: all of it or nothing.

        Durable on the disk when this returns.

        Raises:
            StorageFull, StorageFailed: The disk is full, or fails; nothing was written.
        """
        with (
            _naming_errors(self.path.parent),
            self._engine.connect() as connection,
            connection.execution_options(**{_IMMEDIATE: True}).begin(),
        ):
            yield connection

    def fetch(self, query: Select[Any]) -> Sequence[Row[Any]]:
        """Return all rows of one query, which needs no transaction; errors as ``reading``."""
        with _naming_errors(self.path.parent), self._single.connect() as connection:
            return connection.execute(query).all()

    def first(self, query: Select[Any]) -> Row[Any] | None:
        """Return the first row of one query, as ``fetch``."""
        with _naming_errors(self.path.parent), self._single.connect() as connection:
            return connection.execute(query).first()

    def run(self, statement: Delete | Insert | Update) -> int:
        """Run one statement (``writing``); return how many rows it changed."""
        with self.writing() as connection:
            return connection.execute(statement).rowcount

    def upsert(
        self, table: Table, rows: Sequence[Mapping[str, Any]], *, adds: Sequence[str] = ()
    ) -> None:
        """Do as the function ``upsert``, in a transaction of its own."""
        if rows:
            with self.writing() as connection:
                upsert(connection, table, rows, adds=adds)

    def remove_until(self, column: Column[datetime], moment: datetime) -> int:
        """Remove the rows of a column's table whose time there is over; return how many."""
        return self.run(delete(column.table).where(column <= moment))

    def changes_of(self, table: Table) -> Callable[[], int]:
        """Return what counts the changes of one of the tables ``tables.COUNTED``."""

        def count_all(_: None) -> dict[str, int]:
            return {row.name: row.version for row in self.fetch(select(table_versions))}

        return lambda: self._versions.get(None, count_all)[table.name]

    def find_faults(self) -> list[str]:
        """Return the faults that SQLite's own check finds; none for an intact database."""
        try:
            with self.reading() as connection:
                lines = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
                orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        except StartRefused as error:
            return [f"the database cannot be read: {error.__cause__}"]
        faults = [str(line) for line in lines if line != "ok"]
        return faults + [f"a row of {row[0]} points at nothing" for row in orphans]

    def copy_to(self, path: Path) -> None:
        """Write a consistent, compact copy into an empty or new file; writers may go on.

        Raises:
            StorageFull, StorageFailed: The disk is full, or fails; the incomplete copy stays.
        """
        with _naming_errors(path.parent), self._engine.connect() as connection:
            raw = connection.connection.dbapi_connection
            assert raw is not None  # noqa: S101  # a live connection has one
            raw.execute("VACUUM INTO ?", (str(path),))

    def close(self) -> None:
        """Close every connection; the next use opens new ones."""
        self._engine.dispose()
        self.changes.close()


def upsert(
    connection: Connection,
    table: Table,
    rows: Sequence[Mapping[str, Any]],
    *,
    adds: Sequence[str] = (),
) -> None:
    """Write rows, each replaces one with its primary key; numbers in ``adds`` are added."""
    statement = insert(table)
    changes = {
        column.name: column + statement.excluded[column.name]
        if column.name in adds
        else statement.excluded[column.name]
        for column in table.c
        if not column.primary_key
    }
    keys = [column.name for column in table.primary_key]
    connection.execute(
        statement.on_conflict_do_update(index_elements=keys, set_=changes), list(rows)
    )


def value_from_row(row: Row[Any], kind: type[T]) -> T:
    """Return a row as a value with fields of its columns' names."""
    return msgspec.convert(row, kind, from_attributes=True)


@contextmanager
def _naming_errors(folder: Path) -> Iterator[None]:
    """Map SQLite's errors of a disk, and of damage, to the product's; a lock may be waited for."""
    prepare_to_wait()
    try:
        yield
    except (DatabaseError, sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raw = getattr(error, "orig", error)  # on connecting it is not SQLAlchemy's
        code = getattr(raw, "sqlite_errorcode", 0) & 0xFF
        if code in _DAMAGED or str(raw).startswith(_UNREADABLE):
            raise refuse_damaged_database() from error
        if code == sqlite3.SQLITE_FULL:
            raise full_disk() from error
        if code not in {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}:
            raise
        named = _ask_disk(folder) or (failing_disk() if code == sqlite3.SQLITE_IOERR else None)
        if named is None:
            raise
        raise named from error


def refuse_schema(what: str, version: int) -> StartRefused:
    """Return the refusal of what was written by a newer version or one before 0.2."""
    by = "a Winnow before 0.2" if version < OLDEST_VERSION else "a newer Winnow"
    return StartRefused(
        f"{what} was written by {by} (schema {version}; "
        f"Winnow {VERSION} opens {OLDEST_VERSION} to {SCHEMA_VERSION}).",
        hint="Start the version that wrote it, or use another one. Nothing was changed.",
    )


def refuse_damaged_database() -> StartRefused:
    """Return the refusal of a database that SQLite cannot read through."""
    return StartRefused(
        "The database in the data folder is damaged.",
        hint="Move winnow.db away, with winnow.db-wal and winnow.db-shm if they are there, "
        "and put a copy from the folder backups in its place.",
    )


def _ask_disk(folder: Path) -> WinnowError | None:
    """Write to a disk and return its error, which SQLite does not report."""
    try:
        try_writing(folder, ROOM_LEAST_BYTES)
    except OSError as error:
        return name_disk_error(error)
    return None


def choose_journal(version: tuple[int, ...]) -> tuple[str, str]:
    """Return journal mode and synchronous level that survive a power loss with this SQLite."""
    return ("WAL", "FULL") if version >= WAL_SAFE_SINCE else ("TRUNCATE", "EXTRA")


def _set_up(connection: Any, _: object) -> None:
    journal, synchronous = choose_journal(sqlite3.sqlite_version_info)
    connection.execute(f"PRAGMA journal_mode={journal}")
    connection.execute(f"PRAGMA synchronous={synchronous}")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA secure_delete=ON")  # what is deleted is overwritten


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if not options.get(_SINGLE):
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(_IMMEDIATE) else "BEGIN")
