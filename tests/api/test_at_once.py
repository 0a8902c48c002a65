"""A known caller is answered from memory; whatever anybody commits is seen by the next request."""

from collections.abc import Awaitable, Callable, Iterator

import anyio
import httpx
import pytest

from tests.api.conftest import OpenDesk
from tests.api.desk import BASE_PATH, ORIGIN, Desk
from winnow.api.hop import Hop
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.verdict import Category
from winnow.storage.database.database import Database
from winnow.storage.repositories.keys import revoke_key

CHECK = f"{BASE_PATH}/check-email"
REMOTE = "203.0.113.7"


@pytest.fixture
def desk(desk_with: OpenDesk, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """An installation that counts in memory, as a server does, until the test commits."""
    monkeypatch.setattr("winnow.services.usage_counter.COMMIT_SECONDS", 3600)
    opened = desk_with(WINNOW_RATE_LIMIT="off")
    opened.application.tally.start()
    yield opened
    opened.application.tally.stop()


@pytest.fixture
def hops(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How often a thread was asked, one entry each."""
    asked: list[str] = []
    run = Hop.run

    def count(hop: Hop, call: Callable[[], object]) -> Awaitable[object]:
        asked.append("hop")
        return run(hop, call)

    monkeypatch.setattr(Hop, "run", count)
    return asked


def test_the_second_check_asks_no_thread(desk: Desk, hops: list[str]) -> None:
    caller = desk.caller(peer=REMOTE)
    answers = [caller.post(CHECK, params={"email": "a@gmail.com"}) for _ in range(5)]
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1
    assert len(hops) == 1
    assert sum(day.single for day in desk.services.usage.days("local")) == 5


def test_a_key_revoked_by_another_process_is_dead_at_once(desk: Desk, hops: list[str]) -> None:
    caller = desk.caller()
    for _ in range(2):
        assert caller.post(CHECK, params={"email": "a@gmail.com"}).status_code == 200
    assert len(hops) == 1
    other = Database(desk.application.folder.database)
    revoke_key(other, "local", caller.headers["x-api-key"].partition(".")[0], desk.clock())
    other.close()
    assert caller.post(CHECK, params={"email": "a@gmail.com"}).status_code == 401


def test_an_own_list_holds_with_the_next_check(desk: Desk) -> None:
    caller = desk.caller()

    def ask() -> str:
        return str(caller.post(CHECK, params={"email": "a@gmail.com"}).json()["category"])

    assert [ask(), ask()] == ["white", "white"]
    desk.services.own_lists.add("local", "gmail.com", Category.GREY)
    assert [ask(), ask()] == ["grey", "grey"]


def test_attempts_are_taken_and_the_ban_holds(desk: Desk, hops: list[str]) -> None:
    caller = desk.caller(peer=REMOTE)
    for _ in range(2):
        assert caller.post(CHECK, params={"email": "a@gmail.com"}).status_code == 200
    left = [
        caller.post(CHECK, params={"email": "b@mailinator.com"}).json()[
            "remaining_attempts_before_ban"
        ]
        for _ in range(5)
    ]
    assert left == [4, 3, 2, 1, 0]
    for _ in range(2):
        assert caller.post(CHECK, params={"email": "a@gmail.com"}).status_code == 403
    desk.services.bans.lift(REMOTE)
    assert caller.post(CHECK, params={"email": "a@gmail.com"}).status_code == 200
    assert sum(day.single for day in desk.services.usage.days("local")) == 8


def test_another_client_or_key_is_no_known_caller(desk: Desk, hops: list[str]) -> None:
    key = desk.key()
    for peer, text in ((REMOTE, key), ("203.0.113.8", key), (REMOTE, key[:-1] + "_")):
        desk.client(peer, **{"X-API-Key": text}).post(CHECK, params={"email": "a@gmail.com"})
    assert len(hops) == 3


def test_requests_of_one_turn_share_a_look_and_the_next_turn_takes_its_own(
    desk: Desk, hops: list[str]
) -> None:
    keys = [desk.key(), desk.key(KeyType.SANDBOX)]
    seen: list[tuple[int, str, str]] = []

    async def ask(client: httpx.AsyncClient, key: str, address: str) -> None:
        answer = await client.post(CHECK, params={"email": address}, headers={"X-API-Key": key})
        category = answer.json().get("category", "")
        seen.append((answer.status_code, key, category))

    async def ask_all() -> set[tuple[int, str, str]]:
        seen.clear()
        transport = httpx.ASGITransport(desk.app)
        async with (
            httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client,
            anyio.create_task_group() as group,
        ):
            for number in range(20):
                group.start_soon(ask, client, keys[number % 2], f"a{number}@mailinator.com")
        return set(seen)

    async def story() -> None:
        both = {(200, keys[0], "black"), (200, keys[1], "white")}
        assert await ask_all() == both
        waited = len(hops)
        assert await ask_all() == both
        assert len(hops) == waited
        desk.services.keys.revoke("local", keys[0].partition(".")[0])
        assert await ask_all() == {(401, keys[0], ""), (200, keys[1], "white")}
        desk.services.keys.revoke("local", keys[1].partition(".")[0])
        assert await ask_all() == {(401, keys[0], ""), (401, keys[1], "")}

    anyio.run(story)


def test_changed_domain_data_sends_the_next_check_to_the_thread(
    desk: Desk, hops: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = desk.caller()
    for _ in range(2):
        assert caller.post(CHECK, params={"email": "a@gmail.com"}).status_code == 200
    assert len(hops) == 1
    marks = iter(range(10))
    judges = desk.services.checks._judge_at_once.__self__  # type: ignore[attr-defined]
    monkeypatch.setattr(judges, "_read_mark", lambda: next(marks))
    for _ in range(2):
        assert caller.post(CHECK, params={"email": "a@gmail.com"}).status_code == 200
    assert len(hops) == 3


def test_an_answer_from_memory_has_every_header(desk: Desk) -> None:
    caller = desk.caller()
    answers = [caller.post(CHECK, params={"email": "a@gmail.com"}) for _ in range(2)]
    for answer in answers:
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["content-length"] == str(len(answer.content))
        assert answer.headers["cache-control"] == "no-store"
    names = [sorted(name for name, _ in answer.headers.items()) for answer in answers]
    assert names[0] == names[1]
    assert len({answer.headers["x-request-id"] for answer in answers}) == 2
