"""Pages that are being drawn: uploads to the same process let them go first."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager


class DrawnPages:
    """How many pages are being drawn now. Thread-safe.

    ``hold`` returns a context for the thread that draws one.
    """

    def __init__(self, hold: Callable[[], AbstractContextManager[None]]) -> None:
        self.count = 0
        self._hold = hold
        self._guard = threading.Lock()

    @contextmanager
    def draw(self) -> Iterator[None]:
        """Count one more while the context is open."""
        with self._guard:
            self.count += 1
        try:
            with self._hold():
                yield
        finally:
            with self._guard:
                self.count -= 1
