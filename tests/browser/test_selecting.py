"""Rows filtered, ticked over pages and downloaded, by mouse and by keys; a platform's file."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import wait_until_steady
from tests.browser.test_journeys import start, upload, wait_for_charts
from tests.made_lists.make_lists import write_csv
from tests.server import Server

pytestmark = pytest.mark.browser

ROW_PX, HEAD_PX = 33, 35


@pytest.fixture(scope="module")
def project(
    browser: Browser, server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    context = browser.new_context()
    page = context.new_page()
    source = tmp_path_factory.mktemp("lists") / "spring.csv"
    write_csv(source, 1_000)
    upload(page, server, source)
    yield f"{server.url}/project?task={start(page)}"
    context.close()


@pytest.fixture
def shown(page: Page, project: str) -> Page:
    page.goto(project)
    wait_for_charts(page)
    deselect = page.get_by_role("button", name="Deselect all")
    if deselect.count():  # what the test before has ticked outlived its page
        deselect.click()
        expect(deselect).to_be_hidden()
    return page


def tick(page: Page, row: int) -> None:
    table = page.locator(".st-key-rows_table [data-testid=stDataFrame]")
    table.click(position={"x": 16, "y": HEAD_PX + ROW_PX * row + ROW_PX // 2})


def expect_link(page: Page, words: str) -> None:
    expect(page.locator(".st-key-rows_download")).to_contain_text(words)
    wait_until_steady(page)


def show_removed(page: Page) -> int:
    """Filter by the verdict remove; return how many rows that are."""
    pill = page.locator(".st-key-filter_category").get_by_text(re.compile("remove [0-9]+"))
    match = re.search("[0-9]+", pill.inner_text())
    assert match is not None
    pill.click()
    expect(page.get_by_role("button", name=f"Select all {match[0]} rows")).to_be_visible()
    wait_until_steady(page)
    return int(match[0])


def go_to_page(page: Page, number: int) -> None:
    page.get_by_role("button", name=f"Page {number}", exact=True).click()
    caption = f"Rows {50 * (number - 1) + 1} to"
    expect(page.get_by_text(caption)).to_be_visible()
    wait_until_steady(page)


def save(page: Page, name: re.Pattern[str], path: Path) -> tuple[str, list[list[str]]]:
    with page.expect_download() as waiting:
        page.get_by_role("link", name=name).first.click()
    waiting.value.save_as(path)
    text = path.read_text(encoding="utf-8-sig")
    delimiter = ";" if ";" in text.splitlines()[0] else ","
    return waiting.value.suggested_filename, list(
        csv.reader(text.splitlines(), delimiter=delimiter)
    )


def test_rows_ticked_on_several_pages_are_one_file(shown: Page, tmp_path: Path) -> None:
    page = shown
    tick(page, 0)
    expect_link(page, "Download the 1 selected row")
    tick(page, 2)
    expect_link(page, "Download the 2 selected rows")
    go_to_page(page, 2)
    tick(page, 1)
    expect_link(page, "Download the 3 selected rows")
    go_to_page(page, 1)
    tick(page, 0)  # it is still ticked, and a click takes it away
    expect_link(page, "Download the 2 selected rows")
    show_removed(page)
    expect_link(page, "Download the 2 selected rows")
    name, found = save(page, re.compile("selected rows"), tmp_path / "file.csv")
    assert name == "spring-selection.csv"
    assert len(found) == 3


def test_what_is_ticked_outlives_a_reload(shown: Page) -> None:
    page = shown
    tick(page, 1)
    expect_link(page, "Download the 1 selected row")
    page.reload()
    wait_for_charts(page)
    expect_link(page, "Download the 1 selected row")


def test_all_that_match_can_be_ticked_and_some_unticked(shown: Page, tmp_path: Path) -> None:
    page = shown
    count = show_removed(page)
    page.get_by_role("button", name=f"Select all {count} rows").click()
    expect_link(page, f"Download the {count} selected rows")
    tick(page, 1)
    expect_link(page, f"Download the {count - 1} selected rows")
    page.get_by_role("button", name="Clear all filters").click()
    expect_link(page, f"Download the {count - 1} selected rows")
    _, found = save(page, re.compile("selected rows"), tmp_path / "file.csv")
    assert [row[found[0].index("category")] for row in found[1:]] == ["black"] * (count - 1)
    page.get_by_role("button", name="Deselect all").click()
    expect_link(page, "Download these")


def test_rows_are_ticked_and_downloaded_by_keys(shown: Page, tmp_path: Path) -> None:
    page = shown
    page.get_by_role("button", name=re.compile("^Select all")).focus()
    for _ in range(5):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.testid") == "data-grid-canvas":
            break
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+Space")
    expect_link(page, "Download the 1 selected row")
    link = page.get_by_role("link", name=re.compile("the 1 selected row"))
    link.focus()
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == "spring-selection.csv"


def test_a_platforms_file_is_two_clicks_away(shown: Page, tmp_path: Path) -> None:
    page = shown
    page.get_by_role("radio", name="Klaviyo").click()
    name, found = save(page, re.compile("^Download .* rows for Klaviyo"), tmp_path / "file.csv")
    assert name == "spring-klaviyo.csv"
    assert found[0] == ["Email", "First Name", "Last Name", "Organization", "City", "Zip Code"]
    expect(page.get_by_text("Lists & segments, your list, Upload contacts.")).to_be_visible()
    name, gone = save(page, re.compile("^Suppression file for Klaviyo"), tmp_path / "gone.csv")
    assert gone[0] == ["Email"]
    assert not {row[0] for row in found} & {row[0] for row in gone[1:]}
    page.get_by_role("button", name="What is in the file").click()
    expect(page.get_by_text("Left out: Kd-Nr, Umsatz, Kunde seit, Notiz")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="For a mail platform").click()
    menu = page.get_by_test_id("stPopoverBody")
    expect(menu.get_by_role("radio", name="Klaviyo")).to_be_checked()  # it is remembered
    menu.get_by_text("Suppression", exact=True).click()
    expect(page.get_by_text("Profiles, Suppressed Profiles, Upload File.")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("radio", name="CSV like yours").click()
    expect(page.get_by_role("link", name=re.compile("^.*Cleaned list: "))).to_be_visible()
