"""Every pair of filter actions, one after the other: count, chips, table and download agree."""

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import find_table, open_tab, press, wait_until_steady, wait_until_still
from tests.browser.test_exploring import click_line
from tests.browser.test_journeys import clean, wait_for_project
from tests.server import Server, get

pytestmark = pytest.mark.browser

CATEGORIES = {"gmx.de": "keep", "gmail.com": "keep", "gmial.com": "review"}
REMOVED = "mailinator.com"
ROWS = [
    f"{name}.{number}@{domain}"
    for name, domain in product(("ana", "paul"), (*CATEGORIES, REMOVED))
    for number in range(1, 16)
]


@dataclass(frozen=True)
class Wanted:
    """What the actions so far have asked for."""

    pill: bool = False  # the verdict "keep"
    bar: bool = False  # the domain type "disposable"
    menu: bool = False  # the domain gmail.com
    search: bool = False  # paul
    sort: bool = False

    def list_rows(self) -> list[str]:
        return [
            row
            for row in ROWS
            if (not self.pill or CATEGORIES.get(row.partition("@")[2]) == "keep")
            and (not self.bar or row.endswith(REMOVED))
            and (not self.menu or row.endswith("gmail.com"))
            and (not self.search or row.startswith("paul"))
        ]


def press_pill(page: Page) -> None:
    press(page.locator(".st-key-filter_action").get_by_text(re.compile("keep [0-9]+")))


def press_bar(page: Page) -> None:
    open_tab(page, "Breakdown")
    names = page.locator(".st-key-chart_type .annotation-text")
    expect(names.first).to_be_visible()
    lines = [name for name in names.all_text_contents() if re.search("[a-z]", name)]
    status = page.locator(".st-key-active_filters")
    wait_until_steady(page)
    before = status.inner_text()
    click_line(page, "type", next(n for n, name in enumerate(lines) if "disposable" in name))
    expect(status).not_to_have_text(before, use_inner_text=True)  # Plotly reports a click late
    wait_until_steady(page)
    open_tab(page, "Rows")


def open_menu(page: Page) -> None:
    press(page.get_by_role("button", name="More filters"))
    expect(page.get_by_role("combobox", name="Domains")).to_be_visible()
    wait_until_steady(page)


def close_menu(page: Page) -> None:
    page.keyboard.press("Escape")
    expect(page.get_by_role("combobox", name="Domains")).to_be_hidden()


def choose_in_menu(page: Page) -> None:
    open_menu(page)
    field = page.get_by_role("combobox", name="Domains")
    field.scroll_into_view_if_needed()  # scrolling closes options
    wait_until_steady(page)
    field.fill("gmail")
    field.press("ArrowDown")  # opens the options again where a scroll has closed them
    page.get_by_role("option", name=re.compile("gmail")).click()
    wait_until_steady(page)
    page.mouse.click(640, 5)  # Escape would empty the field where its options are closed already
    wait_until_steady(page)
    if page.get_by_role("combobox", name="Domains").is_visible():
        page.mouse.click(640, 5)
    expect(page.get_by_role("combobox", name="Domains")).to_be_hidden()


def search(page: Page) -> None:
    field = page.get_by_role("searchbox", name="Find in the list")
    field.fill("paul")
    field.press("Enter")
    wait_until_still(page)


def sort(page: Page) -> None:
    """Click the heading of the addresses, by which the rows are not sorted yet."""
    if "sort=" not in page.url:
        find_table(page).click(position={"x": 320, "y": 15})
        expect(page).to_have_url(re.compile("[?&]sort=address(&|$)"))
        wait_until_steady(page)


def close_chip(page: Page) -> None:
    press(page.locator(".st-key-active_filters").get_by_role("button", name="Domain type"))


Act = Callable[[Page], None]
ACTIONS: dict[str, tuple[Act, Callable[[Wanted], Wanted]]] = {
    "pill": (press_pill, lambda now: replace(now, pill=not now.pill)),
    "bar": (press_bar, lambda now: replace(now, bar=not now.bar)),
    "menu": (choose_in_menu, lambda now: replace(now, menu=True)),
    "search": (search, lambda now: replace(now, search=True)),
    "sort": (sort, lambda now: replace(now, sort=True)),
    "chip": (close_chip, lambda now: replace(now, bar=False)),
}
NEEDED = {"bar": REMOVED, "menu": "gmail.com"}


@pytest.fixture(scope="module")
def project(browser: Browser, server: Server, tmp_path_factory: pytest.TempPathFactory) -> str:
    source = tmp_path_factory.mktemp("lists") / "spring.csv"
    source.write_text("\r\n".join(["email", *ROWS, ""]))
    return clean(browser, server, source)


def judge_count(page: Page, wanted: Wanted) -> None:
    """Compare the count of rows with what was asked for."""
    is_active = wanted not in {Wanted(), Wanted(sort=True)}
    said = f"{len(wanted.list_rows())} of" if is_active else "All"
    expect(page.locator(".st-key-active_filters")).to_contain_text(f"{said} {len(ROWS)} rows")
    wait_until_steady(page)


def judge(page: Page, server: Server, wanted: Wanted) -> None:
    """Compare what the page shows with what was asked for."""
    judge_count(page, wanted)
    rows, status = wanted.list_rows(), page.locator(".st-key-active_filters")
    assert ("Domain type: disposable" in status.inner_text()) is wanted.bar
    assert ("Domain: gmail.com" in status.inner_text()) is wanted.menu
    table = page.locator(".st-key-rows_table")
    if not rows:
        expect(table).to_have_count(0)
        return
    expect(page.get_by_text(f"Rows 1 to {min(50, len(rows))} of {len(rows)}")).to_be_visible()
    first = sorted(rows) if wanted.sort else rows
    expect(table.locator("[role=gridcell][aria-colindex='3']").first).to_have_text(first[0])
    page.get_by_role("button", name=re.compile("Download th")).click()
    for key, is_removed in (("download_selection", False), ("download_selection_removed", True)):
        held = [row for row in rows if row.endswith(REMOVED) is is_removed]
        if held:
            link = page.locator(f".st-key-{key} a").get_attribute("href")
            sent = get(f"{server.url}{link}").content.decode("utf-8-sig").splitlines()
            assert [row["email"] for row in csv.DictReader(sent)] == held
    page.keyboard.press("Escape")


@pytest.mark.parametrize("first", [name for name in ACTIONS if name != "chip"])
def test_what_one_action_filters_the_next_one_keeps(
    first: str, page: Page, project: str, server: Server
) -> None:
    page.goto(project)
    wait_for_project(page)
    open_menu(page)
    close_menu(page)
    judged = set[Wanted]()
    for second in ACTIONS:
        if (second == "chip" and first != "bar") or first == second == "menu":
            continue
        wanted = Wanted()
        for name in (first, second):
            act, change = ACTIONS[name]
            if not any(row.endswith(NEEDED.get(name, "")) for row in wanted.list_rows()):
                continue  # neither a bar nor a line of the menu
            act(page)
            wanted = change(wanted)
            wait_until_steady(page)
            if wanted in judged:
                judge_count(page, wanted)
            else:
                judge(page, server, wanted)
            judged.add(wanted)
        if wanted.sort:
            page.goto(project)
            wait_for_project(page)
        clear = page.get_by_role("button", name="Clear all filters")
        if clear.count():
            press(clear)
        judge_count(page, Wanted())
    judge(page, server, Wanted())
