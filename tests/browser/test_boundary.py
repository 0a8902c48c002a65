"""Whatever fails in a running server is told in our words: no card of Streamlit's, no address."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.broken_server import ADDRESS, BREAKABLE
from tests.browser.conftest import wait_until_steady, wait_until_still
from tests.server import Server, start_server

pytestmark = pytest.mark.browser

SETTLED_MILLISECONDS = 5_000  # a press before the new server has run the page is lost
ID = re.compile(r"Request id: ([0-9a-f]{16})")


@pytest.fixture(scope="module")
def flags(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder whose files say what fails."""
    return tmp_path_factory.mktemp("flags")


@pytest.fixture(scope="module")
def command(flags: Path) -> Callable[[int], Sequence[str]]:
    """How a server that fails on demand starts, on a port."""
    module = (sys.executable, "-m", "tests.browser.broken_server")
    return lambda port: (*module, str(port), str(flags))


@pytest.fixture(scope="module")
def server(
    command: Callable[[int], Sequence[str]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    server = start_server(tmp_path_factory.mktemp("broken") / "data", command=command)
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def whole(flags: Path) -> Iterator[None]:
    """Nothing fails before or after."""
    yield
    for flag in flags.iterdir():
        flag.unlink()


def break_down(flags: Path, name: str) -> None:
    assert name in BREAKABLE
    (flags / name).touch()


def read_id(page: Page, server: Server) -> str:
    """Return the id on the page, which is in the log; nothing of the error's message is."""
    told = page.get_by_test_id("stAlert").filter(has_text="Request id")
    expect(told.first).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    found = ID.search(told.first.inner_text())
    assert found is not None
    log = server.log.read_text()
    assert f"id={found[1]} " in log
    assert ADDRESS not in log
    assert ADDRESS not in page.content()
    return found[1]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/settings?tab=api", "keys.list"),
        ("/clean", "usage.storage"),
        ("/", "network.status_text"),
    ],
    ids=["page", "fragment", "foot"],
)
def test_what_fails_is_told_and_may_be_tried_again(
    page: Page, server: Server, flags: Path, path: str, name: str
) -> None:
    break_down(flags, name)
    page.goto(server.url + path)
    shown = read_id(page, server)
    page.reload()
    assert read_id(page, server)
    (flags / name).unlink()
    page.get_by_role("button", name="Try again").click()
    wait_until_still(page)
    expect(page.get_by_text("Request id")).to_have_count(0)
    expect(page.get_by_text("Domain lists")).to_be_visible()
    assert len(shown) == 16


def test_there_is_a_way_on(page: Page, server: Server, flags: Path) -> None:
    break_down(flags, "keys.list")
    page.goto(f"{server.url}/settings?tab=api")
    read_id(page, server)
    page.get_by_role("link", name="Go to Projects").click()
    expect(page.get_by_role("heading", name="Projects")).to_be_visible()


def test_a_callback_that_fails_leaves_the_page(page: Page, server: Server, flags: Path) -> None:
    page.goto(f"{server.url}/rules")
    page.get_by_label("Domain or address").fill("kept.example")
    break_down(flags, "own_lists.add")
    page.get_by_role("button", name="Add", exact=True).click()
    read_id(page, server)
    expect(page.get_by_label("Domain or address")).to_have_value("kept.example")


def test_an_unknown_address_has_a_page_of_ours(page: Page, server: Server) -> None:
    answer = page.goto(f"{server.url}/nope")
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_role("heading", name="There is no page at this address")).to_be_visible()
    page.get_by_role("link", name="Go to Projects").click()
    expect(page.get_by_role("heading", name="Projects")).to_be_visible()
    page.goto(f"{server.url}/check")
    expect(page.get_by_role("heading", name="Check an address")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("path", ["/", "/clean", "/projects", "/project", "/rules", "/settings"])
def test_no_page_asks_for_what_is_not_there(page: Page, server: Server, path: str) -> None:
    missed: list[str] = []
    page.on("response", lambda answer: missed.append(answer.url) if answer.status >= 400 else None)
    page.goto(server.url + path)
    wait_until_still(page)
    expect(page.get_by_text("Domain lists")).to_be_visible()
    # Streamlit looks for its server below the page first.
    below = f"{server.url}{path.rstrip('/')}/_stcore/"
    assert [url for url in missed if path == "/" or not url.startswith(below)] == []


def test_a_page_comes_back_by_itself_after_a_restart(page: Page, tmp_path: Path) -> None:
    left = start_server(tmp_path / "data")
    page.goto(f"{left.url}/rules")
    expect(page.get_by_text("Domain lists")).to_be_visible()
    wait_until_steady(page)
    left.kill()
    expect(page.get_by_text("Streamlit server is not responding")).to_be_visible()
    server = start_server(left.data_dir, port=left.port)
    try:
        expect(page.get_by_role("dialog")).to_have_count(0)
        wait_until_still(page)
        page.wait_for_timeout(SETTLED_MILLISECONDS)
        page.get_by_label("Domain or address").fill("a.example")
        notice = page.locator(".st-key-own_notice")
        for _ in range(2):  # a new server may take the first press for the opening of the page
            page.get_by_role("button", name="Add", exact=True).click()
            page.wait_for_timeout(SETTLED_MILLISECONDS)
            if notice.count():
                break
        expect(notice).to_contain_text("a.example is")
    finally:
        server.stop()
