"""Rows remembered until anything in the database changes, by whichever process."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from winnow.storage.database.database import Database

K = TypeVar("K")
V = TypeVar("V")

ENTRIES_KEPT = 10_000


class Memo(Generic[K, V]):
    """Answers from memory what was read since the last commit of anybody. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._changes = database.changes
        self._guard = threading.Lock()
        self._mark: int | None = None
        self._values: dict[K, V] = {}

    def get(self, key: K, read: Callable[[K], V]) -> V:
        """Return ``read(key)``, as it is now or was at a moment since which nothing changed."""
        mark = self._changes.read()
        with self._guard:
            if mark != self._mark or len(self._values) >= ENTRIES_KEPT:
                self._values, self._mark = {}, mark
            elif key in self._values:
                return self._values[key]
        value = read(key)
        with self._guard:
            if mark == self._mark:
                self._values[key] = value
        return value
