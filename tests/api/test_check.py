"""``POST /check-email``, field by field."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from functools import partial
from threading import Barrier, Thread, current_thread, main_thread

import anyio
import httpx
import pytest

from tests.api.conftest import OpenDesk
from tests.api.desk import BASE_PATH, ORIGIN, Caller, Desk
from tests.network.static_answers import StaticResolver
from tests.waiting import PATIENCE_SECONDS
from winnow.api.middleware.authentication import KEYS_BEFORE_PRUNING, RateLimiter
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.facts import DnsAnswer, MailRoute
from winnow.core.verdicts.verdict import Category
from winnow.storage.database.database import Database
from winnow.storage.repositories.accounts import revoke_key

NINE = [
    *("email", "domain", "category", "mx_record", "premium", "domain_age", "date_added", "type"),
    "remaining_attempts_before_ban",
]
CALLERS = 4


def test_nine_fields_in_order_then_the_explanation(caller: Caller) -> None:
    answer = caller.check("Bo@MAILINATOR.com")
    fields = answer.json()
    assert answer.status_code == 200
    assert list(fields) == [*NINE, "explanation"]
    assert [type(fields[name]) for name in NINE] == [*[str] * 8, int]
    assert len(fields["date_added"].split(".")) == 3
    assert fields["premium"] in {"True", "False", "unknown"}
    explanation = fields.pop("explanation")
    assert fields == {
        "email": "Bo@MAILINATOR.com",
        "domain": "mailinator.com",
        "category": "black",
        "mx_record": "unknown",
        "premium": fields["premium"],
        "domain_age": "unknown",
        "date_added": fields["date_added"],
        "type": "disposable",
        "remaining_attempts_before_ban": 4,
    }
    assert list(explanation) == [
        *("reasons", "evidence", "suggestion", "data_version", "disposable_probability")
    ]
    assert explanation["disposable_probability"] > 0.9
    assert explanation["reasons"][0].startswith("disposable")
    assert {tuple(item) for item in explanation["evidence"]} == {
        ("reason", "rule", "source", "dated", "matched", "asked_at")
    }
    assert explanation["suggestion"] is None
    assert explanation["data_version"]


@pytest.mark.parametrize(
    ("query", "email", "domain"),
    [
        pytest.param("email=ana+news@gmail.com", "ana+news@gmail.com", "gmail.com", id="plus"),
        pytest.param("email=ana@gmail.com+", "ana@gmail.com", "gmail.com", id="a-blank-of-a-form"),
        pytest.param("email=ana@gmail.com%2B+", "ana@gmail.com", "gmail.com", id="two-of-them"),
        pytest.param("email=ana%2Bnews@gmail.com", "ana+news@gmail.com", "gmail.com", id="encoded"),
        pytest.param("email=%20ana@gmail.com%09", "ana@gmail.com", "gmail.com", id="trimmed"),
        pytest.param("email=ana@M%C3%BCller.de", "ana@Müller.de", "xn--mller-kva.de", id="idn"),
        pytest.param("email=a%CC%8A@gmail.com", "å@gmail.com", "gmail.com", id="nfc"),
        pytest.param("email=a%3Db@gmail.com", "a=b@gmail.com", "gmail.com", id="equals-in-value"),
        pytest.param("a=1&e%6Dail=a@x.de&b=2", "a@x.de", "x.de", id="name-encoded-among-others"),
    ],
)
def test_the_address_is_checked_as_sent(
    caller: Caller, query: str, email: str, domain: str
) -> None:
    fields = caller.post(f"/check-email?{query}").json()
    assert (fields["email"], fields["domain"]) == (email, domain)


@pytest.mark.parametrize(
    ("query", "email", "domain", "suggestion"),
    [
        ("email=", "", "", None),
        ("email", "", "", None),
        ("email=plain", "plain", "", None),
        ("email=ana@nodot", "ana@nodot", "nodot", None),
        ("email=ana@x%00.de", "ana@x\x00.de", "x\x00.de", None),
        ("email=Ana%20%3Ca@gmail.com%3E", "Ana <a@gmail.com>", "gmail.com>", "a@gmail.com"),
        pytest.param(f"email={'a' * 60_000}@x.de", f"{'a' * 60_000}@x.de", "x.de", None, id="huge"),
    ],
)
def test_a_malformed_address_is_an_answer_that_costs_nothing(
    desk: Desk, caller: Caller, query: str, email: str, domain: str, suggestion: str | None
) -> None:
    answer = caller.post(f"/check-email?{query}")
    fields = answer.json()
    assert answer.status_code == 200
    assert (fields["email"], fields["domain"]) == (email, domain)
    assert (fields["category"], fields["type"]) == ("black", "invalid")
    assert fields["remaining_attempts_before_ban"] == 5
    assert fields["explanation"]["suggestion"] == suggestion
    assert desk.count_charged() == (0, 0)


def test_no_usable_email_parameter(caller: Caller) -> None:
    for query in ("", "?mail=a@x.de", "?Email=a@x.de", "?email=%ff", "?email=a@x.de&email=b@x.de"):
        answer = caller.post(f"/check-email{query}")
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_field"), query
        assert answer.json()["errors"][0]["field"] == "email"


def test_a_body_is_left_alone(caller: Caller) -> None:
    body = b"x" * 100_000
    assert caller.post("/check-email?email=a@gmail.com", content=body).status_code == 200
    assert caller.post("/check-email", data={"email": "a@gmail.com"}).status_code == 422


@pytest.mark.parametrize(
    ("address", "category", "domain_type"),
    [
        ("test@disposable.com", "black", "disposable"),
        ("test@multi-alias.com", "grey", "multi-alias services"),
        ("test@gmail.com", "white", "free"),
        ("bo@mailinator.com", "white", "unknown"),
        ("no address", "white", "unknown"),
        ("", "white", "unknown"),
    ],
)
def test_a_sandbox_key_knows_three_addresses(
    desk: Desk, address: str, category: str, domain_type: str
) -> None:
    caller = desk.caller(KeyType.SANDBOX)
    for _ in range(7):
        fields = caller.check(address).json()
        assert (fields["category"], fields["type"]) == (category, domain_type)
        assert fields["remaining_attempts_before_ban"] == 5
    assert desk.count_charged() == (0, 0)


def test_the_probability_is_null_where_it_is_not_known(desk: Desk) -> None:
    def ask(address: str, key_type: KeyType = KeyType.LIVE) -> float | None:
        explanation = desk.caller(key_type).check(address).json()["explanation"]
        likely: float | None = explanation["disposable_probability"]
        return likely

    assert ask("a@gmail.com") == 0.001
    assert ask("no address") is None
    assert ask("test@disposable.com", KeyType.SANDBOX) is None
    desk.services.own_lists.add("local", "mailinator.com", Category.WHITE)
    assert ask("bo@mailinator.com") is None


def test_five_black_answers_ban_this_client_and_no_other(desk: Desk) -> None:
    caller = desk.caller(peer="203.0.113.7")

    def left(address: str) -> int:
        answer = caller.check(address)
        assert answer.status_code == 200
        return int(answer.json()["remaining_attempts_before_ban"])

    assert left("a@gmail.com") == 5
    assert left("no-address") == 5
    assert [left("b@mailinator.com") for _ in range(5)] == [4, 3, 2, 1, 0]
    banned = caller.check("a@gmail.com")
    assert (banned.status_code, banned.json()["code"]) == (403, "banned")
    other = desk.caller(peer="203.0.113.8", key=caller.headers["X-API-Key"])
    assert other.check("a@gmail.com").status_code == 200
    desk.clock.turn(hours=24, seconds=1)
    assert left("a@gmail.com") == 5


def test_a_forwarded_address_counts_from_a_trusted_proxy_only(desk_with: OpenDesk) -> None:
    desk = desk_with(WINNOW_RATE_LIMIT="off", WINNOW_TRUSTED_PROXIES="10.0.0.1")
    for peer in ("10.0.0.1", "9.9.9.9"):
        caller = desk.caller(peer=peer)
        caller.headers["X-Forwarded-For"] = "198.51.100.4"
        caller.check("b@mailinator.com")
    addresses = ("198.51.100.4", "9.9.9.9", "10.0.0.1")
    assert [desk.services.bans.attempts_left(one) for one in addresses] == [4, 4, 5]


def test_the_rate_limit_is_told_kept_and_ends(desk_with: OpenDesk) -> None:
    desk = desk_with()
    caller = desk.caller(KeyType.SANDBOX)
    assert caller.check("a@gmail.com").headers["ratelimit-limit"] == "100"
    desk = desk_with(WINNOW_RATE_LIMIT="3")
    caller = desk.caller(KeyType.SANDBOX)
    for remaining in ("2", "1", "0"):
        answer = caller.check("a@gmail.com")
        assert answer.status_code == 200
        told = [answer.headers[f"ratelimit-{name}"] for name in ("limit", "policy", "remaining")]
        assert told == ["3", "3;w=60", remaining]
        desk.clock.turn(seconds=10)
    refused = caller.check("a@gmail.com")
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == refused.headers["ratelimit-reset"] == "30"
    assert refused.headers["ratelimit-remaining"] == "0"
    assert refused.json()["error"] == refused.json()["detail"]
    assert caller.get("/batch-check-status/x").status_code == 429
    assert desk.caller().check("a@gmail.com").status_code == 200
    desk.clock.turn(seconds=30)
    assert caller.check("a@gmail.com").status_code == 200


def test_idle_keys_are_forgotten() -> None:
    limiter = RateLimiter(5)
    for number in range(KEYS_BEFORE_PRUNING):
        limiter.take(f"key {number}", 0.0)
    limiter.take("one more", 100.0)
    assert len(limiter._times) == 1


class Meeting(StaticResolver):
    """Answers when all callers have asked, and never before."""

    def __init__(self) -> None:
        super().__init__()
        self._barrier = Barrier(CALLERS, timeout=PATIENCE_SECONDS)

    def ask(self, question, names, *, budget_seconds, tick):  # type: ignore[no-untyped-def]
        self._barrier.wait()
        for domain in names:
            yield domain, DnsAnswer(MailRoute.NOT_FOUND, ttl_seconds=3600)


def test_one_slow_answer_holds_up_no_other_check(desk_with: OpenDesk) -> None:
    desk = desk_with(open_resolver=Meeting)
    desk.services.network.turn("dns", True)
    caller = desk.caller()
    answers: list[httpx.Response] = []
    threads = [
        Thread(target=lambda one=one: answers.append(caller.check(f"ana@unlisted-{one}.com")))
        for one in range(CALLERS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.json()["type"] for answer in answers] == ["no website"] * CALLERS
    assert min(answer.json()["remaining_attempts_before_ban"] for answer in answers) == 1


def test_a_key_revoked_by_another_process_is_dead_at_once(desk: Desk) -> None:
    caller = desk.caller()
    assert [caller.check("a@gmail.com").status_code for _ in range(2)] == [200, 200]
    other = Database(desk.application.folder.database)
    revoke_key(other, "local", caller.headers["x-api-key"].partition(".")[0], desk.clock())
    other.close()
    assert caller.check("a@gmail.com").status_code == 401


def test_each_of_many_checks_is_its_callers_and_all_see_a_revocation(desk: Desk) -> None:
    keys = [desk.key(), desk.key(KeyType.SANDBOX)]
    emails = [f"a{number}@mailinator.com" for number in range(100)]
    seen: list[tuple[int, str, str, str]] = []

    async def ask(client: httpx.AsyncClient, key: str, address: str) -> None:
        url, query = f"{BASE_PATH}/check-email", {"email": address}
        answer = await client.post(url, params=query, headers={"X-API-Key": key})
        found = answer.json()
        told = found.get("email", address), found.get("category", "")
        seen.append((answer.status_code, key, *told))

    async def ask_all() -> None:
        transport = httpx.ASGITransport(desk.app)
        async with (
            httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client,
            anyio.create_task_group() as group,
        ):
            for number, address in enumerate(emails):
                group.start_soon(partial(ask, client, keys[number % 2], address))

    for status, category in ((200, "black"), (401, "")):
        seen.clear()
        anyio.run(ask_all)
        live = [(status, keys[0], email, category) for email in emails[::2]]
        assert sorted(seen) == sorted(
            live + [(200, keys[1], email, "white") for email in emails[1::2]]
        )
        desk.services.keys.revoke("local", keys[0].partition(".")[0])


def change_nothing(desk: Desk) -> None:
    """Leave everything in memory as it is."""


def commit(desk: Desk) -> None:
    """Change the database, so that nothing read before counts."""
    desk.services.own_lists.add("local", "elsewhere.example", Category.WHITE)


def turn_on_dns(desk: Desk) -> None:
    """Let checks ask DNS; the switch is read before the next check."""
    desk.services.network.turn("dns", True)
    desk.services.network.is_on("dns")


@pytest.mark.parametrize(
    ("change", "address", "is_on_loop"),
    [
        pytest.param(change_nothing, "bo@gmail.com", True, id="all-in-memory"),
        pytest.param(change_nothing, "bo@", True, id="malformed"),
        pytest.param(change_nothing, "bo@mailinator.com", False, id="a-black-answer-writes"),
        pytest.param(commit, "bo@gmail.com", False, id="a-read-waits-for-commits"),
        pytest.param(turn_on_dns, "bo@gmail.com", False, id="network"),
    ],
)
def test_only_what_cannot_wait_runs_on_the_event_loop(
    desk: Desk, change: Callable[[Desk], None], address: str, is_on_loop: bool
) -> None:
    caller, seen, clock = desk.caller(), [], desk.services.checks.clock

    def note_thread() -> datetime:
        seen.append(current_thread())
        return clock()

    assert caller.check("ana@gmail.com").status_code == 200
    charged = desk.count_charged()[0]  # commits
    assert caller.check("ana@gmail.com").status_code == 200
    change(desk)
    desk.services.checks.clock = note_thread
    assert caller.check(address).json()["email"] == address
    assert (seen[-1] is main_thread()) == is_on_loop
    assert desk.count_charged()[0] - charged == 1 + (address != "bo@")


@pytest.mark.parametrize(
    ("change", "address"), [(change_nothing, "bo@mailinator.com"), (commit, "bo@gmail.com")]
)
def test_others_are_answered_while_a_check_waits_for_a_lock(
    desk: Desk, change: Callable[[Desk], None], address: str
) -> None:
    key, answered = desk.key(), list[str]()
    desk.caller(key=key).check("ana@gmail.com")
    change(desk)

    async def ask(client: httpx.AsyncClient) -> None:
        path, headers = f"{BASE_PATH}/check-email", {"X-API-Key": key}
        answer = await client.post(path, params={"email": address}, headers=headers)
        answered.append(answer.json()["email"])

    async def ask_all(lock: sqlite3.Connection) -> None:
        transport = httpx.ASGITransport(desk.app, client=("9.9.9.9", 5000))
        async with (
            httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client,
            anyio.create_task_group() as group,
        ):
            lock.execute("BEGIN EXCLUSIVE")
            group.start_soon(ask, client)
            for _ in range(20):
                answered.append((await client.get(f"{BASE_PATH}/health")).json()["status"])
            lock.rollback()

    with closing(sqlite3.connect(desk.application.folder.database)) as lock:
        anyio.run(ask_all, lock)
    assert answered == ["ok"] * 20 + [address]
