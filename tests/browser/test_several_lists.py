"""Several lists dropped at once: a project each, by one button, in a real browser."""

import re
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import drop, press
from tests.server import Server

pytestmark = pytest.mark.browser


def write_lists(folder: Path) -> list[Path]:
    contents = {
        "one.csv": "id,email\n" + "".join(f"{n},a{n}@firma.de\n" for n in range(30)),
        "two.csv": "E-Mail;Name\n" + "".join(f"b{n}@firma.de;B\n" for n in range(20)),
        "mixed.csv": "from,to\n" + "".join(f"c{n}@firma.de,d{n}@firma.de\n" for n in range(9)),
        "broken.csv": "psql\n" + "a||b||c@x.de\n" * 9,
        "empty.csv": "",
        "photo.png": "x",
    }
    for name, text in contents.items():
        (folder / name).write_text(text, encoding="utf-8")
    with ZipFile(folder / "export.zip", "w", ZIP_DEFLATED) as archive:
        for name in ("two.csv", "broken.csv", "photo.png"):
            archive.write(folder / name, f"export/{name}")
    (folder / "torn.zip").write_bytes((folder / "export.zip").read_bytes()[:-30])
    dropped = ("one.csv", "export.zip", "mixed.csv", "empty.csv", "photo.png", "torn.zip")
    return [folder / name for name in dropped]


def test_each_file_becomes_a_project(page: Page, server: Server, tmp_path: Path) -> None:
    page.goto(f"{server.url}/clean")
    drop(page, write_lists(tmp_path))
    expect(page.get_by_text("4 lists are not cleaned yet")).to_be_visible()
    expect(page.get_by_text("empty.csv is empty.")).to_be_visible()
    expect(page.get_by_text("photo.png is not a list that Winnow can read.")).to_be_visible()
    expect(page.get_by_text("Left out of export.zip: photo.png.")).to_be_visible()
    expect(page.get_by_text("The lists in torn.zip cannot be read.")).to_be_visible()
    expect(page.get_by_text("ready to clean")).to_have_count(2)
    expect(page.get_by_text("Which column holds the addresses?")).to_be_visible()
    page.reload()
    expect(page.get_by_text("4 lists are not cleaned yet")).to_be_visible()
    press(page.get_by_role("button", name="Clean 2 lists"))
    page.wait_for_url(re.compile("/projects"))
    for name in ("one", "two"):
        cell = page.locator("td[role=gridcell]", has_text=re.compile(f"^{name}$"))
        expect(cell).to_be_attached()


DROP_TWICE = """(zone, files) => {
  for (const file of files) {
    const carried = new DataTransfer()
    carried.items.add(new File([new Uint8Array(file.bytes)], file.name))
    zone.dispatchEvent(new DragEvent("drop", {dataTransfer: carried, cancelable: true}))
  }
}"""


def test_files_dropped_while_an_archive_is_unpacked_are_not_taken(
    page: Page, server: Server, tmp_path: Path
) -> None:
    one, archive, *_ = write_lists(tmp_path)
    files = [{"name": path.name, "bytes": list(path.read_bytes())} for path in (archive, one)]
    page.goto(f"{server.url}/clean")
    expect(page.locator("input[type=file][aria-label]")).to_be_attached()
    page.locator(".zone").evaluate(DROP_TWICE, files)
    expect(page.get_by_text("2 lists are not cleaned yet")).to_be_visible()
    expect(page.get_by_text("one.csv")).to_have_count(0)


def test_only_the_files_of_the_last_drop_are_merged(
    page: Page, server: Server, tmp_path: Path
) -> None:
    one, _, mixed, *_ = write_lists(tmp_path)
    page.goto(f"{server.url}/clean")
    drop(page, one)
    page.wait_for_url(re.compile("upload="))  # and it is abandoned
    page.goto(f"{server.url}/clean")
    drop(page, [tmp_path / "two.csv", mixed])
    press(page.get_by_role("radio", name="One list"))
    boxes = page.get_by_role("checkbox")
    for place, is_taken in enumerate((True, True, False)):
        expect(boxes.nth(place)).to_be_checked(checked=is_taken)
    press(page.locator("[class*=st-key-merge_upward_] button").nth(1))
    expect(page.locator("[class*=st-key-merge_row_]").first).to_contain_text("mixed.csv")


def test_an_archive_of_people_not_to_mail_is_not_unpacked(
    page: Page, server: Server, tmp_path: Path
) -> None:
    with ZipFile(tmp_path / "audience.zip", "w") as archive:
        archive.writestr("subscribed_members_export_1.csv", "Email Address\nana@firma.de\n")
        archive.writestr("unsubscribed_members_export_1.csv", "Email Address\nbo@firma.de\n")
    page.goto(f"{server.url}/clean")
    drop(page, write_lists(tmp_path)[0])
    panel = page.locator(".st-key-do_not_mail")
    drop(panel, tmp_path / "audience.zip")
    expect(panel.get_by_text("audience.zip")).to_be_visible()
    expect(panel.get_by_text("unsubscribed_members_export_1.csv")).to_have_count(0)
