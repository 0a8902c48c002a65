"""Counts of small things (single checks, key uses), committed in groups within a second."""

import logging
import threading
from collections import Counter
from datetime import datetime

from winnow.core.faults import describe_fault
from winnow.storage.database.database import Database
from winnow.storage.repositories.keys import count_uses
from winnow.storage.repositories.usage import add_single_checks, day_of

COMMIT_SECONDS = 0.8  # decisions.md: within a second; a crash may lose that much

_log = logging.getLogger(__name__)


class UsageCounter:
    """Gathers counts from all threads. Without a running committer each count is committed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._guard = threading.Lock()
        self._checks: Counter[tuple[str, str]] = Counter()
        self._uses: dict[str, tuple[int, datetime]] = {}
        self._stopping = threading.Event()
        self._committer: threading.Thread | None = None

    def start(self) -> None:
        """Commit by a thread from now on."""
        self._stopping.clear()
        self._committer = threading.Thread(target=self._run, name="usage-counter", daemon=True)
        self._committer.start()

    def stop(self) -> None:
        """Commit what is left and go back to committing at once."""
        committer, self._committer = self._committer, None
        if committer is not None:
            self._stopping.set()
            committer.join()
        self.commit()

    def count_check(self, account: str, now: datetime) -> None:
        """Count one charged single check."""
        with self._guard:
            self._checks[account, day_of(now)] += 1
        self._commit_unless_running()

    def count_use(self, prefix: str, now: datetime) -> None:
        """Count one use of an API key."""
        with self._guard:
            self._uses[prefix] = (self._uses.get(prefix, (0, now))[0] + 1, now)
        self._commit_unless_running()

    def commit(self) -> None:
        """Write all counts so far in one transaction; when that fails they wait for the next."""
        with self._guard:
            checks, self._checks = self._checks, Counter()
            uses, self._uses = self._uses, {}
        if not checks and not uses:
            return
        try:
            with self._database.write() as connection:
                add_single_checks(connection, checks)
                count_uses(connection, uses)
        except BaseException:
            self._put_back(checks, uses)
            raise

    def _put_back(
        self, checks: Counter[tuple[str, str]], uses: dict[str, tuple[int, datetime]]
    ) -> None:
        with self._guard:
            self._checks.update(checks)
            for prefix, (count, last) in uses.items():
                added, newer = self._uses.get(prefix, (0, last))
                self._uses[prefix] = (count + added, max(last, newer))

    def _commit_unless_running(self) -> None:
        if self._committer is None:
            self.commit()

    def _run(self) -> None:
        while not self._stopping.wait(COMMIT_SECONDS):
            try:
                self.commit()
            except Exception as error:  # a full disk, most likely: the counts wait for room
                _log.error("counts not committed: %s", describe_fault(error))
