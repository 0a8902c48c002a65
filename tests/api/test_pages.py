"""What stands at an address that is a page, and at one that is none."""

import threading
from contextlib import suppress
from pathlib import Path

import anyio
import httpx
import pytest
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.api.desk import open_nothing
from winnow.api.application import HttpApi
from winnow.api.middleware.answers import AnswerHeaders
from winnow.api.middleware.pages import Pages
from winnow.api.middleware.trusted_hosts import TrustedHosts
from winnow.core.settings import Settings, read_settings

BROWSER = {"accept": "text/html,application/xhtml+xml"}
PAGE = "<!doctype html><html><head><title>one page</title></head></html>"


def ask(
    path: str, *, method: str = "GET", language: str | None = None, **headers: str
) -> httpx.Response:
    """Send one request to the pages; whoever stands behind answers everything with one page."""

    async def answer_all(scope: Scope, receive: Receive, send: Send) -> None:
        await HTMLResponse(PAGE)(scope, receive, send)

    settings = Settings(Path("unused"), language=language)
    pages = Pages(answer_all, paths=("check", "clean", "projects"), settings=settings)
    transport = httpx.ASGITransport(AnswerHeaders(pages, docs_path="/docs"))

    async def send() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, path, headers={**BROWSER, **headers})

    return anyio.run(send)


def test_a_page_gives_a_browser_the_language_asked_for() -> None:
    assert "set-cookie" not in ask("/clean").headers
    cookie = ask("/?language=de").headers["set-cookie"]
    assert cookie.startswith("winnow_language=de;")
    assert "HttpOnly" in cookie
    assert "set-cookie" not in ask("/clean?language=xx").headers


@pytest.mark.parametrize("path", ["/nope", "/nope/", "/clean/more", "/Clean", "/%3Cscript%3E"])
def test_what_is_no_page_says_so(path: str) -> None:
    answer = ask(path)
    assert answer.status_code == 404
    assert "There is no page at this address" in answer.text
    assert f"Request id: {answer.headers['x-request-id']}" in answer.text
    assert "The API, with its reference, is at /docs." in answer.text
    assert "script" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_it_speaks_the_browsers_language_unless_the_setting_has_one() -> None:
    for asked, chosen, spoken in (
        ("de-DE,de;q=0.9,en;q=0.8", None, "de"),
        ("", None, "en"),
        ("de", "en", "en"),
        (";;,=", "de", "de"),
    ):
        answer = ask("/nope", language=chosen, **{"accept-language": asked})
        assert f'<html lang="{spoken}">' in answer.text


def test_pages_and_what_the_server_has_beside_them_pass() -> None:
    for path in ("/", "/clean", "/projects?task=1"):
        for accept in ("text/html", "*/*"):
            answer = ask(path, accept=accept)
            assert (answer.status_code, answer.text) == (200, PAGE), path
            assert int(answer.headers["content-length"]) == len(answer.content)
    beside = ("/_stcore/health", "/static/js/a.js", "/media/x", "/app/static/f", "/component/x")
    for path in (*beside, "/manifest.json", "/favicon.png"):
        assert ask(path).status_code == 200, path


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "DELETE"])
@pytest.mark.parametrize(
    "path",
    [
        *("/healthz", "/v2/external-api-requests/health", "/metrics"),
        *("/docs", "/openapi.json", "/v1/"),
    ],
)
def test_what_is_no_page_is_a_problem_document_for_programs(path: str, method: str) -> None:
    answer = ask(path, method=method, accept="*/*")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    if method != "HEAD":
        assert answer.json()["code"] == "route_unknown"
        assert answer.json()["hint"] == "The API, with its reference, is at /docs."


def test_the_first_page_has_one_address() -> None:
    answer = ask("/check")
    assert (answer.status_code, answer.headers["location"]) == (307, "/")


def run_start(inner: ASGIApp) -> list[str]:
    """Start an application behind all middleware; return what it and the server were told."""
    told = []

    async def start(scope: Scope, receive: Receive, send: Send) -> None:
        told.append(scope["type"])
        await inner(scope, receive, send)

    async def receive() -> Message:
        return {"type": "lifespan.startup"}

    async def send(message: Message) -> None:
        told.append(message["type"])

    settings = read_settings({}, default_data_dir=Path("none"))
    app: ASGIApp = start
    for middleware in reversed(HttpApi(settings, open_nothing, page_paths=("check",)).middleware):
        app = middleware.cls(app, *middleware.args, **middleware.kwargs)

    async def run() -> None:
        with suppress(ZeroDivisionError):
            await app({"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, receive, send)

    anyio.run(run)
    return told


def test_the_start_of_the_server_passes_all_middleware() -> None:
    async def complete(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "lifespan.startup.complete"})

    assert run_start(complete) == ["lifespan", "lifespan.startup.complete"]


def test_an_error_before_the_start_is_a_failed_start() -> None:
    """By default uvicorn would serve on, without workers."""

    async def fail(scope: Scope, receive: Receive, send: Send) -> None:
        raise ZeroDivisionError

    assert run_start(fail) == ["lifespan", "lifespan.startup.failed"]


def test_whether_people_sign_in_is_asked_beside_the_event_loop() -> None:
    asked: list[bool] = []

    def has_sign_in() -> bool:
        asked.append(threading.current_thread() is threading.main_thread())
        return len(asked) > 1

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await HTMLResponse(PAGE)(scope, receive, send)

    settings = Settings(Path("unused"), allowed_hosts=("192.0.2.1",))
    hosts = TrustedHosts(answer, settings=settings, has_sign_in=has_sign_in)

    async def call() -> list[int]:
        transport = httpx.ASGITransport(hosts)
        async with httpx.AsyncClient(transport=transport, base_url="http://192.0.2.1") as client:
            return [(await client.get("/")).status_code for _ in range(3)]

    assert anyio.run(call) == [403, 200, 200]
    assert asked == [False, False]
