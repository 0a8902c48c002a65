"""Pages and API behind the proxies of Debian, with TLS: nginx and HAProxy as processes.

``TEST_PROXY=required`` lets a missing program fail instead of being skipped.
"""

import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from tests.absent import give_up
from tests.server import BASE_PATH, Server, create_key, find_free_port, is_open, start_server
from tests.waiting import PATIENCE_SECONDS, wait_until
from tests.web_site import write_certificate
from winnow.client import Client

pytestmark = pytest.mark.slow
Start = Callable[[int], Sequence[str]]
NAME = "lists.example.test"
NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log; worker_processes 1;
events {{}}
http {{
  access_log off; client_header_timeout {patience}; proxy_read_timeout {patience};
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  upstream winnow {{ server 127.0.0.1:{upstream}; keepalive 2; }}
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {folder}/proxy.pem; ssl_certificate_key {folder}/proxy.pem;
    location {path} {{
      proxy_pass http://{target};
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection "upgrade";
      {host}
    }}
  }}
}}
"""
HAPROXY = """
defaults
  mode http
  timeout connect {patience}
  timeout client {patience}
  timeout server {patience}
frontend all
  bind 127.0.0.1:{port} ssl crt {folder}/proxy.pem
  default_backend winnow
backend winnow
  http-reuse always
  {host}
  server one 127.0.0.1:{upstream}
"""


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy in front of a server; ``name`` with ``port`` is what a browser has."""

    port: int
    context: ssl.SSLContext

    def open(self) -> socket.socket:
        """Return a new connection to it, without TLS yet."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS)

    def open_stream(self, origin: str, path: str = "", query: str = "") -> ClientConnection:
        """Open the pages' WebSocket as a browser does."""
        return connect(
            f"wss://{NAME}:{self.port}{path}/_stcore/stream{query}",
            sock=self.open(),
            ssl=self.context,
            origin=Origin(origin),
            subprotocols=[Subprotocol("streamlit")],
            open_timeout=PATIENCE_SECONDS,
        )


def need(program: str) -> None:
    if shutil.which(program) is None:
        give_up("TEST_PROXY", f"{program} is not installed")


@pytest.fixture(scope="module")
def port() -> int:
    return find_free_port()


@pytest.fixture(scope="module")
def server(serve: Callable[..., Server], start: Start, port: int) -> Server:
    return serve({"WINNOW_PUBLIC_URL": f"https://{NAME}:{port}"}, command=start)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need("openssl")
    return write_certificate(tmp_path_factory.mktemp("certificate"), NAME)


@pytest.fixture(
    params=[
        pytest.param(("nginx", ""), id="nginx-default-host"),
        pytest.param(("nginx", "proxy_set_header Host $http_host;"), id="nginx-host"),
        pytest.param(("haproxy", ""), id="haproxy-default-host"),
        pytest.param(
            ("haproxy", "http-request set-header Host 127.0.0.1:{upstream}"), id="haproxy-rewritten"
        ),
    ]
)
def proxy(
    request: pytest.FixtureRequest, server: Server, port: int, certificate: Path, tmp_path: Path
) -> Iterator[Proxy]:
    program, host = request.param
    target = "winnow" if host else f"127.0.0.1:{server.port}"
    said = {"path": "/", "target": target, "host": host.format(upstream=server.port)}
    with run_proxy(program, certificate, tmp_path, server, port, **said) as started:
        yield started


@contextmanager
def run_proxy(
    program: str, certificate: Path, folder: Path, server: Server, port: int, **said: str
) -> Iterator[Proxy]:
    """Run a proxy on a port in front of a server; ``said`` fills its settings."""
    need(program)
    pem = (certificate / "certificate").read_text() + (certificate / "key").read_text()
    (folder / "proxy.pem").write_text(pem)
    text = NGINX if program == "nginx" else HAPROXY
    said |= {"patience": f"{PATIENCE_SECONDS:.0f}s"}
    filled = text.format(folder=folder, port=port, upstream=server.port, **said)
    (folder / "conf").write_text(filled)
    option = "-c" if program == "nginx" else "-f"
    process = subprocess.Popen([program, option, str(folder / "conf")])
    try:
        wait_until(lambda: is_open(process, port))
        context = ssl.create_default_context(cafile=certificate / "certificate")
        # One thread of the client reads the tickets of TLS 1.3 while another sends the head, which
        # Python before 3.13 loses: once in 250 times the proxy answers 408, after its time-out.
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        yield Proxy(port, context)
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def test_the_desk_opens_its_websocket_to_its_own_pages(proxy: Proxy) -> None:
    with proxy.open_stream(f"https://{NAME}:{proxy.port}") as stream:
        assert stream.subprotocol == "streamlit"
    with pytest.raises(InvalidStatus, match="403"):
        proxy.open_stream("https://evil.test")


def test_an_offer_of_http_2_loses_no_body(proxy: Proxy, server: Server) -> None:
    """As Java's client sends it; several on one connection, by upstreams that are kept alive."""
    key = create_key(server, "sandbox")
    body = (
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
        "email\na@b.de\n\r\n--b--\r\n"
    )
    request = (
        f"POST {BASE_PATH}/batch-check-emails HTTP/1.1\r\nHost: {NAME}:{proxy.port}\r\n"
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
        "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n"
        f"X-API-Key: {key}\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    )
    with proxy.context.wrap_socket(proxy.open(), server_hostname=NAME) as connection:
        for _ in range(3):
            connection.sendall(request.encode())
            answer = connection.recv(65_536).decode()
            while '"processing"' not in answer and "HTTP/1.1 200" in answer:
                answer += connection.recv(65_536).decode()
            assert answer.startswith("HTTP/1.1 200"), answer
            assert answer.count("HTTP/1.1") == 1


@pytest.fixture(params=["/", ""], ids=["path-removed", "path-kept"])
def signing_proxy(
    request: pytest.FixtureRequest, certificate: Path, tmp_path: Path, data_dir: Path
) -> Iterator[tuple[Proxy, Server]]:
    """Yield nginx that serves below a path and names who asks for it by ``?as=``, and a server."""
    port = find_free_port()
    server = start_server(
        data_dir,
        {
            "WINNOW_PUBLIC_URL": f"https://{NAME}:{port}/winnow",
            "WINNOW_USER_HEADER": "Remote-User",
            "WINNOW_TRUSTED_PROXIES": "127.0.0.1",
            "WINNOW_UNKNOWN_PEOPLE": "reader",
        },
    )
    said = {
        "path": "/winnow/",
        "target": f"127.0.0.1:{server.port}{request.param}",
        "host": "proxy_set_header Host $http_host; proxy_set_header Remote-User $arg_as;",
    }
    try:
        with run_proxy("nginx", certificate, tmp_path, server, port, **said) as started:
            yield started, server
    finally:
        server.stop()


def test_a_proxy_signs_people_in_below_a_path(
    signing_proxy: tuple[Proxy, Server], tmp_path: Path
) -> None:
    proxy, server = signing_proxy
    origin = f"https://{NAME}:{proxy.port}"
    key = create_key(server)
    (tmp_path / "list.csv").write_bytes(b"email\nana@gmail.com\n")
    with Client(server.api, key) as client:
        task_id = client.submit(tmp_path / "list.csv")
        client.wait(task_id)
    with httpx.Client(
        base_url=f"https://127.0.0.1:{proxy.port}",
        headers={"Host": f"{NAME}:{proxy.port}", "Accept": "text/html"},
        verify=proxy.context,
        timeout=PATIENCE_SECONDS,
    ) as browser:

        def get(path: str, **headers: str) -> httpx.Response:
            extensions = {"sni_hostname": NAME}
            return browser.get(f"/winnow{path}", headers=headers, extensions=extensions)

        assert get("/?as=ana").status_code == 200
        assert get("/projects?as=ana").status_code == 200
        assert "Secure" in get("/?as=ana&language=de").headers["set-cookie"]
        led = get("/projects", **{"Remote-User": "ana"})  # nginx sets its own, which is empty
        assert led.headers["location"] == "/winnow/desk/sign-in?to=%2Fprojects"
        link = get(f"{BASE_PATH}/batch-task-download/{task_id}", **{"X-API-Key": key}).json()
        url = link["download_url"]
        assert url.startswith(f"{origin}/winnow{BASE_PATH}/downloads/")
        got = get(url.removeprefix(f"{origin}/winnow"))
        assert got.content.startswith(b"email,category,domain_type")
    with pytest.raises(InvalidStatus, match="403"):
        proxy.open_stream(origin, "/winnow")
    with proxy.open_stream(origin, "/winnow", query="?as=ana") as stream:
        assert stream.subprotocol == "streamlit"


@pytest.mark.parametrize(
    ("trusted", "scheme"), [("127.0.0.1", "https"), ("10.0.0.0/8", "http")], ids=["trusted", "not"]
)
def test_the_scheme_is_that_of_a_trusted_proxy(
    certificate: Path, tmp_path: Path, data_dir: Path, start: Start, trusted: str, scheme: str
) -> None:
    """Without a public address: cookies, links and the reference follow the forwarded scheme."""
    port = find_free_port()
    environ = {
        "WINNOW_ALLOWED_HOSTS": NAME,
        "WINNOW_TRUSTED_PROXIES": trusted,
        "WINNOW_PASSWORD": "sesame open",
    }
    server = start_server(data_dir, environ, command=start)
    key = create_key(server)
    (tmp_path / "list.csv").write_bytes(b"email\nana@gmail.com\n")
    host = f"{NAME}:{port}"
    said = {
        "path": "/",
        "target": f"127.0.0.1:{server.port}",
        "host": "proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto $scheme;",
    }
    try:
        with Client(server.api, key) as client:
            task_id = client.submit(tmp_path / "list.csv")
            client.wait(task_id)
        with (
            run_proxy("nginx", certificate, tmp_path, server, port, **said) as proxy,
            httpx.Client(
                base_url=f"https://127.0.0.1:{port}",
                headers={"Host": host, "Origin": f"https://{host}", "X-API-Key": key},
                verify=proxy.context,
                timeout=PATIENCE_SECONDS,
            ) as browser,
        ):
            at = {"extensions": {"sni_hostname": NAME}}
            entered = browser.post("/desk/sign-in", data={"password": "sesame open"}, **at)
            shown = browser.get("/?language=de", headers={"Cookie": cookie_of(entered)}, **at)
            for answer in (entered, shown):
                assert ("Secure" in answer.headers["set-cookie"]) is (scheme == "https")
            link = browser.get(f"{BASE_PATH}/batch-task-download/{task_id}", **at).json()
            assert link["download_url"].startswith(f"{scheme}://{host}/")
            assert f"{scheme}://{host}{BASE_PATH}" in browser.get(f"{BASE_PATH}/docs", **at).text
            other = browser.get("/", headers={"Origin": f"http://{host}"}, **at)
            assert other.status_code == (403 if scheme == "https" else 200)
    finally:
        server.stop()


def cookie_of(answer: httpx.Response) -> str:
    return answer.headers["set-cookie"].partition(";")[0]
