"""Who may be mailed, decided in a real browser, and the file that follows."""

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import drop, open_page, press, save_download, wait_until_still
from tests.browser.test_journeys import wait_for_project
from tests.server import Server

pytestmark = pytest.mark.browser

STATUSES = ("Subscribed",) * 6 + ("Unsubscribed",) * 3 + ("Gold 2",) * 2


def test_an_unknown_value_is_decided_and_the_download_follows(
    page: Page, server: Server, tmp_path: Path
) -> None:
    rows = [f"person{number}@gmx.de,{status}" for number, status in enumerate(STATUSES)]
    source = tmp_path / "letter.csv"
    source.write_text("\r\n".join(["email,Status", *rows, ""]))
    page.goto(f"{server.url}/clean")
    drop(page, source)
    marked = page.locator("[class*=st-key-mail_mail_open_]")
    expect(marked).to_contain_text("Gold 2")
    wait_until_still(page)
    press(marked.get_by_text("do not mail"))
    expect(marked).to_have_count(0)
    expect(page.locator(".st-key-health")).to_contain_text(re.compile("do not mail\\s*5"))
    name = page.get_by_label("Project name")
    name.fill("Spring letter")
    name.press("Enter")
    wait_until_still(page)
    review = page.url
    assert not re.search("gold|spring", review, re.IGNORECASE)
    page.reload()
    expect(name).to_have_value("Spring letter")
    expect(page.locator(".st-key-health")).to_contain_text(re.compile("do not mail\\s*5"))
    page.get_by_role("button", name="Clean 11 rows").click()
    page.wait_for_url("**/project**")
    wait_for_project(page)
    expect(page.get_by_role("heading", name="Spring letter")).to_be_visible()
    page.goto(review)
    press(page.get_by_role("link", name="This list was cleaned: open Spring letter"))
    page.wait_for_url("**/project**")
    expect(page.get_by_text("5 do not mail").first).to_be_visible()
    sent, _ = save_download(page, tmp_path / "cleaned", "Download 6 rows")
    assert {row["Status"] for row in csv.DictReader(sent.read_text().splitlines())} == {
        "Subscribed"
    }


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_choice_of_who_decides_is_cut_on_a_phone(
    browser: Browser, server: Server, tmp_path: Path, language: str
) -> None:
    source = tmp_path / "both.csv"
    rows = ("email,Status,Changed", "a@gmx.de,Subscribed,2026-01-01", "a@gmx.de,Unsubscribed,")
    source.write_text("\r\n".join([*rows, ""]))
    phone = {"width": 390, "height": 844}
    with open_page(browser, viewport=phone, locale=language) as page:
        page.goto(f"{server.url}/clean")
        drop(page, source)
        page.wait_for_url("**upload=**")
        wait_until_still(page)
        page.goto(f"{page.url}&keep=newest&date=3")
        choices = page.locator(".st-key-torn").get_by_role("radio")
        expect(choices).to_have_count(3)
        wait_until_still(page)
        for choice in choices.all():
            place = choice.bounding_box()
            assert place is not None
            assert place["x"] + place["width"] <= phone["width"]
