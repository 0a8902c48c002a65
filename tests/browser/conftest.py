"""One Chromium for all of them, a server of its own for each module, pages that wait by state."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    expect,
    sync_playwright,
)

from tests.server import Server, start_server

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WAIT_MILLISECONDS = 120_000  # also on a machine ten times slower


@pytest.fixture(scope="package")  # while it lives, no other test can run an event loop
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        message = "no Chromium on this machine: the browser journeys did NOT run"
        if os.environ.get("TEST_BROWSER") == "required":
            pytest.fail(message)
        pytest.skip(message)
    expect.set_options(timeout=WAIT_MILLISECONDS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = start_server(tmp_path_factory.mktemp("browser") / "data")
    yield server
    server.stop()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(
        viewport={"width": 1280, "height": 900}, accept_downloads=True, timezone_id="Asia/Kolkata"
    )
    context.set_default_timeout(WAIT_MILLISECONDS)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


def wait_until_still(page: Page) -> None:
    """Wait until the page's script has run to its end, on the server that answers now."""
    page.wait_for_selector(
        'body:not([inert]) [data-testid="stApp"]'
        '[data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"]'
    )


def wait_until_steady(page: Page) -> None:
    """Wait until nothing fades any more: what is drawn anew is faint for a moment."""
    wait_until_still(page)
    page.wait_for_function(
        "[...document.querySelectorAll('[data-testid=stElementContainer]')]"
        ".every(part => part.dataset.stale !== 'true' && getComputedStyle(part).opacity === '1')"
    )


def check(page: Page, server: Server, text: str) -> Locator:
    """Check one or several addresses by keys; return the field."""
    page.goto(server.url)
    field = page.get_by_role("textbox").first
    expect(field).to_be_focused()
    page.keyboard.insert_text(text)
    page.keyboard.press("Enter")
    return field


def open_tab(page: Page, name: str) -> None:
    """Open one of the tabs of a project's page, and wait until it is drawn."""
    page.get_by_role("tab", name=name).click()
    wait_until_still(page)


def open_options(page: Page, tab: str = "Files") -> None:
    """Open a tab of a project's download menu."""
    options = page.get_by_role("button", name="Options")
    if options.get_attribute("aria-expanded") != "true":
        options.click()
    body = page.get_by_test_id("stPopoverBody")
    body.get_by_role("tab", name=tab).click()
    expect(body.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
    wait_until_steady(page)


def save_download(page: Page, path: Path, name: str) -> tuple[Path, str]:
    """Click the link of this name; return the file and the name the server gave it."""
    with page.expect_download() as waiting:
        page.get_by_role("link", name=name).first.click()
    waiting.value.save_as(path)
    return path, waiting.value.suggested_filename
