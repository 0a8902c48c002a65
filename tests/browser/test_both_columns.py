"""Both addresses of each row checked in a real browser: chosen, downloaded, read by pandas."""

import re
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import save_download, wait_until_steady
from tests.browser.test_duplicates import choose
from tests.browser.test_gallery import find_overflow, list_barriers
from tests.browser.test_journeys import start
from tests.server import Server

pytestmark = pytest.mark.browser

ROWS = [
    ("1", "ana@gmail.com", "ana@mailinator.com"),
    ("2", "bo@mailinator.com", "bo@gmail.com"),
    ("3", "", "cy@gmail.com"),
    ("4", "di @gmail", "di@gmial.com"),
    ("5", "ed@mailinator.com", "not an address"),
    ("6", "fay@mailinator.com", "Bo@gmail.com"),
    ("7", "", ""),
]
USED = ["ana@gmail.com", "cy@gmail.com", "di@gmial.com", "ed@mailinator.com", "Bo@gmail.com", ""]
CATEGORIES = ["white", "white", "grey", "black", "white", "black"]


def test_a_row_gets_the_better_of_two_addresses(page: Page, server: Server, tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    pd.DataFrame(ROWS, columns=["id", "email", "email_2"]).to_csv(source, index=False)
    page.goto(f"{server.url}/clean")
    page.locator("input[type=file]").set_input_files(source)
    page.locator(".st-key-which_column").get_by_role("button", name="email", exact=True).click()
    expect(page.get_by_text("email_2 holds addresses too.")).to_be_visible()
    choose(page, "Second email column (optional)", "email_2")
    expect(page.get_by_text("A wrong address in email is not skipped.")).to_be_visible()
    choose(page, "Which address counts", "The better")
    expect(page.get_by_text("email and email_2, the better of the two")).to_be_visible()
    expect(page.get_by_text("stays if either can stay")).to_be_visible()
    expect(page).to_have_url(re.compile("both=yes"))
    expect(page.get_by_text("1 duplicate will be removed. 6 rows are left.")).to_be_visible()
    page.reload()  # the choice stands in the address
    expect(page.get_by_text("stays if either can stay")).to_be_visible()
    wait_until_steady(page)
    assert not list_barriers(page)
    page.set_viewport_size({"width": 390, "height": 900})
    wait_until_steady(page)
    assert find_overflow(page) == 0
    page.set_viewport_size({"width": 1440, "height": 900})
    wait_until_steady(page)
    start(page)
    link = page.get_by_role("link", name=re.compile("Cleaned list")).first
    expect(link).to_be_visible(timeout=90_000)
    page.get_by_role("tab", name="Notes about the file").click()
    expect(page.get_by_text("were both checked").first).to_be_visible()
    cleaned, _ = save_download(page, tmp_path / "cleaned", "Cleaned list: ")
    frame = pd.read_csv(cleaned, keep_default_na=False)
    kept = [place for place, category in enumerate(CATEGORIES) if category != "black"]
    assert frame["email_used"].tolist() == [USED[place] for place in kept]
    assert list(frame.columns[3:]) == [
        *("email_used", "email_category", "email_2_category", "category", "domain_type")
    ]
    page.get_by_role("button", name="Other files").click()
    whole, _ = save_download(page, tmp_path / "whole", "Whole list")
    frame = pd.read_csv(whole, keep_default_na=False)
    assert frame["email_used"].tolist() == USED
    assert frame["category"].tolist() == CATEGORIES
    assert frame["email_category"].tolist() == ["white", "", "black", "black", "black", ""]
    assert frame["email_2_category"].tolist() == ["black", "white", "grey", "black", "white", ""]
