"""Callbacks by key: the end of a sign-in or of a project, a submitted task."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Watches:
    """Callbacks by key, within this process. Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._watches: dict[str, list[Callable[[], object]]] = defaultdict(list)

    def tell(self, key: str) -> None:
        """Call all current watchers of a key, in this thread."""
        with self._guard:
            told = tuple(self._watches.get(key, ()))
        for tell in told:
            tell()

    def list_keys(self) -> tuple[str, ...]:
        """Return the keys that are watched now."""
        with self._guard:
            return tuple(self._watches)

    @contextmanager
    def watch(self, key: str, tell: Callable[[], object]) -> Iterator[None]:
        """Register ``tell``, which any thread may call, while the context is open."""
        with self._guard:
            self._watches[key].append(tell)
        try:
            yield
        finally:
            with self._guard:
                self._watches[key].remove(tell)
                if not self._watches[key]:
                    del self._watches[key]
