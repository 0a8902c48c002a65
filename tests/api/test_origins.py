"""Which pages may talk to the desk, whatever stands in front of it."""

import pytest

from tests.api.conftest import OpenDesk
from tests.api.desk import BASE_PATH
from winnow.api.middleware.trusted_hosts import is_own_origin


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
    ],
)
def test_own_origins(scheme: str, host: str, origin: str | None, is_own: bool) -> None:
    headers = [(b"host", host.encode())]
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    scope = {"type": "websocket", "scheme": scheme, "headers": headers}
    assert is_own_origin(scope, "https://public.example.org/") is is_own


def test_two_origins_are_none() -> None:
    origin = (b"origin", b"http://localhost:1")
    scope = {"type": "http", "headers": [(b"host", b"localhost:1"), origin, origin]}
    assert not is_own_origin(scope, None)


def test_pages_of_other_origins_get_nothing_but_the_api(desk_with: OpenDesk) -> None:
    client = desk_with().client(Origin="http://127.0.0.1:9999")
    for path in ("/", "/_stcore/health", "/media/x", "/desk/sign-in"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()["code"]) == (403, "cross_site_request"), path
    assert client.get(f"{BASE_PATH}/health").status_code == 200
