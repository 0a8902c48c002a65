"""Every route against every kind of caller; hosts, sites, sign-in."""

import json

import anyio
import httpx
import pytest
from starlette.routing import Route

from tests.api.conftest import OpenDesk
from tests.api.desk import BASE_PATH, LIST, ORIGIN, Desk, call_raw, upload
from tests.server import PROJECT
from winnow.api.middleware.sign_in import SIGN_INS_A_MINUTE, SIGN_INS_A_MINUTE_IN_ALL
from winnow.core.accounts import COOKIE_NAME
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
]
PASSWORD = "correct horse"
OPEN = [("GET", "/health"), ("GET", "/openapi.json"), ("GET", "/docs")]
FOREIGN = {
    "/batch-check-status/{task_id}": 404,
    "/batch-task-download/{task_id}": 404,
    "/batch-results/{task_id}": 404,
}


def call(client: httpx.Client, method: str, path: str, task_id: str = "x") -> httpx.Response:
    files = {"file": ("list.csv", LIST)} if path.startswith("/batch-check-e") else None
    body = {"emails": ["ana@gmail.com"]} if path == "/check-emails" else None
    body = {"entries": ["gmail.com"]} if method == "PUT" else body
    url = BASE_PATH + path.format(task_id=task_id, list="keep")
    return client.request(method, url, files=files, json=body)


DESK = {
    ("POST", "/desk/uploads"): 401,  # a token of its own
    ("POST", "/desk/bounces"): 401,  # the same
    ("POST", "/desk/do-not-mail/{beside}/{list_id}"): 401,
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


def test_no_socket_without_the_password(desk_with: OpenDesk) -> None:
    desk = desk_with(WINNOW_PASSWORD=PASSWORD)
    sent: list[dict[str, object]] = []

    async def connect() -> None:
        async def receive() -> dict[str, object]:
            return {"type": "websocket.connect"}

        async def send(message: dict[str, object]) -> None:
            sent.append(message)

        scope = {
            "type": "websocket",
            "path": "/_stcore/stream",
            "query_string": b"",
            "headers": [(b"host", b"127.0.0.1:8501"), (b"x-api-key", desk.key().encode())],
            "client": ("9.9.9.9", 5000),
            "server": ("127.0.0.1", 8501),
        }
        await desk.app(scope, receive, send)  # type: ignore[arg-type]

    anyio.run(connect)
    assert [message["type"] for message in sent] == ["websocket.close"]


def test_a_links_token_opens_its_own_file_and_nothing_else(desk: Desk) -> None:
    owner, other = desk.caller(), desk.caller(account="other")
    own_id, other_id = upload(owner)["task_id"], upload(other, name="theirs.csv")["task_id"]
    desk.work()
    own = owner.get(f"{BASE_PATH}/batch-task-download/{own_id}").json()["download_url"]
    theirs = other.get(f"{BASE_PATH}/batch-task-download/{other_id}").json()["download_url"]
    stranger = desk.client("9.9.9.9")
    assert "theirs" in stranger.get(theirs).headers["content-disposition"]
    assert "theirs" not in stranger.get(own).headers["content-disposition"]
    for odd in (own[:-1], own + "A", own.swapcase(), own.rpartition("/")[0] + "/" + own_id):
        assert stranger.get(odd).status_code == 404
    desk.services.tasks.delete("local", own_id)
    assert stranger.get(own).status_code in {404, 410}
    assert stranger.get(theirs).status_code == 200


@pytest.mark.parametrize(
    "who", ["nobody", "empty", "wrong", "wrong-secret", "revoked", "two", "sandbox", "other"]
)
def test_keyed_routes(desk: Desk, who: str) -> None:
    owner = desk.caller()
    task_id = upload(owner)["task_id"]
    desk.work()
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
            assert answer.status_code == (422 if method in {"PUT", "DELETE"} else 200), path
        else:
            assert answer.status_code == 401, path
            assert answer.headers["www-authenticate"].startswith("ApiKey")
            assert answer.json()["code"] == "key_rejected"
            assert len(desk.services.tasks.list("local")) == 1


@pytest.mark.parametrize("operation", OPEN)
def test_open_routes_need_no_key(desk: Desk, operation: tuple[str, str]) -> None:
    answer = call(desk.client(), *operation)
    assert answer.status_code == 200
    assert "ratelimit-limit" not in answer.headers


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/check-email", "POST"),
        ("/batch-check-emails", "POST"),
        ("/health", "GET, HEAD"),
        ("/lists/keep", "GET, HEAD, PUT, DELETE"),
    ],
)
def test_other_methods_are_405(desk: Desk, path: str, allowed: str) -> None:
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - set(allowed.split(", ")):
        answer = desk.client().request(method, BASE_PATH + path)
        assert answer.status_code == 405
        assert set(answer.headers["allow"].split(", ")) == set(allowed.split(", "))
        assert answer.json()["code"] == "method_not_allowed"


@pytest.mark.parametrize("path", ["", "/", "/nope", "/check-email/", "/batch-check-status/", "//x"])
def test_unknown_routes_are_404_below_the_base(desk: Desk, path: str) -> None:
    answer = desk.client().get(BASE_PATH + path)
    assert (answer.status_code, answer.json()["code"]) == (404, "route_unknown")


@pytest.mark.parametrize(
    "task_id", ["%00", "%0A", "%0D%0A", "..%5C..", "%2e%2e", "%ff", "a" * 9000]
)
def test_odd_ids_are_unknown_tasks_as_a_foreign_one_is(desk: Desk, task_id: str) -> None:
    foreign = upload(desk.caller(account="other"))["task_id"]
    headers = [(b"host", b"localhost"), (b"x-api-key", desk.key().encode())]
    for operation in ("batch-check-status", "batch-task-download"):
        problems = []
        for asked in (task_id, foreign):
            answer = call_raw(desk.app, "GET", f"{BASE_PATH}/{operation}/{asked}", headers)
            assert answer.status == 404
            problems.append(json.loads(answer.body) | {"request_id": ""})
        assert problems[0] == problems[1]
        assert problems[0]["code"] == "task_unknown"


def test_nothing_is_said_to_other_origins(desk: Desk) -> None:
    answer = desk.caller().post(
        f"{BASE_PATH}/check-email?email=a@gmail.com", headers={"Origin": "https://evil.test"}
    )
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:8501", 200),
        ("127.0.0.1:9", 200),
        ("[::1]:8501", 200),
        ("lists.example.org", 200),
        ("public.example.org:443", 200),
        ("evil.test", 400),
        ("localhost.evil.test", 400),
        ("evil.test:8501@localhost", 400),
        ("localhost:8501/x", 400),
        ("", 400),
    ],
)
def test_hosts(desk_with: OpenDesk, host: str, status: int) -> None:
    desk = desk_with(
        WINNOW_ALLOWED_HOSTS="lists.example.org", WINNOW_PUBLIC_URL="https://public.example.org"
    )
    answer = desk.client(host=host).get(f"{BASE_PATH}/health")
    assert answer.status_code == status
    assert answer.headers["x-request-id"]


def test_a_request_carries_a_hundred_headers(desk: Desk) -> None:
    for count, status in ((100, 200), (101, 431)):
        headers = [(b"host", b"localhost"), *[(b"x-a", b"y")] * (count - 1)]
        assert call_raw(desk.app, "GET", f"{BASE_PATH}/health", headers).status == status


def test_two_hosts_are_none(desk: Desk) -> None:
    headers = [(b"host", b"localhost"), (b"host", b"evil.test")]
    assert call_raw(desk.app, "GET", f"{BASE_PATH}/health", headers).status == 400


@pytest.mark.parametrize(
    ("sent", "is_kept"),
    [
        ("0b6f4a1e-5b0e-4c55", True),
        ("abcd_EFGH-1234", True),
        ("short", False),
        ("x" * 65, False),
        ("ana@gmail.com", False),
        ("with space here", False),
    ],
)
def test_request_ids_are_taken_over_where_plain(desk: Desk, sent: str, is_kept: bool) -> None:
    answer = desk.client(**{"X-Request-Id": sent}).get(f"{BASE_PATH}/nope")
    assert (answer.headers["x-request-id"] == sent) is is_kept
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
    assert len(answer.headers["x-request-id"]) >= 8


def test_desk_uploads_with_a_token(desk: Desk) -> None:
    headers = {
        "X-Upload-Token": desk.services.uploads.issue_token("local"),
        "X-File-Name": "K%C3%A4ufer%20%2B.csv",
        "Origin": ORIGIN,
        "Sec-Fetch-Site": "same-origin",
    }
    answer = desk.client(**headers).post("/desk/uploads", content=LIST)
    assert answer.status_code == 200
    assert answer.json()["size_bytes"] == len(LIST)
    assert answer.json()["file_name"] == "Käufer +.csv"
    staged = desk.services.uploads.get("local", answer.json()["upload_id"])
    assert desk.application.blobs.fetch(staged.key).read_bytes() == LIST


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        pytest.param({"X-Upload-Token": ""}, 401, id="no-token"),
        pytest.param({"X-Upload-Token": "forged.token.x"}, 401, id="forged-token"),
        pytest.param({"Origin": "https://evil.test"}, 403, id="other-origin"),
        pytest.param({"Origin": "null"}, 403, id="no-origin-to-name"),
        pytest.param({"Origin": "http://127.0.0.1:9999"}, 403, id="other-port"),
        pytest.param({"Sec-Fetch-Site": "cross-site"}, 403, id="cross-site"),
        pytest.param({"Sec-Fetch-Site": "same-site"}, 403, id="same-site"),
        pytest.param({"X-File-Name": ""}, 422, id="no-name"),
        pytest.param({"X-File-Name": "%ff"}, 422, id="name-not-utf-8"),
        pytest.param({"X-File-Name": "list.exe"}, 400, id="extension"),
        pytest.param({"X-File-Name": "..%2F..%2Flist"}, 400, id="path"),
    ],
)
def test_desk_uploads_refused(desk: Desk, changed: dict[str, str], status: int) -> None:
    headers = {
        "X-Upload-Token": desk.services.uploads.issue_token("local"),
        "X-File-Name": "list.csv",
        "Origin": ORIGIN,
        "Sec-Fetch-Site": "same-origin",
    }
    answer = desk.client(**(headers | changed)).post("/desk/uploads", content=LIST)
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
    form = client.get("/desk/sign-in")
    assert form.status_code == 200
    assert "form-action 'self'" in form.headers["content-security-policy"]

    wrong = client.post("/desk/sign-in", data={"password": "guess"})
    assert wrong.status_code == 401
    assert "set-cookie" not in wrong.headers
    right = client.post("/desk/sign-in", data={"password": PASSWORD})
    assert right.status_code == 303
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


def test_the_api_goes_on_by_key_beside_a_password(desk_with: OpenDesk) -> None:
    desk = desk_with(WINNOW_PASSWORD=PASSWORD)
    assert desk.client().get(f"{BASE_PATH}/health").status_code == 200
    assert desk.caller().post(f"{BASE_PATH}/check-email?email=a@gmail.com").status_code == 200
    assert desk.client().post(f"{BASE_PATH}/check-email?email=a@gmail.com").status_code == 401


@pytest.mark.parametrize(
    ("peers", "limit"),
    [
        pytest.param("9.9.9.9", SIGN_INS_A_MINUTE, id="one-address"),
        pytest.param("2001:db8::{}", SIGN_INS_A_MINUTE, id="one-ipv6-network"),
        pytest.param("9.9.{}.9", SIGN_INS_A_MINUTE_IN_ALL, id="many-addresses"),
    ],
)
def test_guessing_the_password_is_slow(desk_with: OpenDesk, peers: str, limit: int) -> None:
    desk = desk_with(WINNOW_PASSWORD=PASSWORD)

    def sign_in(peer: str, password: str) -> int:
        return desk.client(peer).post("/desk/sign-in", data={"password": password}).status_code

    guesses = [sign_in(peers.format(number), "guess") for number in range(limit)]
    assert guesses == [401] * limit
    assert sign_in(peers.format(limit), PASSWORD) == 429
    assert sign_in("203.0.113.9", PASSWORD) == (429 if limit == SIGN_INS_A_MINUTE_IN_ALL else 303)
    desk.clock.turn(minutes=1)
    assert sign_in(peers.format(1), PASSWORD) == 303


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
