"""One Chromium for all of them, a server of its own for each module, pages that wait by state."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tests.absent import give_up
from tests.server import Server

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
WATCH_RUNS = """
const [RERUN, HASH, METADATA, NEW_SESSION] = [0x5a, 0x0a, 0x12, 0x22];  // of BackMsg, ForwardMsg
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (message) {
  if (message[0] === RERUN) [window.isRunAwaited, window.stillFrames] = [true, 0];
  if (!this.isWatched) {
    this.isWatched = true;
    this.addEventListener("message", ({ data }) => {
      const bytes = new Uint8Array(data);
      let at = 0;
      while (bytes[at] === HASH || bytes[at] === METADATA) at += 2 + bytes[at + 1];
      if (bytes[at] === NEW_SESSION) window.isRunAwaited = false;
    });
  }
  send.call(this, message);
};
"""
"""Streamlit calls a page still from a click to the server's word that the run begins."""
IS_STILL = """() => {
  const still = 'body:not([inert]) [data-testid="stApp"][data-test-connection-state="CONNECTED"]'
    + '[data-test-script-state="notRunning"]';
  const isStill = document.querySelector(still) && !window.isRunAwaited;
  window.stillFrames = isStill ? (window.stillFrames ?? 0) + 1 : 0;
  return window.stillFrames > 2;  // React draws a state a moment after the message that tells it
}"""


@pytest.fixture(scope="package")  # while it lives, no other test can run an event loop
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        give_up("TEST_BROWSER", "no Chromium on this machine: the journeys did NOT run")
    expect.set_options(timeout=WAIT_MILLISECONDS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(serve: Callable[..., Server]) -> Server:
    return serve()


@contextmanager
def open_page(browser: Browser, **options: Any) -> Iterator[Page]:
    """Open a page in a browser session of its own, which ends with it."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    context.set_default_timeout(WAIT_MILLISECONDS)
    context.add_init_script(WATCH_RUNS)
    try:
        yield context.new_page()
    finally:
        context.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with open_page(browser, timezone_id="Asia/Kolkata") as page:
        yield page


def wait_until_still(page: Page) -> None:
    """Wait until the run that was asked for last is over, on the server that answers now."""
    page.wait_for_function(IS_STILL)


def press(target: Locator) -> None:
    """Click on a page that is still, and wait until the run that follows is over.

    Before that, what the run draws at another place is there twice.
    """
    wait_until_still(target.page)
    target.click()
    wait_until_still(target.page)


def wait_until_steady(page: Page) -> None:
    """Wait until nothing fades any more: what is drawn anew is faint for a moment."""
    wait_until_still(page)
    page.wait_for_function(
        "[...document.querySelectorAll('[data-testid=stElementContainer]')]"
        ".every(part => part.dataset.stale !== 'true' && getComputedStyle(part).opacity === '1')"
    )


def drop(zone: Page | Locator, files: Any) -> None:
    """Choose files in a drop zone of a page that is still: a run may draw the zone anew.

    Its field has a label once its script listens.
    """
    field = zone.locator("input[type=file][aria-label]")
    expect(field).to_be_attached()
    wait_until_still(field.page)
    field.set_input_files(files)


def find_table(page: Page, key: str = "rows_table") -> Locator:
    """Return a table by its key, once it has cells and takes clicks."""
    table = page.locator(f".st-key-{key} [data-testid=stDataFrame]")
    expect(table.locator("[role=gridcell]").first).to_be_attached()
    return table


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
    press(page.get_by_role("tab", name=name))


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
