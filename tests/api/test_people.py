"""Sign-in by name and by a proxy's header, roles of keys, and what is recorded of both."""

from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from tests.api.conftest import OpenDesk
from tests.api.desk import BASE_PATH, LIST, Desk, call_socket
from tests.server import get, post, run_command, start_server
from tests.waiting import PATIENCE_SECONDS
from winnow.api.middleware.sign_in import SignInGate
from winnow.core.identities import COOKIE_NAME, LOCAL_ACCOUNT, Event, Identity, Role
from winnow.core.tasks.task import KeyType

PASSWORD = "correct horse"
PROXY = "203.0.113.7"
HEADER = {"WINNOW_USER_HEADER": "Remote-User", "WINNOW_TRUSTED_PROXIES": f"{PROXY},127.0.0.1"}


def add_people(desk: Desk) -> None:
    for name, role in (("ana", Role.ADMIN), ("bo", Role.MEMBER), ("cy", Role.READER)):
        desk.services.people.add(name, role, PASSWORD)


def list_events(desk: Desk) -> list[tuple[str, Event, str]]:
    entries = desk.services.audit_log.list()[::-1]
    return [(one.person or one.key, one.event, one.subject) for one in entries]


def sign_in(desk: Desk, name: str, password: str = PASSWORD) -> httpx.Response:
    return desk.client().post("/desk/sign-in", data={"name": name, "password": password})


def test_people_sign_in_by_name_also_on_this_machine(desk: Desk) -> None:
    assert desk.client().get("/").status_code == 404  # no sign-in, and no page behind it here
    add_people(desk)
    assert desk.client().get("/").status_code == 401
    form = desk.client(Accept="text/html").get("/desk/sign-in").text
    assert 'name="name"' in form
    assert 'name="password"' in form
    assert sign_in(desk, "ana", "wrong password").status_code == 401
    assert sign_in(desk, "someone@example.org").status_code == 401
    assert sign_in(desk, "", PASSWORD).status_code == 401
    right = sign_in(desk, "ANA")
    assert right.status_code == 303
    cookie = {"Cookie": f"{COOKIE_NAME}={right.cookies[COOKIE_NAME]}"}
    assert desk.client(**cookie).get("/").status_code == 404
    assert list_events(desk) == [
        ("", Event.SIGN_IN_FAILED, "ana"),
        ("", Event.SIGN_IN_FAILED, ""),
        ("", Event.SIGN_IN_FAILED, ""),
        ("ana", Event.SIGNED_IN, ""),
    ]
    desk.services.people.reset("ana", "another password")
    assert desk.client(**cookie).get("/").status_code == 401


@pytest.mark.parametrize(
    ("peer", "headers", "status"),
    [
        (PROXY, {"Remote-User": "ana"}, 404),
        ("127.0.0.1", {"remote-user": "Ana"}, 404),
        ("203.0.113.8", {"Remote-User": "ana"}, 401),
        ("203.0.113.8", {"Remote-User": "ana", "X-Forwarded-For": PROXY}, 401),
        (PROXY, {}, 401),
        (PROXY, {"Remote-User": ""}, 401),
        (PROXY, {"Remote-User": "stranger"}, 401),
        (PROXY, {"Remote-User": "ana;x"}, 401),
    ],
)
def test_the_header_counts_from_trusted_proxies_only(
    desk_with: OpenDesk, peer: str, headers: dict[str, str], status: int
) -> None:
    desk = desk_with(**HEADER)
    add_people(desk)
    assert desk.client(peer, **headers).get("/").status_code == status


def test_two_headers_name_no_one_and_a_cookie_does_not_outrank_one(desk_with: OpenDesk) -> None:
    desk = desk_with(**HEADER)
    add_people(desk)
    client = desk.client(PROXY)
    pair = [("Remote-User", "ana"), ("Remote-User", "bo")]
    assert client.get("/", headers=pair).status_code == 401
    cookie = f"x=1; {COOKIE_NAME}={desk.services.sign_in.begin_session('ana')}; y=2"
    named = client.get("/", headers={"Cookie": cookie, "Remote-User": "nobody"})
    assert named.status_code == 401
    assert client.get("/", headers={"Cookie": cookie}).status_code == 404


@pytest.mark.parametrize(("setting", "status"), [("reader", 404), ("refuse", 401), ("", 401)])
def test_unknown_names_by_the_setting(desk_with: OpenDesk, setting: str, status: int) -> None:
    desk = desk_with(**HEADER, WINNOW_UNKNOWN_PEOPLE=setting)
    client = desk.client(PROXY, **{"Remote-User": "di@example.org"})
    assert client.get("/").status_code == status
    headers = {
        "X-Upload-Token": desk.services.uploads.issue_token(LOCAL_ACCOUNT),
        "X-File-Name": "list.csv",
    }
    answer = client.post("/desk/uploads", content=LIST, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (
        (403, "role_refused") if setting == "reader" else (401, "sign_in_required")
    )
    assert desk.files() == []


@pytest.mark.parametrize(
    ("peer", "is_open"), [(PROXY, True), ("203.0.113.8", False)], ids=["proxy", "elsewhere"]
)
def test_the_socket_trusts_the_header_of_the_proxy_only(
    desk_with: OpenDesk, peer: str, *, is_open: bool
) -> None:
    desk = desk_with(**HEADER)
    add_people(desk)
    seen: list[dict[str, Any]] = []

    async def page(scope: dict[str, Any], receive: object, send: object) -> None:
        seen.append(scope)

    gate = next(one for one in desk.api.middleware if one.cls is SignInGate)
    app = gate.cls(page, *gate.args, **gate.kwargs)  # type: ignore[arg-type]
    sent = call_socket(app, (b"remote-user", b"ana"), peer=peer)
    assert sent == ([] if is_open else ["websocket.close"])
    assert bool(seen) == is_open
    for scope in seen:
        headers = dict(scope["headers"])
        assert b"remote-user" not in headers
        cookie = headers[b"cookie"].decode()
        identity = desk.services.sign_in.identify(cookie.partition("=")[2])
        assert identity == Identity(LOCAL_ACCOUNT, "ana", Role.ADMIN)
    assert list_events(desk) == ([("ana", Event.SIGNED_IN, "proxy")] if is_open else [])


def test_a_readers_key_reads_and_cannot_submit(desk: Desk) -> None:
    add_people(desk)
    bo = desk.services.act_as(Identity(LOCAL_ACCOUNT, "bo", Role.MEMBER))
    key, secret = bo.keys.create(LOCAL_ACCOUNT, "his", KeyType.LIVE)
    caller, anyone = desk.caller(key=secret), desk.client("9.9.9.9")
    task_id = desk.complete(caller)
    desk.services.people.change_role("bo", Role.READER)
    refused = caller.submit()
    assert (refused.status_code, refused.json()["code"]) == (403, "role_refused")
    assert caller.read_status(task_id)["status"] == "completed"
    assert caller.check("a@b.de").status_code == 200
    link = caller.issue_link(task_id)
    assert anyone.get(link).status_code == anyone.head(link).status_code == 200
    assert anyone.get(link, headers={"Range": "bytes=5-9"}).status_code == 206
    assert [anyone.get(link).status_code for _ in range(3)] == [200] * 3
    assert list_events(desk)[1:] == [
        ("bo", Event.SUBMITTED, task_id),
        ("bo", Event.DOWNLOADED, task_id),
    ]
    assert desk.services.audit_log.list()[1].key == key.prefix
    desk.services.people.remove("bo")
    assert anyone.get(link).status_code == 410


def test_the_public_path_is_accepted_with_and_without_and_is_in_every_link(
    desk_with: OpenDesk,
) -> None:
    desk = desk_with(WINNOW_PUBLIC_URL="https://lists.example.org/winnow")
    add_people(desk)
    caller = desk.caller()
    url = caller.issue_link(desk.complete(caller))
    assert url.startswith(f"https://lists.example.org/winnow{BASE_PATH}/downloads/")
    path = url.removeprefix("https://lists.example.org")
    for found in (path, path.removeprefix("/winnow")):
        assert desk.client().get(found).status_code == 200
    browser = desk.client(Accept="text/html", Host="lists.example.org")
    for page in ("/projects", "/winnow/projects"):
        led = browser.get(page).headers["location"]
        assert led == "/winnow/desk/sign-in?to=%2Fprojects"
    form = browser.get("/winnow/desk/sign-in?to=%2Fprojects").text
    assert 'action="/winnow/desk/sign-in?to=%2Fprojects"' in form
    data = {"name": "ana", "password": PASSWORD}
    origin = {"Origin": "https://lists.example.org"}
    signed_in = browser.post("/winnow/desk/sign-in?to=%2Fprojects", data=data, headers=origin)
    assert signed_in.headers["location"] == "/winnow/projects"
    assert browser.get("/winnowed").status_code == 303  # no path of ours, and not cut


@pytest.mark.slow
def test_removing_by_the_command_closes_the_pages_of_a_running_server(
    data_dir: Path, tmp_path: Path
) -> None:
    run, secret = partial(run_command, data_dir, "people"), tmp_path / "password"
    secret.write_text(f"{PASSWORD}\n")
    file = f"--password-file={secret}"
    assert run("add", "bo", "--role=member", file).returncode == 1
    assert run("add", "ana", "--role=admin", file).returncode == 0
    assert run("add", "bo", "--role=member", file).returncode == 0
    assert run("list").stdout == "ana\tadmin\tpassword\nbo\tmember\tpassword\n"
    with pytest.raises(RuntimeError, match="People sign in by name here"):
        start_server(data_dir, {"WINNOW_PASSWORD": PASSWORD})
    started = start_server(data_dir)
    try:
        tokens = []
        for name in ("ana", "bo"):
            data = {"name": name, "password": PASSWORD}
            answer = post(f"{started.url}/desk/sign-in", data=data)
            tokens.append(answer.cookies[COOKIE_NAME])
        assert get(started.url).status_code == 401
        with started.open_stream(tokens[0]) as stays, started.open_stream(tokens[1]) as ends:
            kept = run("remove", "bo", answer="n\n")
            assert kept.returncode == 1
            assert "nothing was changed" in kept.stdout
            assert run("remove", "bo", "--yes").returncode == 0
            with pytest.raises(ConnectionClosed):
                list(iter(lambda: ends.recv(timeout=PATIENCE_SECONDS), None))
            assert ends.close_code == 1008
            assert stays.ping().wait(PATIENCE_SECONDS)
        refused = run("remove", "ana", "--yes")
        assert (refused.returncode, "last admin" in refused.stderr) == (1, True)
    finally:
        started.stop()
