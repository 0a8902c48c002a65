"""Counts in groups: what cannot be committed waits, and the committing goes on."""

import threading
from contextlib import AbstractContextManager
from datetime import UTC, datetime

import pytest
from sqlalchemy import Connection

from tests.applications import Clock
from winnow.core.accounts import LOCAL_ACCOUNT, ApiKey
from winnow.core.errors import StorageFull
from winnow.core.tasks.task import KeyType
from winnow.services.accounts import usage as usage_counter
from winnow.storage.database.database import Database
from winnow.wiring import Application

KEY = ApiKey("wk_live_0", LOCAL_ACCOUNT, "crm", KeyType.LIVE, datetime(2026, 11, 20, tzinfo=UTC))


class FullAtFirst:
    """A database on a disk that is full for the first write and has room afterwards."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._is_full = True
        self.has_written = threading.Event()

    def write(self) -> AbstractContextManager[Connection]:
        if self._is_full:
            self._is_full = False
            raise StorageFull("The disk is full.")
        self.has_written.set()
        return self._database.write()


def test_a_full_disk_ends_no_committing(
    opened: Application, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage_counter, "COMMIT_SECONDS", 0.01)
    disk = FullAtFirst(opened.database)
    counts = usage_counter.UsageCounter(disk)
    counts.start()
    counts.count_checks(KEY, clock.now)
    assert disk.has_written.wait(30)
    counts.stop()
    assert opened.services.usage.days(LOCAL_ACCOUNT, 1)[0].single == 1
