"""Pages that are being drawn: uploads to the same process let them go first."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class DrawnPages:
    """How many pages are being drawn now. Thread-safe."""

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
