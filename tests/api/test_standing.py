"""A real server that stands: clients that never get on, and stops that nobody holds up."""

import os
import resource
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import httpx
import pytest

from tests.faults.processes import list_processes_on
from tests.server import (
    BASE_PATH,
    Server,
    create_key,
    get,
    issue_link,
    post,
    start_server,
)
from tests.waiting import PATIENCE_SECONDS, wait_until
from winnow.client import Client

pytestmark = pytest.mark.slow
Start = Callable[[int], Sequence[str]]
DESCRIPTORS = 512
BODY = ("Content-Type: multipart/form-data; boundary=b", "Content-Length: 9000", "", "--b")
LATE_END = """import runpy, sys
from winnow.api import server
from winnow.api.middleware import shutdown
shutdown.END_SECONDS = 600.0  # a stop ends by itself or not at all, however busy the machine is
server.STALL_SECONDS = 600.0  # as long as a client that reads nothing could hold it up
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)"""
LARGE = b"email,note\n" + b"".join(b"a%d@gmail.com,%b\n" % (n, b"x" * 1000) for n in range(16_000))


def write_bounded_command(start: Start, port: int) -> Sequence[str]:
    """Return how the app is started with few descriptors, and a late limit of time for a stop.

    It leads a group of processes, as in a terminal.
    """
    python, _, *words = start(port)
    command = (python, "-c", LATE_END, *words)
    return ("setsid", "sh", "-c", f'ulimit -n {DESCRIPTORS}; exec "$@"', "sh", *command)


@pytest.fixture
def server(data_dir: Path, start: Start) -> Iterator[Server]:
    started = start_server(data_dir, command=partial(write_bounded_command, start))
    yield started
    started.kill()


@pytest.fixture
def held() -> Iterator[ExitStack]:
    """Keep connections open, more than the server may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with ExitStack() as stack:
        yield stack
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def connect(held: ExitStack, server: Server, *lines: str, buffer: int = 0) -> socket.socket:
    """Open a connection that sends lines and is kept."""
    connection = held.enter_context(closing(socket.socket()))
    if buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    connection.settimeout(PATIENCE_SECONDS)
    connection.connect(("127.0.0.1", server.port))
    connection.sendall("".join(f"{line}\r\n" for line in lines).encode())
    return connection


def is_healthy(server: Server) -> bool:
    """Say whether health is answered, by a connection of its own each time."""
    paths = (f"{BASE_PATH}/health", "/_stcore/health")
    try:
        answers = [get(server.url + path) for path in paths]
    except httpx.TransportError:
        return False
    return all(answer.status_code == httpx.codes.OK for answer in answers)


def is_served(server: Server, key: str) -> bool:
    """Say whether health, a page and a check are answered."""
    if not is_healthy(server):
        return False
    page = get(server.url)
    check = post(f"{server.api}/check-email?email=a@x.de", headers={"X-API-Key": key})
    return {page.status_code, check.status_code} == {httpx.codes.OK}


def complete_large_list(server: Server, key: str, folder: Path) -> str:
    """Have a list checked that no socket's buffers hold; return the path of its link."""
    (folder / "list.csv").write_bytes(LARGE)
    with Client(server.api, key) as client:
        sent = client.submit(folder / "list.csv")
        client.wait(sent, timeout_seconds=PATIENCE_SECONDS)
    return issue_link(server, key, sent).removeprefix(server.url)


def stall_everything(held: ExitStack, server: Server, key: str, link: str) -> socket.socket:
    """Hold a stop up in every way that a client has; return the connection of an upload."""
    host = f"Host: 127.0.0.1:{server.port}"
    stalled = connect(held, server, f"GET {link} HTTP/1.1", host, "", buffer=4096)
    assert b" 200 " in stalled.recv(64)
    connect(held, server, "GET / HTTP/1.1", "X-Half: ")
    connect(held, server)
    page = connect(
        *(held, server, "GET /_stcore/stream HTTP/1.1", host, "Upgrade: websocket"),
        *("Connection: Upgrade", "Sec-WebSocket-Version: 13"),
        *("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", ""),
    )
    assert b" 101 " in page.recv(64)
    submit = f"POST {BASE_PATH}/batch-check-emails HTTP/1.1"
    connect(held, server, f"POST {BASE_PATH}/health HTTP/1.1", host, *BODY)
    key_and_hope = (f"X-API-Key: {key}", "Expect: 100-continue")
    upload = connect(held, server, submit, host, *key_and_hope, *BODY)
    assert b" 100 " in upload.recv(64)  # the server has begun to read it
    return upload


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("GET / HTTP/1.1", "X-Half: "), id="half-heads"),
        pytest.param((), id="silence"),
        pytest.param(
            (
                f"POST {BASE_PATH}/batch-check-emails HTTP/1.1",
                "Host: localhost",
                "X-API-Key: {key}",
                *BODY,
            ),
            id="half-bodies",
        ),
    ],
)
def test_more_clients_than_descriptors_that_never_get_on(
    server: Server, held: ExitStack, lines: tuple[str, ...]
) -> None:
    key = create_key(server, "sandbox")
    for _ in range(600):
        connect(held, server, *(line.format(key=key) for line in lines))
    wait_until(lambda: is_healthy(server))
    wait_until(lambda: is_served(server, key))


def test_a_stop_is_held_up_by_nobody(server: Server, held: ExitStack, tmp_path: Path) -> None:
    key = create_key(server, "sandbox")
    upload = stall_everything(held, server, key, complete_large_list(server, key, tmp_path))
    assert len(list_processes_on(server.data_dir)) > 1
    server.process.terminate()
    answer = upload.recv(4096).decode()
    assert answer.startswith("HTTP/1.1 503 ")
    assert "retry-after" in answer.lower()
    assert server.process.wait(PATIENCE_SECONDS) == 0
    assert list_processes_on(server.data_dir) == []
    assert len(list((server.data_dir / "inputs").iterdir())) == 1  # the finished list's own
    start_server(server.data_dir).kill()


@pytest.mark.parametrize("has_helpers", [False, True], ids=["at-once", "with-helpers"])
def test_ctrl_c_ends_it_with_one_line(server: Server, *, has_helpers: bool) -> None:
    """The terminal sends it to the whole group; helpers may be in the middle of their start."""
    if has_helpers:
        wait_until(lambda: len(list_processes_on(server.data_dir)) > 2)
    os.killpg(server.process.pid, signal.SIGINT)
    assert server.process.wait(PATIENCE_SECONDS) == 0
    announced, last = server.log.read_text().split("\n\n")
    assert "Winnow is at" in announced
    assert last == "Winnow has stopped.\n"
    assert list_processes_on(server.data_dir) == []


def test_half_a_head_is_answered_in_time(server: Server, held: ExitStack) -> None:
    half = connect(held, server, "GET / HTTP/1.1", "X-Half: ")
    assert half.recv(64).startswith(b"HTTP/1.1 408 ")


def test_a_second_signal_ends_it_at_once(server: Server, held: ExitStack, tmp_path: Path) -> None:
    key = create_key(server, "sandbox")
    stall_everything(held, server, key, complete_large_list(server, key, tmp_path))
    assert len(list_processes_on(server.data_dir)) > 1
    server.process.terminate()
    wait_until(lambda: not is_healthy(server))  # else both signals may come as one
    assert server.process.poll() is None
    server.process.terminate()
    assert server.process.wait(PATIENCE_SECONDS) == 128 + signal.SIGTERM
    wait_until(lambda: list_processes_on(server.data_dir) == [])
    start_server(server.data_dir).kill()
