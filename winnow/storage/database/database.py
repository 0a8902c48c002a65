"""One SQLite database: connections with safe settings, explicit transactions, no half-writes."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DatabaseError, OperationalError

from winnow.core.errors import StorageFull
from winnow.storage.database.change_counter import BUSY_TIMEOUT_SECONDS, SqliteChangeCounter

WAL_SAFE_SINCE = (3, 51, 3)  # sqlite.org/wal.html, "The WAL-reset bug": 3.7.0 to 3.51.2 may corrupt
_IMMEDIATE = "winnow_immediate"


class Database:
    """Short transactions on one database file; safe to share between threads and processes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = create_engine(
            URL.create("sqlite", database=str(path)),
            connect_args={
                "isolation_level": None,
                "timeout": BUSY_TIMEOUT_SECONDS,
                "check_same_thread": False,
            },
            hide_parameters=True,  # an error's text may reach a log; a cell must not
            pool_size=8,
            max_overflow=-1,
        )
        event.listen(self._engine, "connect", _set_up)
        event.listen(self._engine, "begin", _begin)
        self.changes = SqliteChangeCounter(path)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One consistent view; nothing is written."""
        with self._engine.connect() as connection:
            yield connection
            connection.rollback()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction that owns the write lock from its start: all of it or nothing.

        Durable on the disk when this returns.

        Raises:
            StorageFull: The disk is full, or fails; nothing was written.
        """
        try:
            with (
                self._engine.connect() as connection,
                connection.execution_options(**{_IMMEDIATE: True}).begin(),
            ):
                yield connection
        except (OperationalError, sqlite3.OperationalError) as error:  # the latter on connecting
            code = getattr(getattr(error, "orig", error), "sqlite_errorcode", 0) & 0xFF
            if code == sqlite3.SQLITE_FULL:
                raise StorageFull("The disk is full.", hint="Free some space and retry.") from error
            if code == sqlite3.SQLITE_IOERR:  # a full disk too, where it shows in a sync or a cut
                raise StorageFull(
                    "The disk is full or fails.", hint="Free some space, and look at the disk."
                ) from error
            raise

    def find_faults(self) -> list[str]:
        """Return what SQLite's own check finds wrong; an intact database gives none."""
        try:
            with self.read() as connection:
                lines = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
                orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        except DatabaseError as error:
            return [f"the database cannot be read: {error.orig}"]
        faults = [str(line) for line in lines if line != "ok"]
        return faults + [f"a row of {row[0]} points at nothing" for row in orphans]

    def copy_to(self, path: Path) -> None:
        """Write a consistent, compact copy to a path that must not exist; writers may go on."""
        with self._engine.connect() as connection:
            raw = connection.connection.dbapi_connection
            assert raw is not None  # noqa: S101  # a live connection has one
            raw.execute("VACUUM INTO ?", (str(path),))

    def close(self) -> None:
        """Close every connection; the next use opens new ones."""
        self._engine.dispose()
        self.changes.close()


def choose_journal(version: tuple[int, ...]) -> tuple[str, str]:
    """Return journal mode and synchronous level that survive a power loss with this SQLite."""
    return ("WAL", "FULL") if version >= WAL_SAFE_SINCE else ("TRUNCATE", "EXTRA")


def _set_up(connection: Any, _: object) -> None:
    journal, synchronous = choose_journal(sqlite3.sqlite_version_info)
    connection.execute(f"PRAGMA journal_mode={journal}")
    connection.execute(f"PRAGMA synchronous={synchronous}")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA secure_delete=ON")  # what is forgotten is overwritten


def _begin(connection: Connection) -> None:
    immediate = connection.get_execution_options().get(_IMMEDIATE, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
