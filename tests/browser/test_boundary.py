"""Addresses that are no page, answers that are missing, and a page after a restart."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import wait_until_steady, wait_until_still
from tests.server import Server, start_server

pytestmark = pytest.mark.browser


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


def test_a_page_comes_back_by_itself_after_a_restart(page: Page, data_dir: Path) -> None:
    left = start_server(data_dir)
    page.goto(f"{left.url}/rules")
    expect(page.get_by_text("Domain lists")).to_be_visible()
    wait_until_steady(page)
    left.kill()
    expect(page.get_by_text("Streamlit server is not responding")).to_be_visible()
    server = start_server(left.data_dir, port=left.port)
    try:
        expect(page.get_by_role("dialog")).to_have_count(0)
        wait_until_still(page)
        page.get_by_label("Domain or address").fill("a.example")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.locator(".st-key-own_notice")).to_contain_text("a.example is")
    finally:
        server.stop()
