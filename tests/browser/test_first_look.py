"""What only a browser shows of a result: the tab, the clock, and no export of one page only."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import WAIT_MILLISECONDS, wait_until_still
from tests.browser.test_journeys import start, upload, wait_for_project
from tests.made_lists.make_lists import write_csv
from tests.server import Server

pytestmark = pytest.mark.browser


def test_a_result_at_first_look(browser: Browser, server: Server, tmp_path: Path):
    context = browser.new_context(timezone_id="Asia/Kolkata")
    context.set_default_timeout(WAIT_MILLISECONDS)
    page = context.new_page()
    try:
        page.goto(f"{server.url}/projects")
        expect(page).to_have_title("Projects · Winnow")
        upload(page, server, write_csv(tmp_path / "spring.csv", 500))
        start(page)
        wait_for_project(page)
        expect(page).to_have_title("spring · Winnow")
        expect(page.get_by_text(re.compile(r"Submitted .*, \d\d:\d\d"))).to_be_visible()

        table = page.locator(".st-key-rows_table")
        table.hover()
        wait_until_still(page)
        expect(table.locator('button[aria-label^="Show/hide columns"]')).to_be_attached()
        for tool in ("Download as CSV", "Search"):
            attached = table.locator(f'button[aria-label^="{tool}"]')
            expect(attached).to_have_count(1)  # else the style sheet hides nothing any more
            expect(attached).to_be_hidden()
    finally:
        context.close()
