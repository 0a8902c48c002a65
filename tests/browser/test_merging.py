"""Several files dropped at once become one list, in a real browser."""

import re
from datetime import date
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import save_download, wait_until_steady
from tests.browser.test_gallery import find_overflow, list_barriers
from tests.server import Server

pytestmark = pytest.mark.browser


def write_files(folder: Path) -> list[Path]:
    january, february, fair = (folder / name for name in ("jan.csv", "feb.csv", "fair.xlsx"))
    rows = "".join(f"{n:03},a{n}@firma.de,Ana\n" for n in range(30))
    january.write_text(f"id,email,Name\n{rows}", encoding="utf-8")
    rows = "".join(f"A{n}@firma.de;Jürgen\n" for n in range(10))
    february.write_bytes(f"E-Mail;name\n{rows}".encode("cp1252"))
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Email Address", "Since"])
    for number in range(8):
        sheet.append([f"c{number}@mailinator.com", date(2026, 1, 1 + number)])
    book.save(fair)
    (folder / "open.csv").write_text('email,n\n"a@x.de,1\n', encoding="utf-8")
    return [january, february, fair, folder / "open.csv"]


def find_row(page: Page, name: str) -> Locator:
    return page.locator("[class*=st-key-merge_row_]").filter(has_text=name)


def test_files_become_one_list(page: Page, server: Server, tmp_path: Path) -> None:
    page.goto(f"{server.url}/clean")
    page.locator("input[type=file]").set_input_files(write_files(tmp_path))
    expect(page.get_by_text("4 lists are not cleaned yet")).to_be_visible()
    expect(page.get_by_text("Drop one list or several here")).to_be_visible()
    page.get_by_role("radio", name="One list").click()
    expect(find_row(page, "open.csv")).to_contain_text("It is left out of the merged list.")
    expect(page.get_by_role("button", name="Merge 3 files")).to_be_enabled()
    wait_until_steady(page)
    assert list_barriers(page) == []
    page.set_viewport_size({"width": 390, "height": 860})
    wait_until_steady(page)
    assert find_overflow(page) == 0
    page.set_viewport_size({"width": 1280, "height": 900})
    find_row(page, "fair.xlsx").get_by_role("button", name="Up").click()
    expect(page.locator("[class*=st-key-merge_row_]").nth(1)).to_contain_text("fair.xlsx")
    wait_until_steady(page)
    page.get_by_role("button", name="Merge 3 files").click()
    page.wait_for_url(re.compile("upload="))
    told = "Merged from 3 files, in this order: jan.csv (30 rows), fair.xlsx (8 rows), feb.csv (10"
    expect(page.get_by_text(told)).to_be_visible()
    page.get_by_role("button", name="Clean 48 rows").click()
    page.wait_for_url(re.compile("task="))
    expect(page.get_by_text(told)).to_be_visible()
    path, name = save_download(page, tmp_path / "result.csv", "Download")
    assert name == "jan and 2 more-cleaned.csv"
    found = pd.read_csv(path, dtype=str, keep_default_na=False)
    assert list(found.columns[:5]) == ["id", "email", "Name", "Since", "source_file"]
    assert found["source_file"].value_counts().to_dict() == {"jan.csv": 20, "feb.csv": 10}
    page.goto(f"{server.url}/clean")
    expect(page.get_by_text("open.csv")).to_be_visible()
    expect(page.get_by_text("jan.csv")).to_have_count(0)
