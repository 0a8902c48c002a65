"""Requests as clients of proxies send them: offers of other protocols, whole addresses."""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import pytest

from tests.server import PROJECT, find_free_port, is_open, write_streamlit_command
from tests.waiting import PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.slow
LAST = b"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
BODY = b"GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
OFFER = "Connection: Upgrade, HTTP2-Settings"
SETTINGS = "HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA"
HEADS = {
    "java": (OFFER, SETTINGS, "Upgrade: h2c", "User-Agent: Java-http-client/21.0.5"),
    "java through nginx's websocket block": ("Upgrade: h2c", "Connection: upgrade"),
    "nginx's websocket block": ("Connection: upgrade",),
    "nginx's websocket block, close": ("Connection: close",),
    "go": ("User-Agent: Go-http-client/1.1", "Accept-Encoding: gzip"),
    "node": ("Connection: keep-alive", "Accept: */*"),
    "node with tls": ("Connection: Upgrade", "Upgrade: TLS/1.0"),
    "php": (OFFER, "Upgrade: h2c", SETTINGS),
    ".net": ("Connection: Upgrade, keep-alive", "Upgrade: h2c", "Expect: 100-continue"),
    "several": ("Upgrade: websocket, h2c", "Connection: Upgrade"),
    "a websocket without a handshake": ("Upgrade: websocket", "Connection: Upgrade"),
}


@pytest.fixture(scope="module")
def port(start: Callable[[int], Sequence[str]]) -> Iterator[int]:
    """Run the echoing application as either start does."""
    port = find_free_port()
    command: Sequence[str] = (sys.executable, "-m", "tests.api.echo_app", str(port))
    if start is write_streamlit_command:
        command = [word.replace("app.py", "tests/api/echo_app.py") for word in start(port)]
    process = subprocess.Popen(command, cwd=PROJECT)
    wait_until(lambda: is_open(process, port))
    yield port
    process.terminate()
    assert process.wait() == 0


def exchange(port: int, *parts: bytes) -> str:
    """Send the parts one after another and return all that is answered until the end."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in parts:
            connection.sendall(part)
            connection.settimeout(0.05)
            with suppress(TimeoutError):
                connection.recv(1, socket.MSG_PEEK)
            connection.settimeout(PATIENCE_SECONDS)
        return b"".join(iter(lambda: connection.recv(65_536), b"")).decode()


def write_head(*lines: str) -> bytes:
    return "\r\n".join(["POST /first HTTP/1.1", "Host: a", *lines, "", ""]).encode()


@pytest.mark.parametrize("client", HEADS)
@pytest.mark.parametrize("way", ["at-once", "late", "in-pieces", "chunked"])
def test_the_body_is_the_request_s(port: int, client: str, way: str) -> None:
    is_chunked = way == "chunked"
    size = "Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {len(BODY)}"
    head = write_head(*HEADS[client], size)
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY) if is_chunked else BODY
    parts = {
        "at-once": (head + body,),
        "late": (head, body),
        "in-pieces": (head[:60], head[60:] + body[:5], body[5:]),
        "chunked": (head + body,),
    }[way]
    is_last = "close" in client
    answer = exchange(port, *parts) if is_last else exchange(port, *parts, LAST)
    assert answer.count("HTTP/1.1 200") == (1 if is_last else 2)
    assert f"POST /first {BODY.decode()}|" in answer
    assert "GET /smuggled |" not in answer


def test_many_in_one_go_are_read_one_after_another(port: int) -> None:
    head = write_head("Upgrade: h2c", "Connection: upgrade", "Content-Length: 1")
    answer = exchange(port, b"".join(head + b"%d" % (number % 10) for number in range(300)), LAST)
    assert answer.count("POST /first") == 300
    assert answer.endswith("GET /last |")


def test_what_asks_for_a_tunnel_is_refused_and_nothing_behind_it_is_read(port: int) -> None:
    answer = exchange(port, b"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n" + BODY)
    assert answer.startswith("HTTP/1.1 400")
    assert answer.count("HTTP/1.1") == 1


def test_two_lengths_end_the_connection(port: int) -> None:
    head = write_head("Content-Length: 5", "Transfer-Encoding: chunked")
    answer = exchange(port, head + b"0\r\n\r\n" + BODY + LAST)  # later bytes meet a reset
    assert answer.startswith("HTTP/1.1 400")
    assert "connection: close" in answer
    assert answer.count("HTTP/1.1") == 1


@pytest.mark.parametrize(
    ("target", "host", "path", "query"),
    [
        ("http://b.example:80/v1/x?a=1", "b.example:80", "/v1/x", "a=1"),
        ("HTTPS://b.example", "b.example", "/", ""),
        ("http://b.example?a=/b", "b.example", "/", "a=/b"),
        ("http://b.example/winnow/x", "b.example", "/x", ""),
        ("http:///v1/x", "", "/v1/x", ""),
        ("/http://b.example/x", "a", "/http://b.example/x", ""),
    ],
)
def test_a_whole_address_is_its_path_and_its_host_counts(
    port: int, target: str, host: str, path: str, query: str
) -> None:
    head = f"GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    answer = exchange(port, head.encode())
    assert answer.endswith(f"\r\n\r\nGET {path} |")
    assert f"x-host: {host}\r\n" in answer
    assert f"x-query: {query}\r\n" in answer
