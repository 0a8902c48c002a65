"""Do-not-mail files dropped on a list and on its project, in a real browser."""

import csv
import io
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import (
    open_options,
    save_download,
)
from tests.browser.test_journeys import start, upload, wait_for_project
from tests.server import Server

pytestmark = pytest.mark.browser


def write_list(path: Path) -> Path:
    rows = [f"{number},person{number}@firma{number % 7}.de" for number in range(400)]
    path.write_text("\n".join(["id,email", *rows, "400,x@mailinator.com"]), encoding="utf-8")
    return path


def write_mailchimp(path: Path) -> Path:
    head = "Email Address,First Name,UNSUB_TIME\n"
    with zipfile.ZipFile(path, "w") as archive:
        for name, numbers in (("subscribed", (1, 2)), ("unsubscribed", (3, 4)), ("cleaned", (5,))):
            rows = "".join(f"PERSON{n}@firma{n}.de,Ana,2026-05-03 10:00:00\n" for n in numbers)
            archive.writestr(f"{name}_email_audience_export_a1b2.csv", head + rows)
    return path


def add_file(page: Page, path: Path) -> None:
    panel = page.locator(".st-key-do_not_mail")
    panel.locator("input[type=file]").set_input_files(path)


def test_files_count_before_and_after_the_cleaning(
    page: Page, server: Server, tmp_path: Path
) -> None:
    source = write_list(tmp_path / "list.csv")
    upload(page, server, source)
    add_file(page, write_mailchimp(tmp_path / "audience.zip"))
    panel = page.locator(".st-key-do_not_mail")
    expect(panel.get_by_text("It has 3 addresses.")).to_be_visible()
    expect(panel.get_by_text("subscribed_email_audience_export_a1b2.csv lists")).to_be_visible()
    page.reload()
    expect(panel.get_by_text("1 do-not-mail file")).to_be_visible()
    start(page)
    wait_for_project(page)
    expect(page.get_by_text("3 rows on your do-not-mail files: left out.")).to_be_visible()
    rules = tmp_path / "rules.txt"
    open_options(page, "Rows to leave out")
    rules.write_text("# competitors\n@firma6.de\n*.nowhere.example\n", encoding="utf-8")
    add_file(page, rules)
    expect(panel.get_by_text("57 rows are on rules.txt")).to_be_visible()
    expect(panel.get_by_text("3 rows are on audience.zip")).to_be_visible()
    expect(page.get_by_text("60 rows on your do-not-mail files: left out.")).to_be_visible()
    path, _ = save_download(page, tmp_path / "cleaned.csv", "Download")
    kept = {row["email"] for row in csv.DictReader(io.StringIO(path.read_text("utf-8")))}
    listed = csv.DictReader(io.StringIO(source.read_text("utf-8")))
    gone = {"x@mailinator.com", *(f"person{number}@firma{number}.de" for number in (3, 4, 5))}
    assert kept == {
        row["email"]
        for row in listed
        if row["email"] not in gone and not row["email"].endswith("@firma6.de")
    }
    open_options(page, "Rows to leave out")
    panel.get_by_role("button", name="Remove").last.click()
    expect(page.get_by_text("3 rows on your do-not-mail files: left out.")).to_be_visible()
