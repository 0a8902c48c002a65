"""Named policies and bad addresses by a column, by mouse and keyboard in a real browser."""

import random
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import open_options, open_tab, wait_until_still
from tests.browser.test_gallery import list_barriers
from tests.browser.test_journeys import start, upload, wait_for_project
from tests.server import Server

pytestmark = pytest.mark.browser


def write_sources(path: Path, rows: int = 3_000) -> None:
    """Write a list whose "Paid Social" brought most of its disposable addresses."""
    draw = random.Random(11)  # a list, not a secret
    lines = ["email,country,source"]
    for number in range(rows):
        source = draw.choices(["Paid Social", "Organic", "Trade fair"], [1, 7, 2])[0]
        is_bad = draw.random() < (0.35 if source == "Paid Social" else 0.02)
        free = draw.choice(["gmail.com", "gmx.de"])
        domain = "mailinator.com" if is_bad else draw.choice([free, "siemens.com"])
        country = draw.choice(["DE", "AT", "CH", "FR"])
        lines.append(f"u{number}@{domain},{country},{source}")
    path.write_text("\r\n".join(lines), encoding="utf-8")


def pick(page: Page, label: str, option: str) -> None:
    """Choose in a list by keys alone."""
    box = page.get_by_role("combobox", name=label)
    box.scroll_into_view_if_needed()
    box.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.type(option)
    expect(page.get_by_test_id("stSelectboxVirtualDropdown").get_by_text(option)).to_be_visible()
    page.keyboard.press("Enter")


def test_policies_and_sources(page: Page, server: Server, tmp_path: Path):
    source = tmp_path / "leads.csv"
    write_sources(source)
    upload(page, server, source)
    start(page)
    wait_for_project(page)
    wait_until_still(page)

    open_tab(page, "Breakdown")
    pick(page, "Show also", "Bad addresses by source")
    table = page.get_by_role("region", name="Rows to remove by source")
    table.scroll_into_view_if_needed()
    assert list_barriers(page) == []
    expect(table).to_be_in_viewport()

    open_options(page, "Rows to leave out")
    pick(page, "Policy", "B2B outreach")
    expect(page).to_have_url(re.compile("free"))
    wait_until_still(page)
    panel = page.get_by_test_id("stPopoverBody")
    expect(panel.get_by_text("public mailbox provider")).to_be_attached()
    open_options(page, "Columns")
    panel.get_by_text("Add the reason as a column").click()
    expect(page).not_to_have_url(re.compile("with=reason"))
    wait_until_still(page)
    open_options(page, "Rows to leave out")
    name = page.get_by_role("textbox", name="Name")
    name.fill("Autumn campaign")
    name.press("Tab")
    wait_until_still(page)
    page.get_by_role("button", name="Save as a new policy").click()
    wait_until_still(page)
    page.keyboard.press("Escape")
    page.reload()
    wait_until_still(page)
    open_options(page, "Rows to leave out")
    policy = panel.get_by_role("combobox", name="Policy")
    expect(policy).to_have_value("Autumn campaign")

    page.keyboard.press("Escape")
    open_tab(page, "Breakdown")
    pick(page, "Show also", "Compare policies")
    expect(page.get_by_role("region", name="What each policy keeps and leaves out")).to_be_visible()
