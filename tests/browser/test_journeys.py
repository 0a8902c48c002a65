"""What an analyst does, in a real browser, on a real server."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import check, drop, open_page, wait_until_still
from tests.made_lists.oracle import Expected
from tests.made_lists.oracle import expect as expect_list
from tests.server import Server
from winnow.core.judging.judge import Judge
from winnow.domain_data.look_up.look_up import Knowledge

pytestmark = pytest.mark.browser


def upload(page: Page, server: Server, path: Path) -> None:
    """Drop a list on the page Clean a list and wait until it is understood."""
    page.goto(f"{server.url}/clean")
    drop(page, path)
    expect(page.get_by_role("button", name=re.compile("^Clean ", re.I)).last).to_be_enabled()
    wait_until_still(page)


def start(page: Page) -> str:
    """Press the one button; return the task's id."""
    page.get_by_role("button", name=re.compile(r"^Clean [\d,]+ row|^Clean about")).click()
    page.wait_for_url(re.compile(r"/project\?task="))
    match = re.search(r"task=([0-9a-f-]{36})", page.url)
    assert match is not None
    return match[1]


def clean(browser: Browser, server: Server, path: Path) -> str:
    """Clean a list in a browser session of its own; return its project's address."""
    with open_page(browser) as page:
        upload(page, server, path)
        return f"{server.url}/project?task={start(page)}"


def wait_for_project(page: Page) -> None:
    """Wait for the finished project's sum and rows."""
    expect(page.locator(".st-key-result_sum")).to_be_visible()
    wait_until_still(page)


def expect_of(path: Path, knowledge: Knowledge) -> Expected:
    return expect_list(path, Judge(knowledge))


def go_to_table(page: Page) -> None:
    """Press Tab until the keys belong to a table."""
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.testid") == "data-grid-canvas":
            return
    raise AssertionError("no table is reached by Tab")


def test_the_field_of_check_has_the_focus_on_each_visit(page: Page, server: Server):
    page.goto(server.url)
    expect(page.get_by_role("textbox").first).to_be_focused()
    for name in ("Clean", "Check"):
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text(name)
    expect(page.locator(".st-key-check_field textarea")).to_be_focused()


def test_a_pasted_header_is_looked_into_by_keys_alone(page: Page, server: Server):
    pasted = "To: Ana <ana@gmial.com>, Bo <bo@mailinator.com>; carla@gmail.com"
    field = check(page, server, pasted)
    expect(page.get_by_text("3 addresses: 1 ✓ keep, 1 ◐ review, 1 ✕ remove")).to_be_visible()
    expect(field).to_be_focused()
    expect(page.locator(".st-key-checked_table [role=gridcell]").nth(3)).to_be_attached()
    go_to_table(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+Space")
    drawer = page.get_by_role("dialog")
    expect(drawer.get_by_text("bo@mailinator.com")).to_be_visible()
    expect(drawer.get_by_text("disposable-email-domains").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(drawer).not_to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_test_id("stDownloadButton").get_by_role("button").click()
    assert waiting.value.path().read_bytes().count(b"\r\n") == 4
