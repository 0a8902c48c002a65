"""Every route against every kind of caller; hosts, sites, sign-in."""

import html
import json
import re

import httpx
import pytest
from starlette.routing import Route

from tests.api.conftest import OpenDesk
from tests.api.desk import BASE_PATH, LIST, ORIGIN, Desk, call_raw, call_socket
from tests.applications import delete_for_good
from tests.server import PROJECT
from winnow.api.middleware.sign_in import (
    SIGN_INS_A_MINUTE,
    SIGN_INS_A_MINUTE_IN_ALL,
    find_way_back,
)
from winnow.core.identities import COOKIE_NAME, LOCAL_ACCOUNT, Role
from winnow.core.tasks.task import KeyType

KEYED = [
    ("POST", "/check-email?email=ana@gmail.com"),
    ("POST", "/batch-check-emails"),
    ("GET", "/batch-check-status/{task_id}"),
    ("GET", "/batch-task-download/{task_id}"),
    ("POST", "/check-emails"),
    ("GET", "/batch-tasks"),
    ("GET", "/batch-results/{task_id}"),
    ("GET", "/usage"),
    ("GET", "/lists/{list}"),
    ("PUT", "/lists/{list}"),
    ("DELETE", "/lists/{list}"),
    ("POST", "/lists/{list}/entries"),
    ("DELETE", "/lists/{list}/entries/{pattern}"),
]
PASSWORD = "correct horse"
OPEN = [("GET", "/health"), ("GET", "/openapi.json"), ("GET", "/docs")]
FOREIGN = {
    "/batch-check-status/{task_id}": 404,
    "/batch-task-download/{task_id}": 404,
    "/batch-results/{task_id}": 404,
    "/lists/{list}/entries": 201,
    "/lists/{list}/entries/{pattern}": 204,
}


def call(client: httpx.Client, method: str, path: str, task_id: str = "x") -> httpx.Response:
    files = {"file": ("list.csv", LIST)} if path.startswith("/batch-check-e") else None
    body = {"emails": ["ana@gmail.com"]} if path == "/check-emails" else None
    body = {"entries": ["gmail.com"]} if method == "PUT" else body
    body = {"pattern": "gmail.com"} if path.endswith("/entries") else body
    url = BASE_PATH + path.format(task_id=task_id, list="keep", pattern="gmail.com")
    return client.request(method, url, files=files, json=body)


DESK = {
    ("POST", "/desk/uploads"): 401,  # a token of its own
    ("POST", "/desk/bounces"): 401,  # the same
    ("POST", "/desk/do-not-mail/{beside}/{list_id}"): 401,
    ("POST", "/desk/own-lists/{category}"): 401,
    ("GET", "/desk/sign-in"): 200,
    ("POST", "/desk/sign-in"): 401,  # without the password
    ("POST", "/desk/sign-out"): 401,  # nobody is signed in
}
"""What a stranger gets where a password is set."""
PAGES = sorted(path.stem.replace("_", "-") for path in (PROJECT / "pages").glob("[!_]*.py"))


def list_routes(desk: Desk) -> set[tuple[str, str]]:
    """Return (method, path) of everything that the server's own routers answer to."""
    return {
        (method, ("" if root == BASE_PATH else root) + route.path)
        for root, router in desk.api.routers.items()
        for route in router.routes
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
    }


def test_the_table_names_every_route(desk: Desk) -> None:
    named = {(method, path.partition("?")[0]) for method, path in KEYED + OPEN}
    assert list_routes(desk) == {*named, ("GET", "/downloads/{token}"), *DESK}


@pytest.mark.parametrize("route", DESK, ids=" ".join)
def test_what_a_stranger_gets_of_the_desk(desk_with: OpenDesk, route: tuple[str, str]) -> None:
    stranger = desk_with(WINNOW_PASSWORD=PASSWORD).client("9.9.9.9")
    assert stranger.request(*route).status_code == DESK[route]
    if route[0] == "POST":
        for headers in ({"Origin": "https://evil.test"}, {"Sec-Fetch-Site": "cross-site"}):
            answer = stranger.request(*route, headers=headers)
            assert answer.status_code in {401, 403}
            assert answer.json()["code"] in {"cross_site_request", "sign_in_required"}


@pytest.mark.parametrize("page", ["", *PAGES, "media/x", "app/static/x", "_stcore/host-config"])
def test_no_page_without_the_password(desk_with: OpenDesk, page: str) -> None:
    desk = desk_with(WINNOW_PASSWORD=PASSWORD)
    key = desk.key()
    for headers in ({}, {"X-API-Key": key}, {"Cookie": f"{COOKIE_NAME}=forged"}):
        client = desk.client("9.9.9.9", **headers)
        assert client.get(f"/{page}").status_code == 401
        led = client.get(f"/{page}", headers={"Accept": "text/html"})
        assert led.status_code == 303
        assert led.headers["location"].partition("?")[0] == "/desk/sign-in"


def test_with_a_password_a_key_opens_the_api_and_no_socket(desk_with: OpenDesk) -> None:
    desk = desk_with(WINNOW_PASSWORD=PASSWORD)
    key = desk.key()
    assert call_socket(desk.app, (b"x-api-key", key.encode()), peer="9.9.9.9") == [
        "websocket.close"
    ]
    assert desk.client().get(f"{BASE_PATH}/health").status_code == 200
    for known, status in ((key, 200), ("none", 401)):
        assert desk.caller(key=known).check("a@gmail.com").status_code == status


def test_a_links_token_opens_its_own_file_and_nothing_else(desk: Desk) -> None:
    owner, other = desk.caller(), desk.caller(account="other")
    own_id, other_id = owner.upload(), other.upload(name="theirs.csv")
    desk.work()
    own, theirs = owner.issue_link(own_id), other.issue_link(other_id)
    downloads, stranger = own.rpartition("/")[0], desk.client("9.9.9.9")
    assert "theirs" in stranger.get(theirs).headers["content-disposition"]
    assert "theirs" not in stranger.get(own).headers["content-disposition"]
    tokens = (own_id, "x", "%00", "..", "a" * 5000, "%F0%9F%92%A9", "%ff")
    for odd in (own[:-1], own + "A", own.swapcase(), *(f"{downloads}/{one}" for one in tokens)):
        answer = stranger.get(odd)
        assert answer.status_code == 404, odd
        is_ours = odd != own.swapcase()
        assert (answer.headers["content-type"] == "application/problem+json") is is_ours, odd
    delete_for_good(desk.services, own_id)
    assert stranger.get(own).status_code in {404, 410}
    assert stranger.get(theirs).status_code == 200


@pytest.mark.parametrize(
    "who", ["nobody", "empty", "wrong", "wrong-secret", "revoked", "two", "sandbox", "other"]
)
def test_keyed_routes(desk: Desk, who: str) -> None:
    task_id = desk.complete()
    key = desk.key()
    revoked = desk.key()
    desk.services.keys.revoke("local", revoked.partition(".")[0])
    headers = {
        "nobody": [],
        "empty": [("X-API-Key", "")],
        "wrong": [("X-API-Key", "wk_live_000000000000." + "a" * 43)],
        "wrong-secret": [("X-API-Key", key.partition(".")[0] + "." + "a" * 43)],
        "revoked": [("X-API-Key", revoked)],
        "two": [("X-API-Key", key), ("X-API-Key", key)],
        "sandbox": [("X-API-Key", desk.key(KeyType.SANDBOX))],
        "other": [("X-API-Key", desk.key(account="other"))],
    }[who]
    client = desk.client("9.9.9.9")
    client.headers.update(httpx.Headers(headers))
    for method, path in KEYED:
        answer = call(client, method, path, task_id)
        if who == "other":
            assert answer.status_code == FOREIGN.get(path, 200), path
        elif who == "sandbox":
            changes = "/lists" in path and method != "GET"
            assert answer.status_code == (422 if changes else FOREIGN.get(path, 200)), path
        else:
            assert answer.status_code == 401, path
            assert answer.headers["www-authenticate"].startswith("ApiKey")
            assert answer.json()["code"] == "key_rejected"
            assert len(desk.services.tasks.list("local")) == 1


def test_open_routes_need_no_key(desk: Desk) -> None:
    for method, path in OPEN:
        answer = call(desk.client(), method, path)
        assert answer.status_code == 200, path
        assert "ratelimit-limit" not in answer.headers


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        (f"{BASE_PATH}/check-email", {"POST"}),
        (f"{BASE_PATH}/batch-check-emails", {"POST"}),
        (f"{BASE_PATH}/health", {"GET", "HEAD"}),
        (f"{BASE_PATH}/lists/keep", {"GET", "HEAD", "PUT", "DELETE"}),
        ("/desk/sign-in", {"GET", "HEAD", "POST"}),
    ],
)
def test_other_methods_are_405(desk: Desk, path: str, allowed: set[str]) -> None:
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - allowed:
        answer = desk.client().request(method, path)
        assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
        assert set(answer.headers["allow"].split(", ")) == allowed


def test_unknown_routes_are_404_below_the_base(desk: Desk) -> None:
    for path in ("", "/", "/nope", "/check-email/", "/batch-check-status/", "//x"):
        answer = desk.client().get(BASE_PATH + path)
        assert (answer.status_code, answer.json()["code"]) == (404, "route_unknown"), path


@pytest.mark.parametrize("operation", ["batch-check-status", "batch-task-download"])
def test_odd_ids_are_unknown_tasks_as_a_foreign_one_is(desk: Desk, operation: str) -> None:
    foreign = desk.caller(account="other").upload()
    headers = [(b"host", b"localhost"), (b"x-api-key", desk.key().encode())]
    problems = []
    for asked in (foreign, "%00", "%0A", "%0D%0A", "..%5C..", "%2e%2e", "%ff", "a" * 9000):
        answer = call_raw(desk.app, "GET", f"{BASE_PATH}/{operation}/{asked}", headers)
        assert answer.status == 404, asked
        problems.append(json.loads(answer.body) | {"request_id": ""})
    assert problems == [problems[0]] * 8
    assert problems[0]["code"] == "task_unknown"


def test_hosts(desk_with: OpenDesk) -> None:
    desk = desk_with(
        WINNOW_ALLOWED_HOSTS="lists.example.org", WINNOW_PUBLIC_URL="https://public.example.org"
    )
    ours = ("localhost", "LOCALHOST:8501", "127.0.0.1:9", "[::1]:8501", "lists.example.org")
    others = ("evil.test", "localhost.evil.test", "evil.test:8501@localhost", "localhost:8501/x")
    for status, hosts in ((200, (*ours, "public.example.org:443")), (400, (*others, ""))):
        for host in hosts:
            answer = desk.client(host=host).get(f"{BASE_PATH}/health")
            assert answer.status_code == status, host
            assert answer.headers["x-request-id"]


def test_a_request_has_one_host_and_a_hundred_headers(desk: Desk) -> None:
    host = (b"host", b"localhost")
    for more, status in (
        ([(b"x-a", b"y")] * 99, 200),
        ([(b"x-a", b"y")] * 100, 431),
        ([host], 400),
    ):
        assert call_raw(desk.app, "GET", f"{BASE_PATH}/health", [host, *more]).status == status


def test_request_ids_are_taken_over_where_plain(desk: Desk) -> None:
    plain = ("0b6f4a1e-5b0e-4c55", "abcd_EFGH-1234")
    for sent in (*plain, "short", "x" * 65, "ana@gmail.com", "with space here"):
        answer = desk.client(**{"X-Request-Id": sent}).get(f"{BASE_PATH}/nope")
        found = answer.headers["x-request-id"]
        assert (found == sent) is (sent in plain)
        assert answer.json()["request_id"] == found
        assert len(found) >= 8


@pytest.fixture
def upload_headers(desk: Desk) -> dict[str, str]:
    """What the drop zone of a page sends along."""
    token = desk.services.uploads.issue_token("local")
    own = {"Origin": ORIGIN, "Sec-Fetch-Site": "same-origin"}
    return {"X-Upload-Token": token, "X-File-Name": "K%C3%A4ufer%20%2B.csv", **own}


def test_desk_uploads_with_a_token(desk: Desk, upload_headers: dict[str, str]) -> None:
    answer = desk.client(**upload_headers).post("/desk/uploads", content=LIST)
    assert answer.status_code == 200
    told = answer.json()
    assert (told["size_bytes"], told["file_name"]) == (len(LIST), "Käufer +.csv")
    staged = desk.services.uploads.get("local", told["upload_id"])
    assert desk.application.blobs.fetch(staged.key).read_bytes() == LIST


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        pytest.param("X-Upload-Token", "", 401, id="no-token"),
        pytest.param("X-Upload-Token", "forged.token.x", 401, id="forged-token"),
        pytest.param("Origin", "https://evil.test", 403, id="other-origin"),
        pytest.param("Origin", "null", 403, id="no-origin-to-name"),
        pytest.param("Origin", "http://127.0.0.1:9999", 403, id="other-port"),
        pytest.param("Sec-Fetch-Site", "cross-site", 403, id="cross-site"),
        pytest.param("Sec-Fetch-Site", "same-site", 403, id="same-site"),
        pytest.param("X-File-Name", "", 422, id="no-name"),
        pytest.param("X-File-Name", "%ff", 422, id="name-not-utf-8"),
        pytest.param("X-File-Name", "list.exe", 400, id="extension"),
        pytest.param("X-File-Name", "..%2F..%2Flist", 400, id="path"),
    ],
)
def test_desk_uploads_refused(
    desk: Desk, upload_headers: dict[str, str], name: str, value: str, status: int
) -> None:
    client = desk.client(**{**upload_headers, name: value})
    answer = client.post("/desk/uploads", content=LIST)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert desk.files() == []


def test_own_files_are_received_and_leave_only_hashes(desk: Desk) -> None:
    headers = {"X-Upload-Token": desk.services.uploads.issue_token("local")}
    client = desk.client(**headers, **{"X-File-Name": "x.csv"})
    upload_id = client.post("/desk/uploads", content=LIST).json()["upload_id"]
    content = b"email,type\nana@gmail.com,hard\n"
    for path in ("bounces", f"do-not-mail/uploads/{upload_id}"):
        answer = client.post(f"/desk/{path}", content=content)
        assert (answer.status_code, list(answer.json())) == (200, ["file_id"])
    for path in ("do-not-mail/uploads/x", "do-not-mail/projects/x", "do-not-mail/other/x"):
        assert client.post(f"/desk/{path}", content=content).status_code in {404, 410}
    refused = client.post("/desk/bounces", content=b"name\nana\n")
    assert (refused.status_code, refused.json()["code"]) == (400, "unsupported_format")
    waiting = desk.services.uploads.list_waiting("local")
    assert [upload.upload_id for upload in waiting] == [upload_id]


def test_with_a_password_the_desk_asks_for_it(desk_with: OpenDesk) -> None:
    desk = desk_with(WINNOW_PASSWORD=PASSWORD)
    client = desk.client(Accept="text/html")
    token = {"X-Upload-Token": desk.services.uploads.issue_token("local"), "X-File-Name": "l.csv"}
    assert desk.client(**token).post("/desk/uploads", content=LIST).status_code == 401
    assert desk.files() == []
    form = client.get(client.get("/project?task=1&q=a%26b").headers["location"])
    assert form.status_code == 200
    assert "form-action 'self'" in form.headers["content-security-policy"]
    action = re.search(r'action="([^"]+)"', form.text)
    assert action is not None

    wrong = client.post(html.unescape(action[1]), data={"password": "guess"})
    assert wrong.status_code == 401
    assert "set-cookie" not in wrong.headers
    assert f'action="{action[1]}"' in wrong.text
    right = client.post(html.unescape(action[1]), data={"password": PASSWORD})
    assert right.status_code == 303
    assert right.headers["location"] == "/project?task=1&q=a%26b", "the page that was asked for"
    cookie = right.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE_NAME}=")
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    value = cookie.partition("=")[2].partition(";")[0]
    signed_in = desk.client(Cookie=f"{COOKIE_NAME}={value}", **token)
    assert signed_in.post("/desk/uploads", content=LIST).status_code == 200
    forged = desk.client(Cookie=f"{COOKIE_NAME}={value[:-2]}xx", **token)
    assert forged.post("/desk/uploads", content=LIST).status_code == 401
    out = signed_in.post("/desk/sign-out")
    assert out.status_code == 303
    assert "Max-Age=0" in out.headers["set-cookie"]
    desk.clock.turn(hours=12)
    assert signed_in.post("/desk/uploads", content=LIST).status_code == 401


@pytest.mark.parametrize(
    ("peers", "limit"),
    [
        pytest.param("9.9.9.9", SIGN_INS_A_MINUTE, id="one-address"),
        pytest.param("2001:db8::{}", SIGN_INS_A_MINUTE, id="one-ipv6-network"),
        pytest.param("9.9.{}.9", SIGN_INS_A_MINUTE_IN_ALL, id="many-addresses"),
    ],
)
def test_guessing_the_password_is_slow(
    desk_with: OpenDesk, monkeypatch: pytest.MonkeyPatch, peers: str, limit: int
) -> None:
    monkeypatch.setattr("winnow.api.middleware.sign_in.NAME_DELAY_SECONDS", 0)
    desk = desk_with(WINNOW_PASSWORD=PASSWORD)

    def sign_in(peer: str, password: str) -> int:
        return desk.client(peer).post("/desk/sign-in", data={"password": password}).status_code

    guesses = [sign_in(peers.format(number), "guess") for number in range(limit)]
    assert guesses == [401] * limit
    refused = [sign_in(peers.format(limit), "guess") for _ in range(SIGN_INS_A_MINUTE_IN_ALL)]
    assert set(refused) == {429}
    assert sign_in(peers.format(limit), PASSWORD) == 429
    assert sign_in("203.0.113.9", PASSWORD) == (429 if limit == SIGN_INS_A_MINUTE_IN_ALL else 303)
    desk.clock.turn(minutes=1)
    assert sign_in(peers.format(1), PASSWORD) == 303


def test_a_file_goes_on_the_own_lists_by_the_drop_zone_only(desk: Desk) -> None:
    for name, role in (("ana", Role.ADMIN), ("cy", Role.READER)):
        desk.services.people.add(name, role, PASSWORD)
    token = {"X-Upload-Token": desk.services.uploads.issue_token(LOCAL_ACCOUNT)}

    def send(person: str, path: str) -> httpx.Response:
        cookie = f"{COOKIE_NAME}={desk.services.sign_in.begin_session(person)}"
        client = desk.client(**token, **{"Cookie": cookie, "X-File-Name": "own.csv"})
        return client.post(path, content=b"pattern,category\nx.com,white\nco.uk,white\n")

    assert send("cy", "/desk/own-lists/black").status_code == 403
    assert send("ana", "/desk/own-lists/green").status_code == 404
    answer = send("ana", "/desk/own-lists/black")
    assert answer.status_code == 200
    report = desk.services.own_lists.find_report(answer.json()["file_id"])
    assert report is not None
    assert (report.added, report.refused_count) == (1, 1)
    assert not desk.files()
    for method in ("PUT", "POST", "DELETE", "OPTIONS"):
        assert desk.client().request(method, "/_stcore/upload_file/a/b").status_code in {401, 404}


def test_guessers_lock_no_one_out_who_has_signed_in_before(desk_with: OpenDesk) -> None:
    desk = desk_with(WINNOW_PASSWORD=PASSWORD)

    def sign_in(peer: str, password: str = PASSWORD, name: str = "ana") -> int:
        form = {"name": name, "password": password}
        return desk.client(peer).post("/desk/sign-in", data=form).status_code

    def guess_from_many() -> set[int]:
        tries = range(SIGN_INS_A_MINUTE_IN_ALL)
        return {sign_in(f"9.9.{one % 6}.9", "guess", f"name{one}") for one in tries}

    assert sign_in("203.0.113.9") == 303
    desk.clock.turn(days=29)
    assert guess_from_many() == {401}
    assert (sign_in("9.9.7.9"), sign_in("203.0.113.9")) == (429, 303)
    assert {sign_in("203.0.113.9", "guess") for _ in range(SIGN_INS_A_MINUTE - 1)} == {401}
    assert sign_in("203.0.113.9") == 429
    desk.clock.turn(minutes=1)
    for one in range(SIGN_INS_A_MINUTE):
        sign_in(f"9.9.{one}.9", "guess")
    assert sign_in("9.9.11.9") == 303  # later, as the name is guessed at
    desk.clock.turn(days=31)
    assert guess_from_many() == {401}
    assert sign_in("203.0.113.9") == 429


@pytest.mark.parametrize(
    ("public_url", "is_secure"),
    [("https://lists.example.org", True), ("http://lists.example.org", False)],
)
def test_the_cookie_is_secure_where_browsers_come_by_https(
    desk_with: OpenDesk, public_url: str, is_secure: bool
) -> None:
    desk = desk_with(WINNOW_PASSWORD=PASSWORD, WINNOW_PUBLIC_URL=public_url)
    signed_in = desk.client().post("/desk/sign-in", data={"password": PASSWORD})
    cookie = signed_in.headers["set-cookie"]
    signed_out = desk.client(Cookie=cookie.partition(";")[0]).post("/desk/sign-out")
    for header in (cookie, signed_out.headers["set-cookie"]):
        assert ("Secure" in header) is is_secure


def test_without_a_password_there_is_nothing_to_sign_in_to(desk: Desk) -> None:
    assert desk.client().get("/desk/sign-in").headers["location"] == "/"
    assert desk.client().post("/desk/sign-in", data={"password": ""}).status_code == 401


def test_the_way_back_is_a_page_of_ours() -> None:
    for ours in ("/project?task=1&black=hide", "/own-lists", "/"):
        assert find_way_back(ours) == ours
    elsewhere = ("//evil.test/a", "/\\evil.test", "/\t/evil.test", "https://evil.test", "evil.test")
    for odd in (*elsewhere, "", "/a\r\nSet-Cookie: a=b", "javascript:alert(1)", "/\u2028"):
        assert find_way_back(odd) == "/", odd
    assert find_way_back("/desk/sign-out") == "/"
