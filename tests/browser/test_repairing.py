"""Addresses fixed in a real browser: by keys, one left alone, the new project, and undone."""

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import find_table, open_options, press, save_download, wait_until_still
from tests.browser.test_journeys import start, upload, wait_for_project
from tests.server import Server

pytestmark = pytest.mark.browser

EMAILS = (
    *("Ana <ana@gmail.com>", "bo @gmail.com", "cleo@gmail,com", "a@b.de; c@d.de"),
    *("dora@gmial.com", "fine@gmail.com", "no address"),
)


def write_messy(path: Path, repeats: int = 12) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = [
            (number * len(EMAILS) + place, re.sub(r"\b(\w+)( ?)@", rf"\g<1>{number}\2@", email))
            for number in range(repeats)
            for place, email in enumerate(EMAILS)
        ]
        csv.writer(file).writerows([("id", "email"), *rows])


def test_addresses_are_fixed_and_the_fixing_undone(page: Page, server: Server, tmp_path: Path):
    source = tmp_path / "export.csv"
    write_messy(source)
    upload(page, server, source)
    before = start(page)
    wait_for_project(page)
    page.get_by_role("button", name="Show them").focus()
    page.keyboard.press("Enter")
    wait_until_still(page)
    table = find_table(page, "repairs")
    expect(page.get_by_role("button", name="Correct 36 addresses")).to_be_visible()
    misspelt = page.get_by_role("button", name=re.compile("likely: a misspelt domain"))
    misspelt.focus()
    page.keyboard.press("Space")
    wait_until_still(page)
    expect(page.get_by_role("button", name="Correct 48 addresses")).to_be_visible()
    table.click(position={"x": 20, "y": 50})  # beside the box of the first row
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Correct 47 addresses")).to_be_visible()
    assert "ana0" not in page.url
    press(page.get_by_role("button", name="Correct 47 addresses"))
    expect(page.get_by_text("Made from export with 47 repairs.")).to_be_visible()
    wait_for_project(page)
    checked, _ = save_whole(page, tmp_path / "checked")
    with checked.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {row["email_original"]: row["email"] for row in rows}
    assert found["Ana <ana0@gmail.com>"] == "Ana <ana0@gmail.com>"
    assert found["Ana <ana1@gmail.com>"] == "ana1@gmail.com"
    assert found["dora2@gmial.com"] == "dora2@gmail.com"
    assert found["a3@b.de; c3@d.de"] == "a3@b.de; c3@d.de"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Undo the repairs").click()
    expect(page).to_have_url(re.compile(before))
    expect(page.get_by_role("button", name="Correct 36 addresses")).to_be_visible()


def save_whole(page: Page, path: Path) -> tuple[Path, str]:
    open_options(page)
    return save_download(page, path, "Whole list")
