"""What was understood of a list, and what is changed about it, in a real browser."""

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import open_options, save_download, wait_until_still
from tests.browser.test_journeys import start, upload
from tests.server import Server

pytestmark = pytest.mark.browser

TITLE = "Subscribers\nmade 2026-11-01\n\n"
ROWS = "".join(f"Ana {row},ana{row}@gmail.com\n" for row in range(9))


def test_another_row_is_made_the_header(page: Page, server: Server, tmp_path: Path):
    source = tmp_path / "titled.csv"
    source.write_text(f"{TITLE}First name,Contact\nname,e-mail\n{ROWS}")
    upload(page, server, source)
    said = page.locator(".w-understood").first
    expect(said).to_contain_text("9 rows, header in row 5, email column: e-mail")
    page.get_by_role("button", name="Change how it is read").click()
    row = page.get_by_role("spinbutton", name="The header is in row")
    row.fill("4")
    row.press("Enter")
    expect(said).to_contain_text("10 rows, header in row 4, email column: Contact")
    expect(page).to_have_url(re.compile("row=4"))
    page.reload()
    wait_until_still(page)
    expect(said).to_contain_text("header in row 4")
    start(page)
    link = page.locator(".st-key-download_cleaned a").first
    expect(link).to_be_visible(timeout=90_000)
    path, _ = save_download(page, tmp_path / "cleaned", "Download")
    text = path.read_text()
    assert text.startswith(TITLE)
    rows = list(csv.reader(text.removeprefix(TITLE).splitlines()))
    assert rows[0] == ["First name", "Contact", "category", "domain_type"]
    assert [row[:2] for row in rows[1:]] == list(csv.reader(ROWS.splitlines()))
    open_options(page)
    path, _ = save_download(page, tmp_path / "checked", "Whole list")
    assert path.read_text().startswith(f"{TITLE}First name,Contact,category,domain_type\nname,")
