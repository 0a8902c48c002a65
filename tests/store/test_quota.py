"""Used and reserved bytes together never pass the quota."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import update

from tests.houses import Clock, open_test_house
from winnow.bootstrap import House
from winnow.core.accounts import LOCAL_ACCOUNT, StorageUse
from winnow.core.errors import QuotaExceeded
from winnow.storage.database.tables import accounts
from winnow.storage.repositories import quota

LIMIT = 1000


def reserve(house: House, upload_id: str, size_bytes: int) -> None:
    with house.database.write() as connection:
        quota.reserve(connection, LOCAL_ACCOUNT, upload_id, size_bytes, limit=LIMIT)


def read(house: House) -> StorageUse:
    return quota.read_storage(house.database, LOCAL_ACCOUNT, limit=LIMIT)


def test_from_reservation_to_use(house: House) -> None:
    reserve(house, "a", 200)
    reserve(house, "a", 100)
    assert read(house) == StorageUse(0, 300, LIMIT, 175)
    with house.database.write() as connection:
        quota.settle_upload(connection, LOCAL_ACCOUNT, "a", 120, limit=LIMIT)
    assert read(house) == StorageUse(120, 120, LIMIT, 190)
    with house.database.write() as connection:
        quota.settle_result(connection, LOCAL_ACCOUNT, "a", 150, limit=LIMIT)
    assert read(house) == StorageUse(270, 0, LIMIT, 182)
    with house.database.write() as connection:
        quota.free(connection, LOCAL_ACCOUNT, "a", used=270)
    assert read(house) == StorageUse(0, 0, LIMIT, 250)


def test_exactly_the_quota_fits_and_one_byte_more_does_not(house: House) -> None:
    reserve(house, "a", LIMIT)
    with pytest.raises(QuotaExceeded) as caught:
        reserve(house, "b", 1)
    assert (caught.value.used, caught.value.limit) == (LIMIT, LIMIT)


def test_what_is_held_for_a_result_may_grow_and_shrink(house: House) -> None:
    def hold(size_bytes: int) -> None:
        with house.database.write() as connection:
            quota.hold_for_result(connection, LOCAL_ACCOUNT, "a", size_bytes, limit=LIMIT)

    reserve(house, "a", 200)
    with house.database.write() as connection:
        quota.settle_upload(connection, LOCAL_ACCOUNT, "a", 100, limit=LIMIT)
    hold(900)
    assert read(house) == StorageUse(100, 900, LIMIT, 0)
    with pytest.raises(QuotaExceeded):
        hold(901)
    hold(40)
    assert read(house) == StorageUse(100, 40, LIMIT, 215)


def test_a_result_larger_than_its_reservation_needs_room(house: House) -> None:
    reserve(house, "a", 900)
    with house.database.write() as connection:
        quota.settle_upload(connection, LOCAL_ACCOUNT, "a", 450, limit=LIMIT)
    with pytest.raises(QuotaExceeded), house.database.write() as connection:
        quota.settle_result(connection, LOCAL_ACCOUNT, "a", 551, limit=LIMIT)
    assert read(house) == StorageUse(450, 450, LIMIT, 25)
    with house.database.write() as connection:
        quota.settle_result(connection, LOCAL_ACCOUNT, "a", 550, limit=LIMIT)
    assert read(house).used_bytes == LIMIT


def test_a_lowered_quota_still_lets_space_be_freed(house: House) -> None:
    reserve(house, "a", 800)
    with house.database.write() as connection:
        connection.execute(update(accounts).values(quota_bytes=100))
    assert read(house) == StorageUse(0, 800, 100, 0)
    with house.database.write() as connection:
        quota.settle_upload(connection, LOCAL_ACCOUNT, "a", 300, limit=LIMIT)
        quota.free(connection, LOCAL_ACCOUNT, "a", used=300)
    assert read(house) == StorageUse(0, 0, 100, 25)


def test_many_at_once_never_overshoot(tmp_path: Path, clock: Clock) -> None:
    house = open_test_house(tmp_path, clock, quota_bytes=LIMIT)

    def upload(_: int) -> bool:
        try:
            with house.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", None) as writer:
                for _ in range(5):
                    writer.write(b"x" * 10)
                writer.finish()
        except QuotaExceeded:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        kept = sum(pool.map(upload, range(64)))
    use = house.services.usage.storage(LOCAL_ACCOUNT)
    assert 1 <= kept <= 10
    assert use.used_bytes == use.reserved_bytes == 50 * kept
    assert len(list(house.folder.inputs.iterdir())) == kept


def test_reservations_at_once_fill_the_quota_to_the_last_byte(house: House) -> None:
    def attempt(_: int) -> bool:
        try:
            reserve(house, str(uuid4()), 50)
        except QuotaExceeded:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(attempt, range(64))) == LIMIT // 50
