"""The real app object in a real process, by each of the two starts."""

import re
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.api.desk import LIST
from tests.server import (
    BASE_PATH,
    PROJECT,
    Server,
    create_key,
    get,
    issue_link,
    post,
    start_server,
    write_streamlit_command,
)
from tests.waiting import PATIENCE_SECONDS
from winnow.client import Client
from winnow.storage.blobs.folder import DataFolder, FolderLock

pytestmark = pytest.mark.slow
HEAVY = ("polars", "pandas", "pyarrow", "numpy", "plotly.express", "openpyxl", "jinja2")
PAGES = ("settings?tab=api", "projects", "settings?tab=api", "", "settings?tab=api", "rules")


Start = Callable[[int], Sequence[str]]
FORWARDED = (
    "10.0.0.2:5555",
    "[::ffff:10.0.0.2]:1",
    "10.0.0.3, 10.0.0.4",
    "10.0.0.5",
    "",
    "10.0.0.6 ,1",
)


@pytest.fixture(scope="module")
def server(serve: Callable[..., Server], start: Start) -> Server:
    return serve(command=start)


@pytest.fixture(scope="module")
def key(server: Server) -> str:
    return create_key(server, "sandbox")


def test_a_list_goes_through_the_process_and_comes_back(
    server: Server, key: str, tmp_path: Path
) -> None:
    (tmp_path / "list.csv").write_bytes(LIST * 500)
    with Client(server.api, key) as client:
        status = client.clean(tmp_path / "list.csv", tmp_path / "out.csv", deduplicate=False)
    assert (tmp_path / "out.csv").read_bytes().startswith(b"email,name,category,domain_type\n")
    link = issue_link(server, key, status["task_id"])
    assert link.startswith(server.api)
    answer = get(link, headers={"Accept-Encoding": "gzip, br"})
    assert answer.headers["content-encoding"] == "identity"
    assert int(answer.headers["content-length"]) == len(answer.content)
    part = get(link, headers={"Range": "bytes=0-4"})
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


def test_a_connection_outlives_the_time_between_two_polls(server: Server) -> None:
    """By default it is closed after five seconds, just as such a client uses it again."""
    with server.open_socket() as connection:
        connection.settimeout(7)
        connection.sendall(
            b"GET /v1/external-api-requests/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        )
        parts: list[bytes] = []
        with pytest.raises(TimeoutError):
            parts.extend(iter(lambda: connection.recv(4096), b""))
    assert b"".join(parts).startswith(b"HTTP/1.1 200")


def ask_raw(server: Server, request: str) -> str:
    with server.open_socket() as connection:
        connection.sendall(request.encode())
        return b"".join(iter(lambda: connection.recv(65_536), b"")).decode()


def handshake(server: Server, host: str, address: str = "") -> str:
    """Return the status line of a WebSocket handshake with this Host, or at a whole address."""
    with server.open_socket() as connection:
        connection.sendall(
            (
                f"GET {address}/_stcore/stream HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n"
                "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            ).encode()
        )
        return connection.recv(4096).split(b"\r\n")[0].decode()


def test_pages_api_and_websockets_answer_to_our_hosts_only(server: Server) -> None:
    for path in ("/", "/_stcore/health", "/v1/external-api-requests/health"):
        assert get(server.url + path).status_code == 200
        rebound = get(server.url + path, headers={"Host": "evil.test"})
        assert rebound.status_code == 400
        assert rebound.headers["x-request-id"]
        own = f"127.0.0.1:{server.port}"
        for target, said, status in ((own, "evil.test", 200), ("evil.test", own, 400)):
            head = f"GET http://{target}{path} HTTP/1.1\r\nHost: {said}\r\nConnection: close"
            assert ask_raw(server, f"{head}\r\n\r\n").startswith(f"HTTP/1.1 {status}")
    assert " 101 " in handshake(server, f"127.0.0.1:{server.port}")
    assert " 403 " in handshake(server, "evil.test")
    assert " 101 " in handshake(server, "evil.test", server.url)
    assert " 403 " in handshake(server, f"127.0.0.1:{server.port}", "http://evil.test")


def test_streamlits_own_way_in_takes_no_file(server: Server) -> None:
    url = f"{server.url}/_stcore/upload_file/a/b"
    for method in ("PUT", "POST", "DELETE", "OPTIONS", "GET"):
        answer = httpx.request(method, url, content=b"x" * 100, timeout=PATIENCE_SECONDS)
        assert answer.status_code == 404, method


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
    answer = httpx.request(method, server.url + path, headers=headers, timeout=PATIENCE_SECONDS)
    assert "frame-ancestors '" in answer.headers["content-security-policy"]
    assert answer.headers["x-frame-options"] in {"SAMEORIGIN", "DENY"}
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert "https://" not in answer.headers.get("access-control-allow-origin", "")


def test_no_other_page_steers_ours_by_messages(server: Server) -> None:
    assert get(f"{server.url}/_stcore/host-config").json()["allowedOrigins"] == []


def test_no_program_of_this_machine_is_a_proxy_unless_it_is_trusted(
    serve: Callable[..., Server], start: Start
) -> None:
    environ = {
        "WINNOW_TRUSTED_PROXIES": "10.0.0.0/8",
        "WINNOW_USER_HEADER": "Remote-User",
        "WINNOW_UNKNOWN_PEOPLE": "reader",
        "WINNOW_BAN_LOOPBACK": "on",
        "FORWARDED_ALLOW_IPS": "*",
    }
    server = serve(environ, command=start)
    assert "FORWARDED_ALLOW_IPS has no effect" in server.log.read_text()
    key = create_key(server)
    url = f"{server.api}/check-email?email=bo@mailinator.com"
    left = []
    for forwarded in FORWARDED:
        named = {"X-Forwarded-For": forwarded, "X-Forwarded-Proto": "https"}
        page = get(server.url, headers={**named, "Remote-User": "ana", "Accept": "text/html"})
        assert (page.status_code, page.headers["location"]) == (303, "/desk/sign-in")
        answer = post(url, headers={**named, "X-API-Key": key})
        left.append(answer.json().get("remaining_attempts_before_ban", answer.status_code))
    assert left == [4, 3, 2, 1, 0, 403]


def test_paths_that_the_pages_server_refuses_are_problems_below_the_base(
    server: Server, key: str
) -> None:
    for path in ("batch-check-status/%00", "batch-check-status/..%5Cx", "%00", "C:/x"):
        answer = get(f"{server.api}/{path}", headers={"X-API-Key": key})
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
    with server.open_socket() as connection:
        connection.sendall(begin)
        with pytest.raises(OSError, match=r"reset|[Bb]roken"):
            send_twenty_megabytes(connection, more)
    assert get(f"{server.api}/health").status_code == 200


def send_twenty_megabytes(connection: socket.socket, more: bytes) -> None:
    for _ in range(200_000 // len(more)):
        connection.sendall(more * 100)


def test_the_start_imports_nothing_heavy() -> None:
    script = f"import sys, app\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def open_page(server: Server, page: str) -> str:
    """Run a page as a browser does, to the end of its script; return the texts it was told."""
    ask = BackMsg()
    ask.rerun_script.page_name, _, ask.rerun_script.query_string = page.partition("?")
    told = []
    with server.open_stream() as stream:
        stream.send(ask.SerializeToString())
        while True:
            message = ForwardMsg.FromString(stream.recv(PATIENCE_SECONDS))
            told.append(str(message))
            if message.WhichOneof("type") == "script_finished":
                return "".join(told)


def test_pages_that_open_at_once_right_after_the_start_are_drawn(
    data_dir: Path, start: Start
) -> None:
    server = start_server(data_dir, command=start)
    with Client(server.api, create_key(server)) as client:  # so that there is a table to draw
        client.check("a@b.de")
    server.stop()
    server = start_server(data_dir, command=start)
    try:
        with ThreadPoolExecutor(len(PAGES)) as threads:
            told = list(threads.map(lambda page: open_page(server, page), PAGES))
    finally:
        server.stop()
    assert "page failed" not in server.log.read_text()
    assert "is taken" not in server.log.read_text()  # port 0 is any
    assert "Addresses counted by day" in told[0]


def refuse_start(
    data_dir: Path,
    *options: str,
    command: Start,
    **environ: str,
) -> str:
    """Start a server that ends by itself; return what it wrote."""
    with pytest.raises(RuntimeError, match=r"ended with [1-9]") as ended:
        start_server(data_dir, environ, command=lambda port: (*command(port), *options))
    said = str(ended.value)
    assert "Winnow is at" not in said
    assert "Traceback" not in said
    return said


def test_streamlit_run_serves_this_machine_only(tmp_path: Path) -> None:
    said = refuse_start(
        tmp_path / "data",
        "--server.address=0.0.0.0",
        command=write_streamlit_command,
        WINNOW_PASSWORD="sesame open",
    )
    assert "winnow serve --address=0.0.0.0" in said


def test_what_is_logged_has_its_time_and_level(tmp_path: Path, start: Start) -> None:
    folder = DataFolder(tmp_path / "data")
    folder.prepare()
    lock = FolderLock.acquire(folder)
    said = refuse_start(tmp_path / "data", command=start)
    assert "the server ended with 3:" in said
    lock.release()
    assert re.search(r"^[-\d]{10} [:\d]{8},\d{3} ERROR Winnow does not start: ", said, re.MULTILINE)
