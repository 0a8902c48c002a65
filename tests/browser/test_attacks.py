"""What a page of another origin tries on the desk, in a real browser that is signed in to it.

The other origin is another port of this machine: the same site, so cookies go along.
"""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import wait_until_still
from tests.server import Server

pytestmark = pytest.mark.browser

FRAMED = ("/", "/settings", "/nope", "/_stcore/health", "/v1/external-api-requests/docs")


@pytest.fixture
def attacker() -> Iterator[str]:
    """Serve an empty page on a port of its own and return its address."""

    class Empty(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>harmless</title>")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Empty) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}/"
        served.shutdown()


def test_no_page_lets_itself_be_framed(page: Page, server: Server, attacker: str) -> None:
    page.goto(attacker)
    for path in FRAMED:
        with page.expect_event("requestfailed") as refused:
            page.evaluate(
                """url => {
                    const frame = Object.assign(document.createElement("iframe"), {src: url});
                    document.body.replaceChildren(frame);
                }""",
                server.url + path,
            )
        assert refused.value.failure == "net::ERR_BLOCKED_BY_RESPONSE", path


def test_our_own_pages_may_frame_themselves(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/_stcore/health")
    page.evaluate(
        "url => document.body.append(Object.assign(document.createElement('iframe'), {src: url}))",
        f"{server.url}/_stcore/health",
    )
    expect(page.frame_locator("iframe").get_by_text("ok")).to_be_visible()


def test_who_opens_a_window_keeps_no_hand_on_it(page: Page, server: Server, attacker: str) -> None:
    page.goto(attacker)
    with page.context.expect_page() as opening:
        page.evaluate("url => { window.held = window.open(url) }", server.url)
    opened = opening.value
    wait_until_still(opened)
    assert opened.evaluate("window.opener") is None
    assert page.evaluate("window.held.closed")
    assert page.evaluate("window.held.length") == 0


def test_another_origin_reads_and_sends_nothing(page: Page, server: Server, attacker: str) -> None:
    page.goto(attacker)
    told = page.evaluate(
        """async url => {
            const told = {};
            const address = url.replace("http", "ws") + "/_stcore/stream";
            told.socket = await new Promise(done => {
                const socket = new WebSocket(address, ["streamlit"]);
                socket.onopen = () => done("open");
                socket.onerror = () => done("refused");
            });
            const image = path => new Promise(done => {
                const drawn = new Image();
                drawn.onload = () => done("loaded");
                drawn.onerror = () => done("refused");
                drawn.src = url + path;
            });
            told.image = await image("/app/static/winnow.svg");
            const ask = (path, options) => fetch(url + path, {credentials: "include", ...options})
                .then(answer => answer.type + answer.status, () => "refused");
            told.read = await ask("/_stcore/host-config");
            told.blind = await ask("/_stcore/host-config", {mode: "no-cors"});
            told.upload = await ask("/desk/uploads", {method: "POST", body: "x"});
            told.leave = await ask("/desk/sign-out", {method: "POST", body: "x"});
            return told;
        }""",
        server.url,
    )
    assert told == dict.fromkeys(told, "refused")


@pytest.mark.parametrize(
    "path", ["/", "/clean", "/projects", "/project", "/rules", "/settings?tab=api"]
)
def test_pages_ask_our_server_alone_for_what_it_has(page: Page, server: Server, path: str) -> None:
    asked: list[str] = []
    missed: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url.replace("ws", "http", 1)))
    page.on("response", lambda answer: missed.append(answer.url) if answer.status >= 400 else None)
    page.goto(server.url + path)
    wait_until_still(page)
    expect(page.get_by_text("Domain lists")).to_be_visible()
    assert asked
    assert [url for url in asked if not url.startswith((server.url, "data:", "blob:"))] == []
    # Streamlit looks for its server below the page first.
    below = f"{server.url}{path.partition('?')[0]}/_stcore/"
    assert [url for url in missed if path == "/" or not url.startswith(below)] == []
