"""Query cache: rows kept until any process commits a change of the database."""

import os
import sqlite3
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from cachetools import LRUCache

K = TypeVar("K")
V = TypeVar("V")

ENTRIES_KEPT = 10_000
BUSY_TIMEOUT_SECONDS = 60.0  # longer than a worker that hangs is left alone
_VERSIONS_OFFSET = 18  # sqlite.org/fileformat2.html, 1.3.3
_COUNTER_OFFSET = 24  # 1.3.7
_WAL = b"\2"


class ChangeCounter:
    """Number that differs after each commit of any process. Thread-safe.

    In a rollback mode it is the change counter in the file's header, read without a lock: no reader
    waits for a commit under way, before whose end the former state is the true one. In WAL mode,
    where commits leave the header alone and no reader waits it is SQLite's ``PRAGMA data_version``.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._guard = threading.Lock()
        self._close: Callable[[], object] = lambda: None
        self._file: int | None = None
        self._connection: sqlite3.Connection | None = None
        self._openings = 0

    def read_number(self) -> int:
        """Return the number of the present state."""
        head = self._read_head()
        if head[:1] == _WAL:
            with self._guard:
                return (self._openings << 32) + self._ask_sqlite()
        return int.from_bytes(head[-4:], "big")

    def _read_head(self) -> bytes:
        size, file = _COUNTER_OFFSET - _VERSIONS_OFFSET + 4, self._file
        if file is not None and sys.platform != "win32":  # one call: each may wait for the GIL
            return os.pread(file, size, _VERSIONS_OFFSET)
        with self._guard:
            if self._file is None:
                self._file = os.open(self._path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
                self._close = weakref.finalize(self, os.close, self._file)
                self._close.atexit = False  # threads may still write: see ``close``
                self._openings += 1
            os.lseek(self._file, _VERSIONS_OFFSET, os.SEEK_SET)
            return os.read(self._file, size)

    def _ask_sqlite(self) -> int:
        if self._connection is None:
            self._connection = sqlite3.connect(
                self._path,
                timeout=BUSY_TIMEOUT_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Close file and connection; the next read opens them again.

        Only while this process reads and writes nothing: closing a file ends its POSIX locks on it.
        """
        with self._guard:
            if self._connection is not None:
                self._connection.close()
            self._close()
            self._connection = self._file = None


class QueryCache(Generic[K, V]):
    """Answers from memory what was read since the last change by any process. Thread-safe.

    ``read_changes`` returns a number that differs after each change of what is read.
    """

    def __init__(self, read_changes: Callable[[], int]) -> None:
        self._read_changes = read_changes
        self._guard = threading.Lock()
        self._counted: int | None = None
        self._values = LRUCache[K, V](ENTRIES_KEPT)

    def get(self, key: K, read: Callable[[K], V]) -> V:
        """Return ``read(key)``, from memory if nothing has changed since it was read."""
        counted = self._read_changes()
        with self._guard:
            if counted != self._counted:
                self._values, self._counted = LRUCache(ENTRIES_KEPT), counted
            elif key in self._values:
                return self._values[key]
        value = read(key)
        is_present = self._read_changes() == counted  # not that of a commit that was rolled back
        with self._guard:
            if is_present and counted == self._counted:
                self._values[key] = value
        return value
