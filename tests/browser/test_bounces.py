"""Bounces dropped on the page of your lists, and where they show, in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import check, drop, open_options, press
from tests.browser.test_journeys import start, upload, wait_for_project
from tests.server import Server

pytestmark = pytest.mark.browser


def write_list(path: Path) -> Path:
    rows = [f"{number},person{number}@firma{number % 7}.de" for number in range(400)]
    path.write_text("\n".join(["id,email", *rows, "400,x@mailinator.com"]), encoding="utf-8")
    return path


def write_bounces(path: Path) -> Path:
    hard = [f"person{number}@firma{number % 7}.de" for number in range(0, 40, 2)]
    rows = [f"{address},Hard,May,2026-05-03" for address in [*hard, "x@mailinator.com"]]
    rows += [f"person{number}@firma{number % 7}.de,Soft,May,2026-05-04" for number in (41, 43)]
    path.write_text("\n".join(["Email,Bounce Type,Campaign Name,Timestamp", *rows]), "utf-8")
    return path


def test_bounces_show_on_checks_and_rows_and_may_go(
    page: Page, server: Server, tmp_path: Path
) -> None:
    page.goto(f"{server.url}/rules?tab=bounces")
    other = tmp_path / "names.csv"
    other.write_text("email,name\nana@x.de,Ana\n", encoding="utf-8")
    drop(page.locator(".st-key-bounce_zone"), [other, write_bounces(tmp_path / "klaviyo.csv")])
    expect(page.get_by_text("21 hard bounces, 2 soft bounces.")).to_be_visible()
    expect(page.get_by_text("names.csv: No column of this file says whether")).to_be_visible()
    check(page, server, "PERSON2@firma2.de")
    expect(page.get_by_text("your bounce file klaviyo.csv")).to_be_visible()
    upload(page, server, write_list(tmp_path / "list.csv"))
    start(page)
    wait_for_project(page)
    expect(page.locator(".st-key-result_sum")).to_contain_text("= 380")
    expect(page.locator(".w-legend")).to_contain_text("bounced 20")
    open_options(page, "Rows to leave out")
    reasons = page.locator(".st-key-lost_by_reason [role=gridcell]")
    expect(reasons.filter(has_text="hard bounce")).to_be_attached()
    page.goto(f"{server.url}/rules?tab=bounces")
    press(page.get_by_role("button", name="Delete"))
    expect(page.get_by_text("Drop bounce files here")).to_be_visible()


def test_the_import_stays_open_while_an_entry_is_refused(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/rules")
    page.get_by_text("Import or export").click()
    offered = page.get_by_text("Drop files with addresses or domains here")
    expect(offered).to_be_visible()
    page.get_by_label("Domain or address").fill("not a name")
    press(page.get_by_role("button", name="Add", exact=True))
    expect(page.get_by_test_id("stAlert").first).to_contain_text("The entry")
    expect(offered).to_be_visible()
