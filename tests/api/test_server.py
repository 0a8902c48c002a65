"""The real app object in a real process: ``winnow serve``."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import httpx
import pytest

from tests.api.desk import LIST, have_domain_data, wait_for
from tests.server import (
    BASE_PATH,
    PROJECT,
    Server,
    create_key,
    find_free_port,
    start_server,
    write_command,
    write_streamlit_command,
)
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.storage.blobs.folder import DataFolder, FolderLock

pytestmark = pytest.mark.slow
HEAVY = ("polars", "pandas", "pyarrow", "numpy", "plotly.express", "openpyxl", "jinja2")


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config, knowledge: Knowledge
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server") / "data"
    started = start_server(have_domain_data(folder, pytestconfig))
    yield started
    started.stop()


@pytest.fixture(scope="module")
def key(server: Server) -> str:
    return create_key(server, "sandbox")


def submit(server: Server, key: str) -> str:
    answer = httpx.post(
        f"{server.api}/batch-check-emails",
        files={"file": ("list.csv", LIST * 500)},
        data={"deduplicate": "false"},
        headers={"X-API-Key": key},
        timeout=60,
    )
    assert answer.status_code == 200, answer.text
    return str(answer.json()["task_id"])


def test_a_list_goes_through_the_process_and_comes_back(server: Server, key: str) -> None:
    task_id = submit(server, key)
    headers = {"X-API-Key": key}

    def is_done() -> bool:
        status = httpx.get(f"{server.api}/batch-check-status/{task_id}", headers=headers).json()
        assert status["status"] != "failed", status
        return bool(status["status"] == "completed")

    wait_for(is_done)
    link = httpx.get(f"{server.api}/batch-task-download/{task_id}", headers=headers).json()
    assert link["download_url"].startswith(server.api)
    answer = httpx.get(link["download_url"], headers={"Accept-Encoding": "gzip, br"})
    assert answer.status_code == 200
    assert answer.headers["content-encoding"] == "identity"
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert answer.content.startswith(b"email,name,category,domain_type\n")
    part = httpx.get(link["download_url"], headers={"Range": "bytes=0-4"})
    assert (part.status_code, part.content) == (206, b"email")


def test_blanks_behind_a_header_are_no_part_of_it(server: Server, key: str) -> None:
    for header in (f"X-API-Key: {key} ", f"X-API-Key:{key}\t "):
        answer = ask_raw(
            server,
            "POST /v1/external-api-requests/check-email?email=ana@gmail.com HTTP/1.1\r\n"
            f"Host: 127.0.0.1:{server.port} \r\n{header}\r\nConnection: close\r\n\r\n",
        )
        assert answer.startswith("HTTP/1.1 200")


def test_what_is_no_http_has_an_id_too(server: Server) -> None:
    answer = ask_raw(server, "NONSENSE\r\n\r\n")
    assert answer.startswith("HTTP/1.1 400")
    assert "x-request-id: " in answer


def ask_raw(server: Server, request: str) -> str:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(request.encode())
        return b"".join(iter(lambda: connection.recv(65_536), b"")).decode()


def test_pages_and_api_answer_to_our_hosts_only(server: Server) -> None:
    for path in ("/", "/_stcore/health", "/v1/external-api-requests/health"):
        assert httpx.get(server.url + path).status_code == 200
        rebound = httpx.get(server.url + path, headers={"Host": "evil.test"})
        assert rebound.status_code == 400
        assert rebound.headers["x-request-id"]
        own = f"127.0.0.1:{server.port}"
        for target, said, status in ((own, "evil.test", 200), ("evil.test", own, 400)):
            head = f"GET http://{target}{path} HTTP/1.1\r\nHost: {said}\r\nConnection: close"
            assert ask_raw(server, f"{head}\r\n\r\n").startswith(f"HTTP/1.1 {status}")


def handshake(server: Server, host: str, address: str = "") -> str:
    """Return the status line of a WebSocket handshake with this Host, or at a whole address."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(
            (
                f"GET {address}/_stcore/stream HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n"
                "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            ).encode()
        )
        return connection.recv(4096).split(b"\r\n")[0].decode()


def test_websockets_answer_to_our_hosts_only(server: Server) -> None:
    assert " 101 " in handshake(server, f"127.0.0.1:{server.port}")
    assert " 403 " in handshake(server, "evil.test")
    assert " 101 " in handshake(server, "evil.test", server.url)
    assert " 403 " in handshake(server, f"127.0.0.1:{server.port}", "http://evil.test")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *[("GET", path) for path in ("/", "/projects", "/nope", "/static/nope.js", "/media/x")],
        *[("GET", f"/_stcore/{name}") for name in ("health", "host-config", "metrics", "nope")],
        *[("GET", f"/app/static/{name}") for name in ("winnow-sans-regular.woff2", "nope")],
        *[("GET", path) for path in ("/component/x/y.js", "/%00", "/..%2f..%2fetc/passwd")],
        *[("GET", f"{BASE_PATH}/{name}") for name in ("health", "docs", "nope", "downloads/x")],
        *[("GET", "/desk/sign-in"), ("POST", "/desk/uploads"), ("POST", "/desk/nope")],
        *[("PUT", "/_stcore/upload_file/x/y"), ("DELETE", "/"), ("OPTIONS", "/_stcore/health")],
    ],
)
@pytest.mark.parametrize("host", [None, "evil.test"])
def test_no_answer_may_be_framed_by_another_origin(
    server: Server, method: str, path: str, host: str | None
) -> None:
    headers = {} if host is None else {"Host": host}
    answer = httpx.request(method, server.url + path, headers=headers)
    assert "frame-ancestors '" in answer.headers["content-security-policy"]
    assert answer.headers["x-frame-options"] in {"SAMEORIGIN", "DENY"}
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert "https://" not in answer.headers.get("access-control-allow-origin", "")


def test_no_other_page_steers_ours_by_messages(server: Server) -> None:
    assert httpx.get(f"{server.url}/_stcore/host-config").json()["allowedOrigins"] == []


def test_uvicorns_own_trust_in_loopback_moves_no_ban(server: Server) -> None:
    live = create_key(server)
    for _ in range(6):
        answer = httpx.post(
            f"{server.api}/check-email?email=bo@mailinator.com",
            headers={"X-API-Key": live, "X-Forwarded-For": "198.51.100.4"},
            timeout=60,
        )
        assert answer.status_code == 200
        assert answer.json()["remaining_attempts_before_ban"] == 5


def test_paths_that_the_pages_server_refuses_are_problems_below_the_base(
    server: Server, key: str
) -> None:
    for path in ("batch-check-status/%00", "batch-check-status/..%5Cx", "%00", "C:/x"):
        answer = httpx.get(f"{server.api}/{path}", headers={"X-API-Key": key})
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("begin", "more"),
    [
        pytest.param(b"GET / HTTP/1.1\r\n", b"X-A: " + b"y" * 100 + b"\r\n", id="many-headers"),
        pytest.param(b"GET / HTTP/1.1\r\nX-A: ", b"y" * 100, id="a-long-header"),
        pytest.param(b"GET /?", b"y" * 100, id="a-long-address"),
        pytest.param(
            b"POST /v1/external-api-requests/health HTTP/1.1\r\nHost: localhost\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n",
            b"X-A: " + b"y" * 100 + b"\r\n",
            id="trailers",
        ),
    ],
)
def test_a_head_without_end_is_cut_off(server: Server, begin: bytes, more: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(begin)
        with pytest.raises(OSError, match=r"reset|[Bb]roken"):
            send_twenty_megabytes(connection, more)
    assert httpx.get(f"{server.api}/health").status_code == 200


def send_twenty_megabytes(connection: socket.socket, more: bytes) -> None:
    for _ in range(200_000 // len(more)):
        connection.sendall(more * 100)


def test_the_start_imports_nothing_heavy() -> None:
    script = f"import sys, app\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def run_briefly(data_dir: Path, *options: str, **environ: str) -> tuple[int | None, str]:
    """Start the app and wait for its end, at most until it serves; return its code and output."""
    return run_command_briefly(write_command, data_dir, *options, **environ)


def run_command_briefly(
    command: Callable[[int], Sequence[str]], data_dir: Path, *options: str, **environ: str
) -> tuple[int | None, str]:
    port = find_free_port()
    data_dir.mkdir(parents=True, exist_ok=True)
    log = data_dir.with_suffix(".out")
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [*command(port), *options],
            cwd=PROJECT,
            env={**os.environ, "WINNOW_DATA_DIR": str(data_dir), **environ},
            stdout=sink,
            stderr=sink,
        )

    def has_settled() -> bool:
        if process.poll() is not None:
            return True
        try:
            return httpx.get(f"http://127.0.0.1:{port}/_stcore/health").status_code == 200
        except httpx.TransportError:
            return False

    try:
        wait_for(has_settled, 60)
        text = log.read_text()
        assert ("Winnow is at" in text) == (process.poll() is None)
        assert "Streamlit app" not in text
        return process.poll(), text
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


def test_beyond_this_machine_it_starts_with_a_password_only(tmp_path: Path) -> None:
    code, text = run_briefly(tmp_path / "a", "--address=0.0.0.0")
    assert code not in {None, 0}
    assert "WINNOW_PASSWORD" in text
    assert "Traceback" not in text
    code, text = run_briefly(tmp_path / "b", "--address=0.0.0.0", WINNOW_PASSWORD="sesame open")
    assert code is None, text


def test_streamlit_run_serves_this_machine_only(tmp_path: Path) -> None:
    code, text = run_command_briefly(
        *(write_streamlit_command, tmp_path / "a", "--server.address=0.0.0.0"),
        WINNOW_PASSWORD="sesame open",
    )
    assert code not in {None, 0}
    assert "winnow serve --address=0.0.0.0" in text
    assert "Traceback" not in text


def test_a_wrong_setting_stops_the_start_with_its_name(tmp_path: Path) -> None:
    code, text = run_briefly(tmp_path, WINNOW_BAN_THRESHOLD="9")
    assert code not in {None, 0}
    assert "WINNOW_BAN_THRESHOLD" in text
    assert "Traceback" not in text


def test_what_is_logged_has_its_time_and_level(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    folder.prepare()
    lock = FolderLock.acquire(folder)
    code, text = run_briefly(tmp_path / "data")
    lock.release()
    assert code not in {None, 0}
    assert re.search(r"^[-\d]{10} [:\d]{8},\d{3} ERROR Winnow does not start: ", text, re.MULTILINE)
    assert "Traceback" not in text
