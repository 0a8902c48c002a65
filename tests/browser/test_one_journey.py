"""The way through the desk in a real browser: drop a list, clean it, download it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import open_options, press, save_download
from tests.browser.test_journeys import expect_of, start, upload, wait_for_project
from tests.made_lists.make_lists import write_csv
from tests.made_lists.oracle import read_table
from tests.server import Server
from winnow.domain_data.look_up.look_up import Knowledge

pytestmark = pytest.mark.browser

ROWS = 3_000


def test_a_list_is_dropped_cleaned_filtered_and_downloaded(
    page: Page, server: Server, tmp_path: Path, knowledge: Knowledge
):
    source = tmp_path / "Kunden März.csv"
    write_csv(source, ROWS)
    expected = expect_of(source, knowledge)
    black = expected.by_category["black"]
    upload(page, server, source)
    expect(page.get_by_text("CSV with semicolons")).to_be_visible()
    start(page)
    wait_for_project(page)
    expect(page).to_have_title("Kunden März · Winnow")
    expect(page.get_by_text(re.compile(r"^Submitted .*, \d\d:\d\d$"))).to_be_visible()  # not UTC
    kept = expected.rows_out - black
    minus = "\N{MINUS SIGN}"
    expect(page.locator(".st-key-result_sum")).to_contain_text(
        f"{expected.rows_in:,} {minus} {expected.duplicates_removed:,} duplicates "
        f"{minus} {black:,} remove = {kept:,}"
    )
    pill = page.locator(".st-key-filter_action").get_by_text(re.compile("remove [0-9]+"))
    for shown in (f"{black:,} of {expected.rows_out:,} rows", f"All {expected.rows_out:,} rows"):
        press(pill)
        expect(page.locator(".st-key-active_filters")).to_contain_text(shown)

    table = page.locator(".st-key-rows_table")
    table.hover()
    expect(table.locator('button[aria-label^="Show/hide columns"]')).to_be_attached()
    for tool in ("Download as CSV", "Search"):
        attached = table.locator(f'button[aria-label^="{tool}"]')
        expect(attached).to_have_count(1)  # else the style sheet hides nothing any more
        expect(attached).to_be_hidden()

    cleaned, name = save_download(page, tmp_path / "cleaned", "Download")
    assert name == "Kunden März-cleaned.csv"
    assert read_table(cleaned) == [row for row in expected.table if row[-2] != "black"]

    open_options(page)
    whole, name = save_download(page, tmp_path / "whole", "Whole list with category")
    assert name == "Kunden März-checked.csv"
    assert read_table(whole) == expected.table
