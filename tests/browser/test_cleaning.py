"""What is removed, chosen in a real browser: the figures, the address and every file follow."""

import csv
import io
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import open_options, save_download, wait_until_still
from tests.browser.test_journeys import start, upload
from tests.made_lists.make_lists import write_csv
from tests.server import Server

pytestmark = pytest.mark.browser


def test_what_goes_is_chosen_and_every_file_follows(page: Page, server: Server, tmp_path: Path):
    source = tmp_path / "autumn.csv"
    write_csv(source, 2_000)
    upload(page, server, source)
    start(page)
    expect(page.locator(".st-key-download_cleaned a").first).to_be_visible(timeout=90_000)
    wait_until_still(page)
    open_options(page, "Rows to leave out")
    panel = page.get_by_test_id("stPopoverBody")
    panel.get_by_role("button", name=re.compile("free providers")).click()
    reasons = panel.locator(".st-key-lost_by_reason [role=gridcell]")
    expect(reasons.filter(has_text="public mailbox provider")).to_be_attached()
    expect(page).to_have_url(re.compile("black%2Cfree"))
    page.reload()
    wait_until_still(page)
    stays = page.locator(".w-sum strong")
    expect(stays).to_be_visible()
    kept_count = int(re.sub(r"\D", "", stays.inner_text()))
    open_options(page, "Columns")
    panel.get_by_text("Add the reason as a column").click()
    expect(page).to_have_url(re.compile("with=reason"))
    wait_until_still(page)

    cleaned, name = save_download(page, tmp_path / "cleaned", "Download")
    assert name == "autumn-cleaned.csv"
    open_options(page)
    removed, _ = save_download(page, tmp_path / "removed", "Removed rows")
    pack, name = save_download(page, tmp_path / "pack", "Everything in one zip file")
    assert name == "autumn-files.zip"
    with zipfile.ZipFile(pack) as archive:
        assert archive.testzip() is None
        assert archive.read("autumn-cleaned.csv") == cleaned.read_bytes()
        assert archive.read("autumn-removed.csv") == removed.read_bytes()
        checked = read_rows(archive.read("autumn-checked.csv"))
    head, *kept = read_rows(cleaned.read_bytes())
    gone = read_rows(removed.read_bytes())[1:]
    assert head[-3:] == ["category", "domain_type", "reason"]
    assert len(kept) == kept_count
    assert sorted(kept + gone) == sorted(checked[1:])
    assert not any(row[-3] == "black" or "free_provider" in row[-1] for row in kept)


def read_rows(content: bytes) -> list[list[str]]:
    """Return the rows of a list with semicolons, the header first."""
    lines = io.StringIO(content.decode("utf-8-sig"), newline="")
    return [row for row in csv.reader(lines, delimiter=";") if row]
