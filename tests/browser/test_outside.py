"""With every switch off nobody outside this machine is asked: judged by what the kernel was asked.

``strace`` sees each socket of the server and its workers, whoever in whichever library opens it.
"""

import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.absent import give_up
from tests.api.desk import LIST
from tests.browser.conftest import check, wait_until_still
from tests.server import BASE_PATH, Server, create_key, get, start_server, write_command
from winnow.client import Client

pytestmark = pytest.mark.browser

PASSWORD = "correct horse"
ADDRESS = re.compile(r'inet_addr\("([^"]*)"\)|inet_pton\(AF_INET6, "([^"]*)"')
PORT = re.compile(r"sin6?_port=htons\((\d+)\)")
HERE = re.compile(r"127\.[\d.]+|::1|::ffff:127\.[\d.]+")
ANYWHERE = {"0.0.0.0", "::"}  # noqa: S104  # what a server beyond this machine listens on
DNS_PORT = "53"
PAGES = ("/", "/clean", "/projects", "/rules", "/settings")
FOREIGN = ("https://evil.test", "http://203.0.113.9:8501", "http://127.0.0.1:9", "null", "")


@pytest.fixture(scope="module", autouse=True)
def strace() -> None:
    """Need strace, and leave to use it."""
    if shutil.which("strace") is None:
        give_up("TEST_STRACE", "no strace: whom the server asks was NOT looked at")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return tmp_path / "trace"


@pytest.fixture(params=["here", "beyond"])
def traced(request: pytest.FixtureRequest, data_dir: Path, trace: Path) -> Iterator[Server]:
    """Serve on this machine, or beyond it with sign-in, and write each network call down."""
    options = ["--address=0.0.0.0"] if request.param == "beyond" else []

    def write_traced_command(port: int) -> Sequence[str]:
        watch = ("strace", "-D", "-f", "-qq", "-s", "0", "-e", "trace=network", "-o", str(trace))
        return (*watch, *write_command(port), *options)

    environ = {"WINNOW_PASSWORD": PASSWORD} if request.param == "beyond" else {}
    server = start_server(data_dir, environ, command=write_traced_command)
    yield server
    server.stop()


def list_strangers(trace: Path) -> list[str]:
    """Return the calls that name an address elsewhere, or ask for the address of a name."""
    found = []
    for line in trace.read_text(encoding="ascii", errors="replace").splitlines():
        addresses = {v4 or v6 for v4, v6 in ADDRESS.findall(line)}
        if re.search(r"\b(bind|getsockname)\(", line):
            addresses -= ANYWHERE
        if not all(map(HERE.fullmatch, addresses)) or DNS_PORT in PORT.findall(line):
            found.append(line)
    return found


def test_nobody_outside_is_asked(page: Page, traced: Server, trace: Path, tmp_path: Path) -> None:
    page.goto(traced.url)
    if "/desk/sign-in" in page.url:
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(lambda url: "/desk/sign-in" not in url)  # else the next visit cuts it off
    for path in PAGES:
        page.goto(traced.url + path)
        wait_until_still(page)
    check(page, traced, "ana@mailinator.com")
    expect(page.get_by_text("mailinator.com").first).to_be_visible()

    (tmp_path / "list.csv").write_bytes(LIST)
    with Client(traced.api, create_key(traced)) as client:
        assert client.check("ana@gmail.com")["category"] == "white"
        client.clean(tmp_path / "list.csv", tmp_path / "checked.csv")

    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    upgrade["Sec-WebSocket-Key"] = "dGhlIHNhbXBsZSBub25jZQ=="
    for origin in FOREIGN:
        socket = get(f"{traced.url}/_stcore/stream", headers={**upgrade, "Origin": origin})
        assert socket.status_code == 403, origin
        for path in ("/", "/nope", "/_stcore/host-config", f"{BASE_PATH}/health"):
            get(traced.url + path, headers={"Origin": origin})

    traced.stop()
    calls = trace.read_text(encoding="ascii", errors="replace")
    assert f"htons({traced.port})" in calls
    assert list_strangers(trace) == []
