"""Used and reserved bytes together never pass the quota."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.applications import Clock, open_test_application
from winnow.core.accounts import LOCAL_ACCOUNT, StorageUse
from winnow.core.errors import QuotaExceeded
from winnow.storage.repositories import quota
from winnow.wiring import Application

LIMIT = 1000


def reserve(opened: Application, upload_id: str, size_bytes: int) -> None:
    with opened.database.write() as connection:
        quota.reserve(connection, LOCAL_ACCOUNT, upload_id, size_bytes, limit=LIMIT)


def read(opened: Application) -> StorageUse:
    return quota.read_storage(opened.database, LOCAL_ACCOUNT, limit=LIMIT)


def test_from_reservation_to_use(opened: Application) -> None:
    reserve(opened, "a", 200)
    reserve(opened, "a", 100)
    assert read(opened) == StorageUse(0, 300, LIMIT, 233)
    with opened.database.write() as connection:
        quota.hold(connection, LOCAL_ACCOUNT, "a", 240, used=120, limit=LIMIT)
    assert read(opened) == StorageUse(120, 240, LIMIT, 213)
    with opened.database.write() as connection:
        quota.hold(connection, LOCAL_ACCOUNT, "a", 0, used=150, limit=LIMIT)
    assert read(opened) == StorageUse(270, 0, LIMIT, 243)
    with opened.database.write() as connection:
        quota.free(connection, LOCAL_ACCOUNT, "a", used=270)
    assert read(opened) == StorageUse(0, 0, LIMIT, 333)


def test_exactly_the_quota_fits_and_one_byte_more_does_not(opened: Application) -> None:
    reserve(opened, "a", LIMIT)
    with pytest.raises(QuotaExceeded) as caught:
        reserve(opened, "b", 1)
    assert (caught.value.used, caught.value.limit) == (LIMIT, LIMIT)


def test_what_is_held_for_a_result_may_grow_and_shrink(opened: Application) -> None:
    def hold(size_bytes: int) -> None:
        with opened.database.write() as connection:
            quota.hold(connection, LOCAL_ACCOUNT, "a", size_bytes, limit=LIMIT)

    reserve(opened, "a", 300)
    with opened.database.write() as connection:
        quota.hold(connection, LOCAL_ACCOUNT, "a", 200, used=100, limit=LIMIT)
    hold(900)
    assert read(opened) == StorageUse(100, 900, LIMIT, 0)
    with pytest.raises(QuotaExceeded):
        hold(901)
    hold(40)
    assert read(opened) == StorageUse(100, 40, LIMIT, 286)


def test_a_lowered_quota_still_lets_space_be_freed(opened: Application) -> None:
    reserve(opened, "a", 800)
    with opened.database.write() as connection:
        quota.hold(connection, LOCAL_ACCOUNT, "a", 400, used=200, limit=100)
        quota.free(connection, LOCAL_ACCOUNT, "a", used=200)
    assert quota.read_storage(opened.database, LOCAL_ACCOUNT, limit=100) == StorageUse(
        0, 0, 100, 33
    )


def test_many_at_once_never_overshoot(tmp_path: Path, clock: Clock) -> None:
    opened = open_test_application(tmp_path, clock, quota_bytes=LIMIT)

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
