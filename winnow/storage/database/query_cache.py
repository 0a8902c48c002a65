"""Query cache: rows kept until any process changes the database."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from cachetools import LRUCache

from winnow.storage.database.change_counter import ChangeCounter

K = TypeVar("K")
V = TypeVar("V")

ENTRIES_KEPT = 10_000


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
