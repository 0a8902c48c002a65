"""What happens in this process: callbacks by key, and the pages that are being drawn."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Watches:
    """Callbacks by key, within this process. Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._watches: dict[str, list[Callable[[], object]]] = defaultdict(list)

    def notify(self, key: str) -> None:
        """Call all current watchers of a key, in this thread."""
        with self._guard:
            waiting = tuple(self._watches.get(key, ()))
        for notify in waiting:
            notify()

    def list_keys(self) -> tuple[str, ...]:
        """Return the keys that are watched now."""
        with self._guard:
            return tuple(self._watches)

    @contextmanager
    def watch(self, key: str, notify: Callable[[], object]) -> Iterator[None]:
        """Register ``notify``, which any thread may call, while the context is open."""
        with self._guard:
            self._watches[key].append(notify)
        try:
            yield
        finally:
            with self._guard:
                self._watches[key].remove(notify)
                if not self._watches[key]:
                    del self._watches[key]


class DrawnPages:
    """How many pages are being drawn now: uploads let them go first. Thread-safe."""

    def __init__(self) -> None:
        self.count = 0
        self._guard = threading.Lock()

    @contextmanager
    def draw(self) -> Iterator[None]:
        """Count one more while the context is open."""
        with self._guard:
            self.count += 1
        try:
            yield
        finally:
            with self._guard:
                self.count -= 1
