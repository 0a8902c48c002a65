"""Duplicates and a second email column in a real browser, by keyboard and by mouse."""

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import save_download, wait_until_steady
from tests.browser.test_journeys import start
from tests.server import Server

pytestmark = pytest.mark.browser

LIST = (
    "Id;Work;Private;Signed up\n"
    "1;ana@gmail.com;;3.4.2024\n"
    "2;;bo@gmail.com;31.1.2024\n"
    "3;Ana@gmail.com;;5.2.2024\n"
    "4;cy@gmail.com;;\n"
    "5;;Bo@gmail.com;1.1.2024\n"
    "6;di@gmail.com;;\n"
    "7;ed@gmail.com;;\n"
)


def choose(page: Page, name: str, words: str) -> None:
    """Choose an entry of a list by the keyboard alone."""
    box = page.get_by_role("combobox", name=name)
    box.focus()
    box.press("ArrowDown")
    box.press_sequentially(words)
    box.press("Enter")
    wait_until_steady(page)


def test_the_newest_row_of_two_columns_stays(page: Page, server: Server, tmp_path: Path) -> None:
    source = tmp_path / "fair.csv"
    source.write_text(LIST)
    page.goto(f"{server.url}/clean")
    page.locator("input[type=file]").set_input_files(source)
    page.locator(".st-key-which_column").get_by_role("button", name="Work").click()
    expect(page.get_by_text("Private holds addresses too.")).to_be_visible()
    expect(page.get_by_text("What to expect")).to_be_visible()
    wait_until_steady(page)
    choose(page, "Second email column (optional)", "Private")
    expect(page.get_by_text("email column: Work, or Private where it is empty")).to_be_visible()
    expect(page).to_have_url(re.compile("second=3"))
    expect(page.get_by_text("2 duplicates will be removed. 5 rows are left.")).to_be_visible()
    choose(page, "Which row of each address stays", "The newest")
    expect(page.get_by_role("combobox", name="Date column")).to_have_value("Signed up")
    page.locator(".st-key-look_duplicates").get_by_text("Show some duplicates").click()
    expect(page.get_by_text("2 addresses appear more than once.")).to_be_visible()
    expect(page.locator(".st-key-duplicates").get_by_test_id("stDataFrame")).to_be_visible()
    start(page)
    link = page.locator(".st-key-download_cleaned a").first
    expect(link).to_be_visible(timeout=90_000)
    cleaned, _ = save_download(page, tmp_path / "cleaned", "Download")
    with cleaned.open(newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))
    assert [row[0] for row in rows] == ["Id", "1", "2", "4", "6", "7"]
    assert rows[0][4:] == ["email_used", "category", "domain_type"]
    assert [row[4] for row in rows[1:3]] == ["ana@gmail.com", "bo@gmail.com"]
