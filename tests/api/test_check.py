"""``POST /check-email``, field by field."""

import pytest

from tests.api.conftest import OpenDesk
from tests.api.desk import BASE_PATH, Desk
from winnow.api.middleware.authentication import KEYS_BEFORE_PRUNING, RateLimiter
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.verdict import Category

CHECK = f"{BASE_PATH}/check-email"
NINE = [
    "email",
    "domain",
    "category",
    "mx_record",
    "premium",
    "domain_age",
    "date_added",
    "type",
    "remaining_attempts_before_ban",
]


def test_nine_fields_in_order_then_the_explanation(desk: Desk) -> None:
    answer = desk.caller().post(f"{CHECK}?email=Bo@MAILINATOR.com")
    fields = answer.json()
    assert answer.status_code == 200
    assert list(fields) == [*NINE, "explanation"]
    assert {name: type(fields[name]) for name in NINE} == {
        **dict.fromkeys(NINE, str),
        "remaining_attempts_before_ban": int,
    }
    assert fields["email"] == "Bo@MAILINATOR.com"
    assert fields["domain"] == "mailinator.com"
    assert (fields["category"], fields["type"]) == ("black", "disposable")
    assert fields["mx_record"] == "unknown"
    assert fields["premium"] in {"True", "False", "unknown"}
    assert fields["domain_age"] == "unknown"
    assert len(fields["date_added"].split(".")) == 3
    assert fields["remaining_attempts_before_ban"] == 4
    explanation = fields["explanation"]
    assert list(explanation) == [
        "reasons",
        "evidence",
        "suggestion",
        "data_version",
        "disposable_probability",
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
        pytest.param("email=ana%2Bnews@gmail.com", "ana+news@gmail.com", "gmail.com", id="encoded"),
        pytest.param("email=%20ana@gmail.com%09", "ana@gmail.com", "gmail.com", id="trimmed"),
        pytest.param("email=ana@M%C3%BCller.de", "ana@Müller.de", "xn--mller-kva.de", id="idn"),
        pytest.param("email=a%CC%8A@gmail.com", "å@gmail.com", "gmail.com", id="nfc"),
        pytest.param("email=a%3Db@gmail.com", "a=b@gmail.com", "gmail.com", id="equals-in-value"),
        pytest.param("a=1&e%6Dail=a@x.de&b=2", "a@x.de", "x.de", id="name-encoded-among-others"),
    ],
)
def test_the_address_is_checked_as_sent(desk: Desk, query: str, email: str, domain: str) -> None:
    fields = desk.caller().post(f"{CHECK}?{query}").json()
    assert (fields["email"], fields["domain"]) == (email, domain)


@pytest.mark.parametrize(
    ("query", "email", "domain"),
    [
        ("email=", "", ""),
        ("email", "", ""),
        ("email=plain", "plain", ""),
        ("email=ana@nodot", "ana@nodot", "nodot"),
        ("email=ana@x%00.de", "ana@x\x00.de", "x\x00.de"),
        ("email=Ana%20%3Cana@gmail.com%3E", "Ana <ana@gmail.com>", "gmail.com>"),
        pytest.param(f"email={'a' * 60_000}@x.de", f"{'a' * 60_000}@x.de", "x.de", id="huge"),
    ],
)
def test_a_malformed_address_is_an_answer_that_costs_nothing(
    desk: Desk, query: str, email: str, domain: str
) -> None:
    caller = desk.caller()
    answer = caller.post(f"{CHECK}?{query}")
    fields = answer.json()
    assert answer.status_code == 200
    assert (fields["email"], fields["domain"]) == (email, domain)
    assert (fields["category"], fields["type"]) == ("black", "invalid")
    assert fields["remaining_attempts_before_ban"] == 5
    assert sum(day.single for day in desk.services.usage.days("local")) == 0


def test_a_display_name_is_suggested_away(desk: Desk) -> None:
    fields = desk.caller().post(f"{CHECK}?email=Ana%20%3Cana@gmail.com%3E").json()
    assert fields["explanation"]["suggestion"] == "ana@gmail.com"


@pytest.mark.parametrize(
    "query", ["", "?mail=a@x.de", "?Email=a@x.de", "?email=%ff", "?email=a@x.de&email=b@x.de"]
)
def test_no_usable_email_parameter(desk: Desk, query: str) -> None:
    answer = desk.caller().post(CHECK + query)
    assert answer.status_code == 422
    assert answer.json()["code"] == "bad_field"
    assert answer.json()["errors"][0]["field"] == "email"


def test_a_body_is_left_alone(desk: Desk) -> None:
    caller = desk.caller()
    assert caller.post(f"{CHECK}?email=a@gmail.com", content=b"x" * 100_000).status_code == 200
    assert caller.post(CHECK, data={"email": "a@gmail.com"}).status_code == 422


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
        answer = caller.post(CHECK, params={"email": address})
        fields = answer.json()
        assert (fields["category"], fields["type"]) == (category, domain_type)
        assert fields["remaining_attempts_before_ban"] == 5
    assert sum(day.single for day in desk.services.usage.days("local")) == 0


def test_the_probability_is_null_where_it_is_not_known(desk: Desk) -> None:
    def ask(address: str, key_type: KeyType = KeyType.LIVE) -> float | None:
        answer = desk.caller(key_type).post(CHECK, params={"email": address})
        likely: float | None = answer.json()["explanation"]["disposable_probability"]
        return likely

    assert ask("a@gmail.com") == 0.001
    assert ask("no address") is None
    assert ask("test@disposable.com", KeyType.SANDBOX) is None
    desk.services.own_lists.add("local", "mailinator.com", Category.WHITE)
    assert ask("bo@mailinator.com") is None


def test_five_black_answers_ban_this_client_and_no_other(desk: Desk) -> None:
    caller = desk.caller(peer="203.0.113.7")

    def left(address: str) -> int:
        answer = caller.post(CHECK, params={"email": address})
        assert answer.status_code == 200
        return int(answer.json()["remaining_attempts_before_ban"])

    assert left("a@gmail.com") == 5
    assert left("no-address") == 5
    assert [left("b@mailinator.com") for _ in range(5)] == [4, 3, 2, 1, 0]
    banned = caller.post(CHECK, params={"email": "a@gmail.com"})
    assert banned.status_code == 403
    assert banned.json()["code"] == "banned"
    other = desk.client("203.0.113.8", **caller.headers)
    assert other.post(CHECK, params={"email": "a@gmail.com"}).status_code == 200
    desk.clock.turn(hours=24, seconds=1)
    assert left("a@gmail.com") == 5


def test_a_forwarded_address_counts_from_a_trusted_proxy_only(desk_with: OpenDesk) -> None:
    desk = desk_with(WINNOW_RATE_LIMIT="off", WINNOW_TRUSTED_PROXIES="10.0.0.1")
    key = desk.key()
    for peer in ("10.0.0.1", "9.9.9.9"):
        client = desk.client(peer, **{"X-API-Key": key, "X-Forwarded-For": "198.51.100.4"})
        client.post(CHECK, params={"email": "b@mailinator.com"})
    assert desk.services.bans.attempts_left("198.51.100.4") == 4
    assert desk.services.bans.attempts_left("9.9.9.9") == 4
    assert desk.services.bans.attempts_left("10.0.0.1") == 5


def test_the_rate_limit_is_told_kept_and_ends(desk_with: OpenDesk) -> None:
    desk = desk_with(WINNOW_RATE_LIMIT="3")
    caller = desk.caller(KeyType.SANDBOX)
    for remaining in (2, 1, 0):
        answer = caller.post(f"{CHECK}?email=a@gmail.com")
        assert answer.status_code == 200
        assert answer.headers["ratelimit-limit"] == "3"
        assert answer.headers["ratelimit-policy"] == "3;w=60"
        assert answer.headers["ratelimit-remaining"] == str(remaining)
        desk.clock.turn(seconds=10)
    refused = caller.post(f"{CHECK}?email=a@gmail.com")
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == refused.headers["ratelimit-reset"] == "30"
    assert refused.headers["ratelimit-remaining"] == "0"
    assert refused.json()["error"] == refused.json()["detail"]
    assert caller.get(f"{BASE_PATH}/batch-check-status/x").status_code == 429
    assert desk.caller().post(f"{CHECK}?email=a@gmail.com").status_code == 200
    desk.clock.turn(seconds=30)
    assert caller.post(f"{CHECK}?email=a@gmail.com").status_code == 200


def test_a_hundred_a_minute_is_the_default(desk_with: OpenDesk) -> None:
    answer = desk_with().caller(KeyType.SANDBOX).post(f"{CHECK}?email=a@gmail.com")
    assert answer.headers["ratelimit-limit"] == "100"


def test_idle_keys_are_forgotten() -> None:
    limiter = RateLimiter(5)
    for number in range(KEYS_BEFORE_PRUNING):
        limiter.take(f"key {number}", 0.0)
    limiter.take("one more", 100.0)
    assert len(limiter._times) == 1
