"""Whose attempts are counted behind proxies, and which pages may talk to the desk."""

import pytest
from starlette.requests import Request

from tests.api.conftest import OpenDesk
from tests.api.desk import BASE_PATH
from winnow.api.clients import UNKNOWN_CLIENT, ClientFinder, is_beyond_loopback
from winnow.api.middleware.trusted_hosts import is_own_origin


def request(peer: str, forwarded: str, port: int = 4711) -> Request:
    """Return a request with a header ``X-Forwarded-For`` a line."""
    headers = [(b"x-forwarded-for", line.encode()) for line in forwarded.splitlines()]
    return Request({"type": "http", "client": (peer, port), "headers": headers})


@pytest.mark.parametrize(
    ("trusted", "peer", "forwarded", "client"),
    [
        pytest.param("", "9.9.9.9", "", "9.9.9.9", id="peer"),
        pytest.param("", "9.9.9.9", "1.1.1.1", "9.9.9.9", id="header-from-anybody"),
        pytest.param("10.0.0.1", "10.0.0.1", "1.1.1.1", "1.1.1.1", id="header-from-proxy"),
        pytest.param("10.0.0.1", "10.0.0.1", "6.6.6.6, 1.1.1.1", "1.1.1.1", id="forged-first-hop"),
        pytest.param("10.0.0.0/8", "10.0.0.1", "1.1.1.1, 10.2.3.4", "1.1.1.1", id="chain"),
        pytest.param("10.0.0.1", "10.0.0.1", "6.6.6.6\n1.1.1.1", "1.1.1.1", id="two-headers"),
        pytest.param("10.0.0.1", "10.0.0.1", "", "10.0.0.1", id="proxy-without-header"),
        pytest.param("10.0.0.1", "10.0.0.1", "evil\tname", "10.0.0.1", id="no-address-at-all"),
        pytest.param("", "::ffff:127.0.0.1", "", "127.0.0.1", id="ipv4-in-ipv6"),
        pytest.param("::1", "::1", "[2001:db8::7]:443", "2001:db8::7", id="ipv6-port"),
        pytest.param("::1", "::1", "1.1.1.1:443", "1.1.1.1", id="ipv4-port"),
        pytest.param("10.0.0.1", "10.0.0.1", " , ", "10.0.0.1", id="blanks"),
        pytest.param("10.0.0.1", "127.0.0.1", "10.0.0.1:5", "127.0.0.1", id="this-machine"),
        pytest.param("", "testclient", "", UNKNOWN_CLIENT, id="no-address"),
    ],
)
def test_client(trusted: str, peer: str, forwarded: str, client: str) -> None:
    finder = ClientFinder(tuple(trusted.split()))
    assert finder.find(request(peer, forwarded)) == client


@pytest.mark.parametrize(
    ("kind", "peer", "said", "scheme"),
    [
        pytest.param("http", "10.0.0.1", ["https"], "https", id="trusted"),
        pytest.param("websocket", "10.0.0.1", ["https"], "wss", id="websocket"),
        pytest.param("http", "::ffff:10.0.0.1", [" HTTPS "], "https", id="mapped"),
        pytest.param("http", "10.0.0.1", ["http", "http, https"], "https", id="nearest"),
        pytest.param("http", "10.0.0.1", ["gopher"], "http", id="no-such-scheme"),
        pytest.param("http", "10.0.0.1", [""], "http", id="empty"),
        pytest.param("http", "10.0.0.1", [], "http", id="none"),
        pytest.param("http", "127.0.0.1", ["https"], "http", id="this-machine"),
        pytest.param("http", "192.0.2.1", ["https"], "http", id="anybody"),
    ],
)
def test_scheme(kind: str, peer: str, said: list[str], scheme: str) -> None:
    headers = [(b"x-forwarded-proto", one.encode()) for one in said]
    scope = {"type": kind, "scheme": "http", "client": (peer, 0), "headers": headers}
    assert ClientFinder(("10.0.0.1",)).find_scheme(scope) == scheme


def test_beyond_loopback() -> None:
    hosts = ("127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1")
    assert not [host for host in hosts if is_beyond_loopback(host)]
    hosts = ("0.0.0.0", "::", "192.168.1.4", "fe80::1%eth0")  # noqa: S104
    assert [host for host in hosts if is_beyond_loopback(host)] == [*hosts]


@pytest.mark.parametrize(
    ("scheme", "host", "origin", "is_own"),
    [
        pytest.param("ws", "127.0.0.1:8501", None, True, id="no-page"),
        pytest.param("ws", "127.0.0.1:8501", "http://127.0.0.1:8501", True, id="same"),
        pytest.param("http", "LOCALHOST:8501", "http://localhost:8501", True, id="letter-case"),
        pytest.param("ws", "[::1]:8501", "http://[::1]:8501", True, id="ipv6"),
        pytest.param("ws", "localhost", "http://localhost:80", True, id="default-port"),
        pytest.param("ws", "localhost:8501", "http://localhost:8502", False, id="other-port"),
        pytest.param("ws", "localhost:8501", "http://localhost", False, id="no-port"),
        pytest.param("ws", "localhost:8501", "https://localhost:8501", False, id="tls-here"),
        pytest.param("ws", "localhost:8501", "http://127.0.0.1:8501", False, id="other-name"),
        pytest.param("wss", "lists.example.org", "http://lists.example.org", False, id="no-tls"),
        pytest.param("wss", "lists.example.org", "https://lists.example.org", True, id="tls"),
        pytest.param("ws", "lists.example.org", "https://lists.example.org", True, id="proxy-tls"),
        pytest.param("ws", "127.0.0.1:8501", "https://public.example.org", True, id="public-url"),
        pytest.param("ws", "127.0.0.1:8501", "http://public.example.org", False, id="public-http"),
        pytest.param("ws", "127.0.0.1:8501", "null", False, id="null"),
        pytest.param("ws", "127.0.0.1:8501", "", False, id="empty"),
        pytest.param("ws", "127.0.0.1:8501", "http://127.0.0.1:99999", False, id="no-such-port"),
        pytest.param("ws", "127.0.0.1:8501", "http://[::1", False, id="broken"),
        pytest.param("ws", "127.0.0.1:8501", "file://127.0.0.1:8501", False, id="file"),
        pytest.param("ws", "127.0.0.1:8501", "http://a@127.0.0.1:8501", False, id="user"),
        pytest.param(
            "http", "localhost:1", "http://localhost:1 http://localhost:1", False, id="two"
        ),
    ],
)
def test_own_origins(scheme: str, host: str, origin: str | None, is_own: bool) -> None:
    headers = [(b"host", host.encode())]
    if origin is not None:
        headers += [(b"origin", one.encode()) for one in origin.split(" ")]
    scope = {"type": "websocket", "scheme": scheme, "headers": headers}
    assert is_own_origin(scope, "https://public.example.org/") is is_own


def test_pages_of_other_origins_get_nothing_but_the_api_which_names_no_origin(
    desk_with: OpenDesk,
) -> None:
    desk = desk_with()
    client = desk.client(Origin="http://127.0.0.1:9999")
    for path in ("/", "/_stcore/health", "/media/x", "/desk/sign-in"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()["code"]) == (403, "cross_site_request"), path
    url = f"{BASE_PATH}/check-email?email=a@gmail.com"
    answer = client.post(url, headers={"X-API-Key": desk.key()})
    assert answer.status_code == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]
