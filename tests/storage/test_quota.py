"""Used and reserved bytes together never pass the quota."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tests.applications import Clock, open_test_application
from winnow.core.errors import QuotaExceeded
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.usage import StorageUse
from winnow.storage.database.database import Database
from winnow.storage.repositories import quota
from winnow.wiring import Application

LIMIT = 1000


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Application:
    return open_test_application(tmp_path, clock, quota_bytes=LIMIT)


def take(opened: Application, step: str, size_bytes: int, **options: int) -> StorageUse:
    """Reserve or hold bytes of an upload ``a``; return what is used then."""
    with opened.database.writing() as connection:
        getattr(quota, step)(connection, LOCAL_ACCOUNT, "a", size_bytes, **options)
    return quota.read_storage(opened.database, LOCAL_ACCOUNT)


def test_from_reservation_to_use(opened: Application) -> None:
    take(opened, "reserve", 200)
    assert take(opened, "reserve", 100) == StorageUse(0, 300, LIMIT, 233)
    assert take(opened, "hold", 240, used=120) == StorageUse(120, 240, LIMIT, 213)
    assert take(opened, "hold", 880) == StorageUse(120, 880, LIMIT, 0)  # exactly the quota
    with pytest.raises(QuotaExceeded) as caught:
        take(opened, "hold", 881)
    assert (caught.value.used, caught.value.limit) == (LIMIT, LIMIT)
    assert take(opened, "hold", 40) == StorageUse(120, 40, LIMIT, 280)
    assert take(opened, "hold", 0, used=150) == StorageUse(270, 0, LIMIT, 243)
    assert take(opened, "hold", 0, used=-270) == StorageUse(0, 0, LIMIT, 333)


def test_a_lowered_quota_still_lets_space_be_freed(opened: Application) -> None:
    take(opened, "reserve", 800)
    lowered = replace(opened, database=Database(opened.folder.database, 100))
    take(lowered, "hold", 400, used=200)
    assert take(opened, "hold", 0, used=-200) == StorageUse(0, 0, LIMIT, 333)


def test_many_at_once_never_overshoot(opened: Application) -> None:
    def upload(_: int) -> bool:
        try:
            with opened.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", None) as writer:
                for _ in range(5):
                    writer.write(b"x" * 10)
                writer.finish()
        except QuotaExceeded:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        kept = sum(pool.map(upload, range(64)))
    use = opened.services.usage.storage(LOCAL_ACCOUNT)
    assert 1 <= kept <= 6
    assert 2 * use.used_bytes == use.reserved_bytes == 100 * kept
    assert len(list(opened.folder.inputs.iterdir())) == kept
