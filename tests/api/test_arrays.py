"""Arrays of addresses, and lists that come as JSON."""

import json
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.api.conftest import OpenDesk
from tests.api.desk import BASE_PATH, Caller, Desk, RawAnswer, assert_nothing_is_left, call_raw
from winnow.core.identities import LOCAL_ACCOUNT, Identity, Role
from winnow.core.tasks.task import KeyType

CHECKS, SUBMIT, LIST = "/check-emails", "/batch-check-emails", "/lists/remove"
TEXTS = [
    "ana@gmail.com",
    " Bo@MAILINATOR.com ",
    "'ana@gmail.com",
    "Ana <ana@gmail.com>",
    "ana@gmial.com",
    "ana@müller.de",
    "info@nothing-known-of-it.com",
    "ana+news@gmail.com",
    "a.b.c.d.e.f@gmail.com",
    *(f"test@{domain}.com" for domain in ("example", "disposable", "multi-alias", "gmail")),
    "no-address",
    "ana@@gmail.com",
    "",
    "\0",
    "ana@gmail.com\n",
    "=cmd@gmail.com",
    "x" * 2_000,
]


def send(caller: Caller, path: str, body: bytes, kind: str = "application/json") -> httpx.Response:
    method = "PUT" if path == LIST else "POST"
    return caller.request(method, path, content=body, headers={"content-type": kind})


def check_all(caller: Caller, *emails: Any) -> list[dict[str, Any]]:
    answer = caller.post(CHECKS, json={"emails": emails})
    assert answer.status_code == 200, answer.text
    results: list[dict[str, Any]] = answer.json()["results"]
    return results


@pytest.mark.parametrize("key_type", KeyType)
def test_an_array_answers_as_single_checks_do(desk: Desk, key_type: KeyType) -> None:
    caller = desk.caller(key_type, peer="127.0.0.1")
    assert check_all(caller, *TEXTS) == [caller.check(text).json() for text in TEXTS]
    assert (desk.count_charged() == (0, 0)) is (key_type is KeyType.SANDBOX)


def test_items_that_are_no_text_are_invalid_and_spoil_no_others(desk: Desk, caller: Caller) -> None:
    items = [1, "ana@gmail.com", None, True, ["ana@gmail.com"], {"a": 1}, 1.5]
    assert check_all(desk.caller(KeyType.SANDBOX), 1)[0]["type"] == "unknown"
    results = check_all(caller, *items)
    assert [one["type"] for one in results] == ["invalid", "free", *("invalid",) * 5]
    assert results[0]["explanation"]["reasons"] == ["invalid_characters"]
    assert (results[0]["email"], results[0]["domain"], results[0]["category"]) == ("", "", "black")


def test_lone_surrogates_are_no_text(caller: Caller) -> None:
    body = rb'{"emails": ["\ud800@gmail.com", "\ud83d\ude00", "ana@gmail.com"]}'
    results = send(caller, CHECKS, body).json()["results"]
    assert [one["email"] for one in results] == ["", "\U0001f600", "ana@gmail.com"]
    assert [one["type"] for one in results] == ["invalid", "invalid", "free"]


def test_each_valid_item_is_charged_and_the_call_counts_once(desk_with: OpenDesk) -> None:
    desk = desk_with(WINNOW_RATE_LIMIT="3")
    emails = ["a@gmail.com", "b@mailinator.com", "no"]
    answer = desk.caller().post(CHECKS, json={"emails": emails})
    assert answer.headers["ratelimit-remaining"] == "2"
    assert desk.count_charged() == (2, 0)


def test_arrays_take_no_attempt_and_a_banned_caller_gets_403(desk: Desk, caller: Caller) -> None:
    black = ["a@mailinator.com"] * 20
    for presses, left in ((0, 5), (2, 3)):
        for _ in range(presses):
            caller.check(black[0])
        results = check_all(caller, *black)
        assert {one["remaining_attempts_before_ban"] for one in results} == {left}
    for _ in range(3):
        caller.check(black[0])
    answer = caller.post(CHECKS, json={"emails": black})
    assert (answer.status_code, answer.json()["code"]) == (403, "banned")
    assert desk.count_charged() == (45, 0)


FIELDS = {CHECKS: "emails", SUBMIT: "emails", LIST: "entries"}


def nest(depth: int) -> bytes:
    return b'{"emails": ' + b"[" * depth + b"]" * depth + b"}"


BAD = [
    pytest.param(b"", 400, None, id="empty-body"),
    pytest.param(b"[]", 400, None, id="not-an-object"),
    pytest.param(b'"x"', 400, None, id="a-text"),
    pytest.param(b"{", 400, None, id="cut"),
    pytest.param(b"\xff", 400, None, id="not-utf-8"),
    pytest.param('{"emails": ["a@b.de"]}'.encode("utf-16"), 400, None, id="utf-16"),
    pytest.param(b'{"FIELD": [NaN]}', 400, None, id="not-json"),
    pytest.param(b'{"FIELD": ["\0"]}', 400, None, id="bare-nul"),
    pytest.param(b"{}", 422, "FIELD", id="missing"),
    pytest.param(b'{"FIELD": null}', 422, "FIELD", id="null"),
    pytest.param(b'{"FIELD": "a@b.de"}', 422, "FIELD", id="not-a-list"),
    pytest.param(b'{"FIELD": {"a": 1}}', 422, "FIELD", id="an-object"),
    pytest.param(b'{"FIELD": ["a@b.de"], "FIELD": []}', 422, "FIELD", id="repeated-key"),
    pytest.param(
        b'{"FIELD": ["a@b.de"]%s}' % b"".join(b',"%d":1' % one for one in range(1_000)),
        *(413, "body"),
        id="many-names",
    ),
    pytest.param(nest(2_000), 400, None, id="nested-deeply"),
    pytest.param(nest(500_000), 413, "body", id="nested-very-deeply"),
]


@pytest.mark.parametrize(("body", "status", "field"), BAD)
def test_bad_bodies_are_problems_and_leave_nothing(
    desk: Desk, caller: Caller, body: bytes, status: int, field: str | None
) -> None:
    for path, name in FIELDS.items():
        answer = send(caller, path, body.replace(b"FIELD", name.encode()))
        problem = answer.json()
        assert answer.status_code == status, (path, problem)
        assert answer.headers["content-type"] == "application/problem+json"
        if field and status != 400:
            assert problem["errors"][0]["field"] == field.replace("FIELD", name)
        if status == 413:
            assert problem["used"] > problem["limit"] > 0
    assert_nothing_is_left(desk)


HOSTILE = {
    "numbers": b"1," * 900_000,
    "long-numbers": b"1234567," * 900_000,
    "empty-texts": b'"",' * 900_000,
    "lists": b"[]," * 900_000,
    "objects": b"{}," * 900_000,
    "an-object": b'{"a":1' + b"".join(b',"%d":1' % one for one in range(900_000)) + b"},",
    "escapes": rb'"\u00e4",' * 900_000,
}


@pytest.mark.parametrize("part", HOSTILE.values(), ids=HOSTILE)
def test_far_too_many_values_are_refused_before_they_are_decoded(
    desk: Desk, caller: Caller, part: bytes
) -> None:
    for path, name in FIELDS.items():
        body = b'{"%s":[%s"a@b.de"]}' % (name.encode(), part)
        tracemalloc.start()
        problem = send(caller, path, body).json()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (problem["status"], problem["errors"][0]["field"]) == (413, "body"), path
        assert peak <= 3 * len(body) + (1 << 20), path
    assert_nothing_is_left(desk)


def test_a_key_without_the_right_is_refused_before_its_body_is_read(desk: Desk) -> None:
    for name, role in (("ana", Role.ADMIN), ("cy", Role.MEMBER)):
        desk.services.people.add(name, role, "correct horse")
    cy = desk.services.act_as(Identity(LOCAL_ACCOUNT, "cy", Role.MEMBER))
    reader = desk.caller(key=cy.keys.create(LOCAL_ACCOUNT, "hers", KeyType.LIVE)[1])
    desk.services.people.change_role("cy", Role.READER)
    for path in (SUBMIT, LIST):
        assert send(reader, path, b"{").status_code == 403, path
    refused = send(desk.caller(KeyType.SANDBOX), LIST, b"{").json()
    assert (refused["status"], refused["errors"][0]["field"]) == (422, "X-API-Key")


def test_two_large_bodies_are_held_at_once_and_others_come_back_later(
    desk: Desk, caller: Caller
) -> None:
    body = b'{"emails": ["a@b.de"], "project_name": "large"}'.ljust((1 << 20) + 2)
    kind = (b"content-type", b"application/json")
    head = (kind, (b"x-api-key", caller.headers["x-api-key"].encode()), (b"host", b"127.0.0.1"))
    answers: list[RawAnswer] = []

    def hold(others: int) -> Iterator[bytes]:
        """Send a body; in the middle of it, as many others."""
        yield body[:-1]
        if others:
            with ThreadPoolExecutor(1) as threads:
                threads.submit(upload, others - 1).result()
        yield body[-1:]

    def upload(others: int) -> None:
        path = f"{BASE_PATH}{SUBMIT}"
        answers.append(call_raw(desk.app, "POST", path, head, hold(others)))

    upload(3)
    assert [answer.status for answer in answers] == [503, 200, 200]
    assert (b"retry-after", b"5") in answers[0].headers
    assert json.loads(answers[0].body)["code"] == "server_busy"
    upload(0)
    assert answers[-1].status == 200
    assert send(caller, SUBMIT, body.strip()).status_code == 200


def test_ten_megabytes_are_too_much_for_an_array(caller: Caller) -> None:
    body = json.dumps({"emails": ["x" * 10_000_000]}).encode()
    problem = send(caller, CHECKS, body).json()
    assert (problem["status"], problem["errors"][0]["field"]) == (413, "body")
    assert problem["limit"] == 4 << 20


@pytest.mark.parametrize("kind", ["text/plain", "application/json; charset=utf-16", "x", ""])
def test_another_content_type_or_charset_is_refused(desk: Desk, caller: Caller, kind: str) -> None:
    for path in (CHECKS, SUBMIT, LIST):
        answer = send(caller, path, b'{"emails": ["a@b.de"], "entries": ["b.de"]}', kind)
        assert (answer.status_code, answer.json()["code"]) == (400, "malformed_request")
    assert_nothing_is_left(desk)


@pytest.mark.parametrize(("count", "status"), [(0, 422), (1, 200), (1_000, 200), (1_001, 413)])
def test_an_array_has_1_to_1000_items(caller: Caller, count: int, status: int) -> None:
    answer = caller.post(CHECKS, json={"emails": ["a@gmail.com"] * count})
    assert answer.status_code == status
    if status != 200:
        problem = answer.json()
        assert problem["errors"][0]["field"] == "emails"
        assert "1,000" in problem["detail"]
        assert status == 422 or (problem["used"], problem["limit"]) == (1_001, 1_000)


def submit(desk: Desk, caller: Caller, **body: Any) -> tuple[dict[str, Any], str]:
    """Submit a list that is taken; return its status when it is done, and its file."""
    answer = caller.post(SUBMIT, json=body)
    assert answer.status_code == 200, answer.text
    desk.work()
    task_id = answer.json()["task_id"]
    return caller.read_status(task_id), caller.fetch(task_id).decode()


def test_emails_are_a_list_like_any_other(desk: Desk, caller: Caller) -> None:
    emails = ["ana@gmail.com", "bo@mailinator.com", "ANA@gmail.com", "no", 7]
    status, content = submit(desk, caller, emails=emails)
    assert status["project_name"] == "api-list"
    assert (status["summary"]["rows_in"], status["summary"]["charged"]) == (5, 2)
    assert content.splitlines() == [
        '"email",category,domain_type',
        '"bo@mailinator.com",black,disposable',
        '"ANA@gmail.com",white,free',
        '"no",black,invalid',
        '"7",black,invalid',
    ]


def test_rows_have_columns_in_the_order_of_their_first_appearance(
    desk: Desk, caller: Caller
) -> None:
    rows = [
        {"id": 1, "email": "ana@gmail.com"},
        {"email": "bo@gmail.com", "vip": True, "note": 'say "hi", Bo\nBo'},
        {"id": 1.50, "email": "cy@gmail.com", "vip": None, "note": "\u20ac"},
    ]
    status, content = submit(
        desk, caller, rows=rows, project_name="CRM", deduplicate=False, keep="first"
    )
    assert status["project_name"] == "CRM"
    assert content.split("\r\n")[0] == '"id","email","vip","note",category,domain_type'
    assert '"","bo@gmail.com","true","say ""hi"", Bo\nBo",white,free' in content
    assert '"1.5","cy@gmail.com","","\u20ac",white,free' in content


ODD = [
    *("#ana@gmail.com", "", "Total", '"ana"@gmail.com', "a\\b@gmail.com", "a;b@gmail.com"),
    *("a,b@gmail.com", "a\tb@gmail.com", "a\r\nb@gmail.com", "a\nb@gmail.com", "=1+1"),
    *("'a@gmail.com", "\ufeffa@gmail.com", "--", "Σ 12"),
]


def test_odd_items_stay_rows_as_they_came(desk: Desk, caller: Caller) -> None:
    status, _ = submit(desk, caller, emails=ODD, deduplicate=False)
    rows = caller.get(f"/batch-results/{status['task_id']}").json()["rows"]
    assert [row["email"] for row in rows] == ODD
    assert status["summary"]["rows_in"] == len(ODD)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        pytest.param({"emails": ["a@b.de"], "rows": [{"email": "a@b.de"}]}, "emails", id="both"),
        pytest.param({"project_name": "x"}, "emails", id="neither"),
        pytest.param({"emails": [["a@b.de"]]}, "emails[0]", id="nested-email"),
        pytest.param({"rows": [{"email": "a"}, {"email": {}}]}, "rows[1]", id="nested-cell"),
        pytest.param({"emails": ["a@b.de", "\0@b.de"]}, "emails[1]", id="nul"),
        pytest.param({"rows": [{"email": "a", "a\0": 1}]}, "rows", id="nul-in-a-name"),
        pytest.param({"rows": ["a@b.de"]}, "rows[0]", id="a-row-that-is-a-text"),
        pytest.param({"rows": []}, "rows", id="no-rows"),
        pytest.param({"emails": ["a"], "project_name": ["x"]}, "project_name", id="nested-name"),
        pytest.param({"emails": ["a"], "ana@x.de": ["x"]}, "body", id="nested-unknown"),
        pytest.param({"rows": [{"mail": "a@b.de"}]}, "file", id="no-email-column"),
        pytest.param({"emails": ["a@b.de"], "mailbox": True}, "mailbox", id="mailbox"),
        pytest.param({"emails": ["a@b.de"], "recipe": "mailbox = true"}, "recipe", id="recipe"),
        pytest.param({"emails": ["a"], "join_aliases": "maybe"}, "join_aliases", id="join-or-not"),
    ],
)
def test_bad_lists_are_422_and_leave_nothing(
    desk: Desk, caller: Caller, body: Any, field: str
) -> None:
    answer = caller.post(SUBMIT, json=body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field), answer.text
    assert_nothing_is_left(desk)


def test_too_many_items_or_columns_are_413_and_leave_nothing(desk: Desk, caller: Caller) -> None:
    many = caller.post(SUBMIT, json={"emails": ["a@b.de"] * 100_001}).json()
    assert (many["status"], many["limit"], many["errors"][0]["field"]) == (413, 100_000, "emails")
    wide = caller.post(SUBMIT, json={"rows": [dict.fromkeys(map(str, range(1_001)))]}).json()
    assert (wide["status"], wide["limit"], wide["errors"][0]["field"]) == (413, 1_000, "body")
    assert_nothing_is_left(desk)


def test_a_list_as_json_obeys_the_upload_limit(desk_with: OpenDesk) -> None:
    desk = desk_with(WINNOW_MAX_UPLOAD_BYTES="1000")
    answer = desk.caller().post(SUBMIT, json={"emails": ["ana@gmail.com"] * 200})
    assert (answer.status_code, answer.json()["code"]) == (413, "file_too_large")
    assert_nothing_is_left(desk)


@pytest.mark.parametrize("joins", [True, False])
def test_aliases_are_joined_on_request(desk: Desk, caller: Caller, *, joins: bool) -> None:
    emails = ["a.na@gmail.com", "ana+x@googlemail.com", "ana@firm-of-ours.com"]
    status, _ = submit(desk, caller, emails=emails, join_aliases=joins)
    assert status["summary"]["duplicates_removed"] == int(joins)
