"""Signing out of a real server: the old cookie, open pages and running downloads are over."""

import socket
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection

from tests.api.test_standing import complete_large_list
from tests.server import Server, create_key, get, post, start_server
from tests.waiting import PATIENCE_SECONDS
from winnow.core.identities import COOKIE_NAME, LOCAL_ACCOUNT
from winnow.core.lists.exports import Export
from winnow.core.lists.rows import Variant
from winnow.core.settings import Settings
from winnow.services.accounts.sign_in import hash_token
from winnow.wiring import build_application

pytestmark = pytest.mark.slow
PASSWORD = "correct horse"


@pytest.fixture(scope="module")
def server(serve: Callable[..., Server], start: Callable[[int], Sequence[str]]) -> Server:
    return serve({"WINNOW_PASSWORD": PASSWORD}, command=start)


def sign_in(server: Server, password: str = PASSWORD) -> str:
    """Return the cookie's value."""
    answer = post(f"{server.url}/desk/sign-in", data={"password": password})
    assert answer.status_code == httpx.codes.SEE_OTHER
    return str(answer.cookies[COOKIE_NAME])


def sign_out(server: Server, token: str) -> None:
    answer = post(f"{server.url}/desk/sign-out", headers=carry(token))
    assert answer.status_code == httpx.codes.SEE_OTHER
    assert f'{COOKIE_NAME}=""' in answer.headers["set-cookie"]


def carry(token: str) -> dict[str, str]:
    return {"Cookie": f"{COOKIE_NAME}={token}"}


def is_welcome(server: Server, token: str) -> bool:
    return get(server.url, headers=carry(token)).status_code == httpx.codes.OK


def read_end(page: ClientConnection) -> int | None:
    """Read what a page is sent until it is hung up on; return the close code (RFC 6455, 7.4)."""
    with pytest.raises(ConnectionClosed):
        list(iter(lambda: page.recv(timeout=PATIENCE_SECONDS), None))
    return page.close_code


def test_the_old_cookie_is_void_and_open_pages_are_hung_up_on(server: Server) -> None:
    left, stays = sign_in(server), sign_in(server)
    assert is_welcome(server, left)
    with server.open_stream(left) as old, server.open_stream(stays) as other:
        sign_out(server, left)
        assert read_end(old) == 1008
        assert other.ping().wait(PATIENCE_SECONDS)
    assert (is_welcome(server, left), is_welcome(server, stays)) == (False, True)
    with pytest.raises(InvalidStatus):
        server.open_stream(left)


def issue_link(server: Server, token: str) -> str:
    """Make a link to the one task as a page does that is signed in; return its path."""
    opened = build_application(Settings(data_dir=server.data_dir))
    [task] = opened.services.tasks.list(LOCAL_ACCOUNT)
    link = opened.services.downloads.issue(
        LOCAL_ACCOUNT, task.task_id, Export(Variant.ORIGINAL), session=hash_token(token)
    )
    opened.database.close()
    return link.path


def test_links_of_the_pages_end_and_what_runs_is_cut_off(server: Server, tmp_path: Path) -> None:
    key = create_key(server, "sandbox")
    free = complete_large_list(server, key, tmp_path)
    token = sign_in(server)
    bound = issue_link(server, token)
    size = len(get(server.url + bound).content)
    with closing(socket.socket()) as running:
        running.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        running.settimeout(PATIENCE_SECONDS)
        running.connect(("127.0.0.1", server.port))
        running.sendall(f"GET {bound} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert b" 200 " in running.recv(64)
        sign_out(server, token)
        received = 0
        while block := running.recv(1 << 16):
            received += len(block)
    assert received < size
    assert get(server.url + bound).status_code == httpx.codes.GONE
    assert len(get(server.url + free).content) == size


def test_a_restart_keeps_sessions_and_another_password_ends_them(data_dir: Path) -> None:
    first = start_server(data_dir, {"WINNOW_PASSWORD": "password one"})
    token = sign_in(first, "password one")
    first.stop()
    for password, is_kept in (("one", True), ("two", False), ("one", False)):
        server = start_server(data_dir, {"WINNOW_PASSWORD": f"password {password}"})
        assert is_welcome(server, token) is is_kept, password
        server.stop()
