"""Whose attempts are counted: the peer's, unless a trusted proxy says better."""

import pytest
from starlette.requests import Request

from winnow.api.clients import UNKNOWN_CLIENT, ClientFinder, is_beyond_loopback


def request(peer: str, *forwarded: str, port: int = 4711) -> Request:
    headers = [(b"x-forwarded-for", line.encode()) for line in forwarded]
    return Request({"type": "http", "client": (peer, port), "headers": headers})


@pytest.mark.parametrize(
    ("trusted", "seen", "client"),
    [
        pytest.param((), request("9.9.9.9"), "9.9.9.9", id="peer"),
        pytest.param((), request("9.9.9.9", "1.1.1.1"), "9.9.9.9", id="header-from-anybody"),
        pytest.param(
            ("10.0.0.1",), request("10.0.0.1", "1.1.1.1"), "1.1.1.1", id="header-from-proxy"
        ),
        pytest.param(
            ("10.0.0.1",), request("10.0.0.1", "6.6.6.6, 1.1.1.1"), "1.1.1.1", id="forged-first-hop"
        ),
        pytest.param(
            ("10.0.0.0/8",),
            request("10.0.0.1", "1.1.1.1, 10.2.3.4"),
            "1.1.1.1",
            id="chain-of-proxies",
        ),
        pytest.param(
            ("10.0.0.1",), request("10.0.0.1", "6.6.6.6", "1.1.1.1"), "1.1.1.1", id="two-headers"
        ),
        pytest.param(("10.0.0.1",), request("10.0.0.1"), "10.0.0.1", id="proxy-without-header"),
        pytest.param(
            ("10.0.0.1",), request("10.0.0.1", "evil\tname"), "10.0.0.1", id="no-address-at-all"
        ),
        pytest.param((), request("::ffff:127.0.0.1"), "127.0.0.1", id="ipv4-in-ipv6"),
        pytest.param(("::1",), request("::1", "[2001:db8::7]:443"), "2001:db8::7", id="ipv6-port"),
        pytest.param(("::1",), request("::1", "1.1.1.1:443"), "1.1.1.1", id="ipv4-port"),
        pytest.param((), request("testclient"), UNKNOWN_CLIENT, id="no-address"),
        # uvicorn believes this header from loopback on its own and rewrites the peer, port 0.
        pytest.param((), request("1.1.1.1", "1.1.1.1", port=0), "127.0.0.1", id="rewritten"),
        pytest.param(
            ("127.0.0.1",), request("1.1.1.1", "1.1.1.1", port=0), "1.1.1.1", id="rewritten-trusted"
        ),
    ],
)
def test_client(trusted: tuple[str, ...], seen: Request, client: str) -> None:
    assert ClientFinder(trusted, environ={}).find(seen) == client


def test_an_operator_who_told_uvicorn_whom_to_believe_is_believed() -> None:
    finder = ClientFinder((), environ={"FORWARDED_ALLOW_IPS": "10.0.0.1"})
    assert finder.find(request("1.1.1.1", "1.1.1.1", port=0)) == "1.1.1.1"


@pytest.mark.parametrize(
    ("host", "beyond"),
    [
        ("127.0.0.1", False),
        ("127.8.8.8", False),
        ("::1", False),
        ("::ffff:127.0.0.1", False),
        ("0.0.0.0", True),  # noqa: S104
        ("::", True),
        ("192.168.1.4", True),
        ("fe80::1%eth0", True),
    ],
)
def test_beyond_loopback(host: str, beyond: bool) -> None:
    assert is_beyond_loopback(host) is beyond
