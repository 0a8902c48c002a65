"""Cache of what is computed once for a project, an upload or an account."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from cachetools import LRUCache

from winnow.core.waiting import prepare_to_wait

K = TypeVar("K")
V = TypeVar("V")


class PerProject(Generic[K, V]):
    """Values by key, of which the least used are dropped. Thread-safe.

    A key has the project's id and everything that a value depends on, such as a version.
    """

    def __init__(self, limit: int) -> None:
        self._values: LRUCache[K, V] = LRUCache(limit)
        self._guard = threading.Lock()
        self._computing = WeakValueDictionary[K, threading.Lock]()

    def find_value(self, key: K) -> V | None:
        """Return the value of a key if it is in the cache."""
        with self._guard:
            return self._values.get(key)

    def get(
        self, key: K, compute: Callable[[], V], is_enough: Callable[[V], bool] = lambda value: True
    ) -> V:
        """Return the value of a key; compute it if there is none, or not enough of it."""
        known = self.find_value(key)
        if known is not None and is_enough(known):
            return known
        prepare_to_wait()
        with self._guard:
            computing = self._computing.setdefault(key, threading.Lock())
        with computing:  # one thread a key; what is computed for others does not wait
            known = self.find_value(key)
            if known is None or not is_enough(known):
                known = compute()
                with self._guard:
                    self._values[key] = known
            return known
