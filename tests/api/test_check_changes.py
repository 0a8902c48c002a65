"""Whatever anybody commits is seen by the next check, while counts are gathered in memory."""

from collections.abc import Iterator

import anyio
import httpx
import pytest

from tests.api.conftest import OpenDesk
from tests.api.desk import BASE_PATH, ORIGIN, Desk
from winnow.core.tasks.task import KeyType
from winnow.storage.database.database import Database
from winnow.storage.repositories.accounts import revoke_key

CHECK = f"{BASE_PATH}/check-email"


@pytest.fixture
def desk(desk_with: OpenDesk, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """An installation that counts in memory, as a server does, until the test commits."""
    monkeypatch.setattr("winnow.services.accounts.usage.COMMIT_SECONDS", 3600)
    opened = desk_with(WINNOW_RATE_LIMIT="off")
    opened.application.services.usage_counter.start()
    yield opened
    opened.application.services.usage_counter.stop()


def test_a_key_revoked_by_another_process_is_dead_at_once(desk: Desk) -> None:
    caller = desk.caller()
    for _ in range(2):
        assert caller.post(CHECK, params={"email": "a@gmail.com"}).status_code == 200
    other = Database(desk.application.folder.database)
    revoke_key(other, "local", caller.headers["x-api-key"].partition(".")[0], desk.clock())
    other.close()
    assert caller.post(CHECK, params={"email": "a@gmail.com"}).status_code == 401


def test_each_of_many_checks_is_its_callers_and_all_see_a_revocation(desk: Desk) -> None:
    keys = [desk.key(), desk.key(KeyType.SANDBOX)]
    seen: list[tuple[int, str, str, str]] = []

    async def ask(client: httpx.AsyncClient, key: str, address: str) -> None:
        answer = await client.post(CHECK, params={"email": address}, headers={"X-API-Key": key})
        found = answer.json()
        seen.append(
            (answer.status_code, key, found.get("email", address), found.get("category", ""))
        )

    async def ask_all() -> None:
        seen.clear()
        transport = httpx.ASGITransport(desk.app)
        async with (
            httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client,
            anyio.create_task_group() as group,
        ):
            for number in range(100):
                group.start_soon(ask, client, keys[number % 2], f"a{number}@mailinator.com")

    def expect(status: int, category: str) -> list[tuple[int, str, str, str]]:
        emails = [f"a{number}@mailinator.com" for number in range(100)]
        live = [(status, keys[0], email, category) for email in emails[::2]]
        return sorted(live + [(200, keys[1], email, "white") for email in emails[1::2]])

    anyio.run(ask_all)
    assert sorted(seen) == expect(200, "black")
    desk.services.keys.revoke("local", keys[0].partition(".")[0])
    anyio.run(ask_all)
    assert sorted(seen) == expect(401, "")
