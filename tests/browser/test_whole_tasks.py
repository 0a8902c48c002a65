"""Whole tasks as a new user does them, each press counted; every figure by a count of our own."""

import csv
import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import drop, wait_until_still
from tests.server import Server

pytestmark = pytest.mark.browser

PEOPLE, EVERY, TWICE = 600, 4, 30
MESSES: Sequence[Callable[[str], str]] = (
    lambda address: f"Ana Weiss <{address}>",
    lambda address: f"mailto:{address}",
    lambda address: address.replace(".com", ",com"),
    lambda address: address.replace("@", " @"),
    lambda address: f"{address}.",
    lambda address: address.replace("@", "\N{FULLWIDTH COMMERCIAL AT}"),
    lambda address: f"'{address}",
    lambda address: f"{address}; other@posteo.de",
    lambda address: address.replace("gmail", "gmial"),
)
HEAD = ("Record ID", "First Name", "Last Name", "Email", "Country", "Original Source")


@dataclass(slots=True)
class Hand:
    """A user's hand: each drop and each click is counted."""

    page: Page
    clicks: int = 0

    def drop(self, zone: Locator, path: Path) -> None:
        """Drop a file; counts as one."""
        drop(zone, path)
        self.clicks += 1

    def click(self, target: Locator) -> None:
        """Click where the page says that something can be clicked."""
        target.click()
        self.clicks += 1

    def download(self, target: Locator, path: Path) -> Path:
        """Click a link; return the file that it gave."""
        with self.page.expect_download() as waiting:
            self.click(target)
        waiting.value.save_as(path)
        return path


@dataclass(frozen=True, slots=True)
class Export:
    """A messy export, and what is true of it by the way it was made."""

    path: Path
    do_not_mail: Path
    rows: int
    messy: int
    disposable: int
    forbidden: frozenset[str]
    mailable: frozenset[str]


def write_export(folder: Path) -> Export:
    """Write an export in which a quarter of the good addresses are written wrongly."""
    mess = itertools.cycle(MESSES)
    lines, good, messy, disposable = [], [], 0, 0
    for number in range(PEOPLE):
        address, cell = f"person{number}@gmail.com", f"person{number}@gmail.com"
        if number % EVERY == 1:
            cell, messy = next(mess)(address), messy + 1
        elif number % EVERY == 2 and number % 3 == 0:
            address, cell, disposable = "", f"p{number}@mailinator.com", disposable + 1
        good.append(address)
        lines.append((str(number), "Ana", "Weiss", cell, "DE", "Website"))
    lines += [
        (str(PEOPLE + one), *lines[one * EVERY + 1][1:3], good[one * EVERY + 1], "DE", "Fair")
        for one in range(TWICE)
    ]
    forbidden = frozenset(filter(None, good[::10]))
    with (folder / "hubspot-export.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEAD, *lines])
    (folder / "do-not-mail.txt").write_text("\n".join(sorted(forbidden)), encoding="utf-8")
    return Export(
        folder / "hubspot-export.csv",
        folder / "do-not-mail.txt",
        len(lines),
        messy,
        disposable,
        forbidden,
        frozenset(filter(None, good)) - forbidden,
    )


def read_emails(path: Path) -> list[str]:
    """Return the column Email, and see to it that it stands first."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        assert rows.fieldnames is not None
        assert rows.fieldnames[0] == "Email"
        return [row["Email"] for row in rows]


def test_a_messy_export_becomes_a_file_for_klaviyo_in_ten_clicks(
    page: Page, server: Server, tmp_path: Path
) -> None:
    made, hand = write_export(tmp_path), Hand(page)
    page.goto(f"{server.url}/clean")
    hand.drop(page.get_by_test_id("stMain"), made.path)
    forbidden = page.locator(".st-key-do_not_mail")
    hand.drop(forbidden, made.do_not_mail)
    expect(forbidden).to_contain_text(f"It has {len(made.forbidden)} addresses.")
    wait_until_still(page)
    hand.click(page.get_by_role("button", name=f"Clean {made.rows} rows"))
    for name in ("Show them", "likely: several addresses", "likely: a misspelt domain"):
        one = page.get_by_role("button", name=re.compile(name))
        expect(one).to_be_visible()
        wait_until_still(page)
        hand.click(one)
    fix = page.get_by_role("button", name=f"Correct {made.messy} addresses")
    expect(fix).to_be_visible()
    wait_until_still(page)
    hand.click(fix)
    stay = made.messy - TWICE  # the others were repaired to duplicates of a row further down
    told = page.get_by_text(f"Made from hubspot-export with {stay} repairs.")
    expect(told).to_be_visible()
    wait_until_still(page)
    legend = page.locator(".w-legend")
    expect(legend).to_contain_text(f"keep{len(made.mailable)}")
    expect(legend).to_contain_text("review0")
    expect(legend).to_contain_text(f"do not mail{len(made.forbidden)}")
    expect(legend).to_contain_text(f"said no {len(made.forbidden)}")
    expect(legend).to_contain_text(f"remove{made.disposable}")
    minus = "\N{MINUS SIGN}"
    expect(page.locator(".st-key-result_sum")).to_contain_text(
        f"{made.disposable} remove {minus} {len(made.forbidden)} do not mail = {len(made.mailable)}"
    )
    hand.click(page.get_by_role("button", name="Options"))
    hand.click(page.get_by_role("radio", name="Klaviyo"))
    link = page.locator(".st-key-download_cleaned a")  # a suppression file is offered too
    expect(link).to_contain_text("for Klaviyo")
    emails = read_emails(hand.download(link, tmp_path / "out.csv"))
    assert len(emails) == len(made.mailable)
    assert set(emails) == made.mailable
    assert hand.clicks <= 10
