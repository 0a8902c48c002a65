"""Whether anything was committed since, by whichever process: asked cheaply, for many at once."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BUSY_TIMEOUT_SECONDS = 60.0  # longer than a worker that stands still is left alone
PAUSE_SECONDS = 0.002  # between two tries while somebody commits


class _Held(threading.local):
    mark: int | None = None


class ChangeWatch:
    """Reads SQLite's change counter by a connection of its own. Thread-safe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._guard = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._openings = 0
        self._held = _Held()

    def read(self) -> int:
        """Return a number that is another one after each commit; within a hold, the held one."""
        held = self._held.mark
        if held is not None:
            return held
        deadline = time.monotonic() + BUSY_TIMEOUT_SECONDS
        while True:
            with self._guard:
                try:
                    return self._ask()
                except sqlite3.OperationalError as error:
                    if not _is_busy(error) or time.monotonic() > deadline:
                        raise
            time.sleep(PAUSE_SECONDS)

    def hold(self, *, waits: bool = True) -> int | None:
        """Ask once and answer this thread from it until ``release``; return the number.

        For a group of short calls that were all wanted before this one: none of them can miss a
        commit that was done when it was wanted. A commit of this thread ends the hold.

        Args:
            waits: Whether to wait while somebody is committing; if not, the answer is then None
                and nothing is held.
        """
        if waits:
            self._held.mark = self.read()
        elif self._guard.acquire(blocking=False):
            try:
                self._held.mark = self._ask()
            except sqlite3.OperationalError as error:
                if not _is_busy(error):
                    raise
            finally:
                self._guard.release()
        return self._held.mark

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Hold within the context, for one call that would ask several times."""
        if self._held.mark is not None:
            yield  # whoever holds already goes on to
            return
        self.hold()
        try:
            yield
        finally:
            self.release()

    def hold_at(self, mark: int) -> None:
        """Hold a number that was read a moment ago, after everything it is to answer was wanted."""
        self._held.mark = mark

    def release(self) -> None:
        """End this thread's hold, if there is one."""
        self._held.mark = None

    def close(self) -> None:
        """Close the connection; the next question opens another."""
        with self._guard:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _ask(self) -> int:
        if self._connection is None:
            self._connection = sqlite3.connect(
                self._path, timeout=0, isolation_level=None, check_same_thread=False
            )
            self._openings += 1
        counted = int(self._connection.execute("PRAGMA data_version").fetchone()[0])
        return (self._openings << 32) + counted  # each connection counts for itself


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
