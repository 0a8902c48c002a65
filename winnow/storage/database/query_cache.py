"""Query cache: rows kept until any process commits a change of the database."""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from cachetools import LRUCache

K = TypeVar("K")
V = TypeVar("V")

ENTRIES_KEPT = 10_000
BUSY_TIMEOUT_SECONDS = 60.0  # longer than a worker that hangs is left alone


class ChangeCounter:
    """SQLite's ``PRAGMA data_version``, read by a connection of its own. Thread-safe.

    It counts the commits of other connections: here all of them, of this process and of others.
    It waits for the end of a commit that is under way.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._guard = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._openings = 0

    def read(self) -> int:
        """Return a number that differs after each commit of any process."""
        with self._guard:
            if self._connection is None:
                self._connection = sqlite3.connect(
                    self._path,
                    timeout=BUSY_TIMEOUT_SECONDS,
                    isolation_level=None,
                    check_same_thread=False,
                )
                self._openings += 1
            counted = int(self._connection.execute("PRAGMA data_version").fetchone()[0])
            return (self._openings << 32) + counted  # each connection counts for itself

    def close(self) -> None:
        """Close the connection; the next read opens another."""
        with self._guard:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


class QueryCache(Generic[K, V]):
    """Answers from memory what was read since the last commit of any process. Thread-safe."""

    def __init__(self, changes: ChangeCounter) -> None:
        self._changes = changes
        self._guard = threading.Lock()
        self._counted: int | None = None
        self._values = LRUCache[K, V](ENTRIES_KEPT)

    def get(self, key: K, read: Callable[[K], V]) -> V:
        """Return ``read(key)``, from memory if nothing has changed since it was read."""
        counted = self._changes.read()
        with self._guard:
            if counted != self._counted:
                self._values, self._counted = LRUCache(ENTRIES_KEPT), counted
            elif key in self._values:
                return self._values[key]
        value = read(key)
        with self._guard:
            if counted == self._counted:
                self._values[key] = value
        return value
