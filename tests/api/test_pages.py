"""What stands at an address that is a page, and at one that is none."""

import anyio
import httpx
import pytest
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from winnow.api.middleware.pages import Pages
from winnow.api.middleware.request_ids import RequestIds

BROWSER = {"accept": "text/html,application/xhtml+xml"}
PAGE = "<!doctype html><html><head><title>one page</title></head></html>"
TOLD = "BACKEND_BASE_URL"


def ask(
    path: str, *, method: str = "GET", language: str | None = None, **headers: str
) -> httpx.Response:
    """Send one request to the pages; whoever stands behind answers everything with one page."""

    async def answer_all(scope: Scope, receive: Receive, send: Send) -> None:
        answer: Response = HTMLResponse(PAGE, headers={"etag": '"of the file"'})
        if scope["path"] != "/" and b"accept-encoding" in dict(scope["headers"]):
            answer = PlainTextResponse("compressed")
        await answer(scope, receive, send)

    pages = Pages(answer_all, paths=("check", "clean", "projects"), language=language)
    transport = httpx.ASGITransport(RequestIds(pages))

    async def send() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, path, headers={**BROWSER, **headers})

    return anyio.run(send)


@pytest.mark.parametrize("path", ["/nope", "/nope/", "/clean/more", "/Clean", "/%3Cscript%3E"])
def test_what_is_no_page_says_so(path: str) -> None:
    answer = ask(path)
    assert answer.status_code == 404
    assert "There is no page at this address" in answer.text
    assert f"Request id: {answer.headers['x-request-id']}" in answer.text
    assert "script" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("asked", "chosen", "spoken"),
    [
        ("de-DE,de;q=0.9,en;q=0.8", None, "de"),
        ("en-GB,de;q=0.5", None, "en"),
        ("fr", None, "en"),
        ("", None, "en"),
        ("de", "en", "en"),
        (";;,=", "de", "de"),
    ],
)
def test_it_speaks_the_browsers_language_unless_the_setting_has_one(
    asked: str, chosen: str | None, spoken: str
) -> None:
    answer = ask("/nope", language=chosen, **{"accept-language": asked})
    assert f'<html lang="{spoken}">' in answer.text


@pytest.mark.parametrize("path", ["/", "/clean", "/projects?task=1"])
def test_what_is_a_page_passes(path: str) -> None:
    answer = ask(path)
    assert answer.status_code == 200
    assert "<title>one page</title>" in answer.text
    assert int(answer.headers["content-length"]) == len(answer.content)


def test_a_page_below_the_root_is_told_where_the_server_is() -> None:
    assert TOLD not in ask("/").text
    told = ask("/clean")
    assert told.text.index(TOLD) < told.text.index("<title>")
    assert "etag" not in told.headers


def test_the_first_page_stands_at_the_root() -> None:
    answer = ask("/check")
    assert (answer.status_code, answer.headers["location"]) == (307, "/")


@pytest.mark.parametrize(
    "path", ["/_stcore/health", "/static/js/a.js", "/media/x", "/app/static/f", "/component/x"]
)
def test_what_the_server_has_beside_the_pages_passes(path: str) -> None:
    assert ask(path).status_code == 200


def test_what_asks_for_no_page_passes() -> None:
    assert ask("/manifest.json", accept="application/json").status_code == 200
    assert ask("/nope", method="POST").status_code == 200
