"""Usage of an account: counted and charged addresses by day, and storage."""

import logging
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from winnow.core.faults import describe_fault
from winnow.core.identities import ApiKey, Role
from winnow.core.usage import KeyMonth, StorageUse, UsageDay
from winnow.services.use_cases import use_case
from winnow.storage.database.database import Database
from winnow.storage.repositories.accounts import count_uses
from winnow.storage.repositories.quota import read_storage
from winnow.storage.repositories.usage import add_single_checks, day_of, read_days, read_months

COMMIT_SECONDS = 0.8  # a crash may lose the counts of that long

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class UsageCounter:
    """Adds up counts from all threads until a reader, or a server's committer, commits them."""

    database: Database

    def __post_init__(self) -> None:
        self._guard = threading.Lock()
        self._writing = threading.Lock()  # taken before the guard
        self._checks: Counter[tuple[str, str, str]] = Counter()  # by account, key, day
        self._uses: dict[str, tuple[int, datetime]] = {}
        self._stopping = threading.Event()
        self._committer = threading.Thread(target=self._run, name="usage-counter", daemon=True)

    def start(self) -> None:
        """Commit by a thread from now on."""
        self._committer.start()

    def stop(self) -> None:
        """End the thread, and commit what is left."""
        self._stopping.set()
        self._committer.join()
        self.commit()

    def count_checks(self, key: ApiKey, now: datetime, count: int = 1) -> None:
        """Count charged checks of single addresses."""
        with self._guard:
            self._checks[key.account, key.prefix, day_of(now)] += count

    def count_use(self, prefix: str, now: datetime) -> None:
        """Count one use of an API key."""
        with self._guard:
            self._uses[prefix] = (self._uses.get(prefix, (0, now))[0] + 1, now)

    def commit(self) -> None:
        """Write all counts so far in one transaction; when that fails they wait for the next.

        Returns once the counts that another thread is writing are written too.
        """
        with self._writing:
            with self._guard:
                checks, self._checks = self._checks, Counter()
                uses, self._uses = self._uses, {}
            if not checks and not uses:
                return
            try:
                with self.database.writing() as connection:
                    add_single_checks(connection, checks)
                    count_uses(connection, uses)
            except BaseException:
                with self._guard:
                    self._checks.update(checks)
                    for prefix, (count, last) in uses.items():
                        added, newer = self._uses.get(prefix, (0, last))
                        self._uses[prefix] = (count + added, max(last, newer))
                raise

    def _run(self) -> None:
        while not self._stopping.wait(COMMIT_SECONDS):
            try:
                self.commit()
            except Exception as error:  # a full disk, most likely: the counts wait for space
                _log.error("counts not committed: %s", describe_fault(error))


@dataclass(eq=False, repr=False)
class Usage:
    """Counts for the pages. Synchronous and thread-safe."""

    database: Database
    usage_counter: UsageCounter
    clock: Callable[[], datetime]

    @use_case(Role.READER)
    def days(self, account: str, days: int = 30) -> tuple[UsageDay, ...]:
        """Return one entry for each of the last ``days`` days (UTC), today last, zeros too."""
        self.usage_counter.commit()
        now = self.clock()
        wanted = [day_of(now - timedelta(days=back)) for back in reversed(range(days))]
        counts = read_days(self.database, account, wanted[0]) if wanted else {}
        return tuple(UsageDay(day, *counts.get(day, (0, 0))) for day in wanted)

    @use_case(Role.READER)
    def months(self, account: str) -> tuple[KeyMonth, ...]:
        """Return what was charged by month (UTC) and key, the newest month first.

        What no key was charged for is under no key: lists from pages, and all of before 0.4.
        """
        self.usage_counter.commit()
        return read_months(self.database, account)

    @use_case(Role.READER)
    def storage(self, account: str) -> StorageUse:
        """Return used, reserved and free bytes."""
        return read_storage(self.database, account)
