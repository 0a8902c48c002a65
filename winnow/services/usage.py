"""What an account has used: charged addresses by day, and storage."""

from collections.abc import Callable
from datetime import datetime, timedelta

from winnow.core.accounts import StorageUse, UsageDay
from winnow.core.settings import Settings
from winnow.services.usage_counter import UsageCounter
from winnow.storage.database.database import Database
from winnow.storage.repositories.quota import read_storage
from winnow.storage.repositories.usage import day_of, read_days


class Usage:
    """Counts for the pages. Synchronous and thread-safe."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        usage_counter: UsageCounter,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._settings = settings
        self._usage_counter = usage_counter
        self._clock = clock

    def days(self, account: str, days: int = 30) -> tuple[UsageDay, ...]:
        """Return one entry for each of the last ``days`` days (UTC), today last, zeros too."""
        self._usage_counter.commit()
        now = self._clock()
        wanted = [day_of(now - timedelta(days=back)) for back in reversed(range(days))]
        counts = read_days(self._database, account, wanted[0]) if wanted else {}
        return tuple(UsageDay(day, *counts.get(day, (0, 0))) for day in wanted)

    def storage(self, account: str) -> StorageUse:
        """Return used, reserved and free bytes."""
        return read_storage(self._database, account, limit=self._settings.quota_bytes)
