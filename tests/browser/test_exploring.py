"""A project explored by clicking: bars filter the rows, the other charts and the address."""

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import find_table, press, wait_until_steady, wait_until_still
from tests.browser.test_journeys import clean, expect_of, wait_for_project
from tests.made_lists.make_lists import write_csv
from tests.made_lists.oracle import Expected
from tests.server import Server
from winnow.domain_data.look_up.look_up import Knowledge

pytestmark = pytest.mark.browser

ROW_COUNT = 2_000
ROW_PX, HEAD_PX = 33, 35


@dataclass(frozen=True, slots=True)
class Explored:
    """A finished project's address, and what is in it."""

    url: str
    expected: Expected


@pytest.fixture(scope="module")
def project(
    browser: Browser,
    server: Server,
    tmp_path_factory: pytest.TempPathFactory,
    knowledge: Knowledge,
) -> Explored:
    source = write_csv(tmp_path_factory.mktemp("lists") / "spring.csv", ROW_COUNT)
    return Explored(clean(browser, server, source), expect_of(source, knowledge))


def find_facet(page: Page, name: str) -> Locator:
    """Return the table of a dimension's values, once it has cells."""
    table = page.locator(f"[class*=st-key-facet_{name}_] [data-testid=stDataFrame]")
    expect(table.filter(visible=True)).to_have_count(1)
    expect(table.locator("[role=gridcell]").first).to_be_attached()
    return table


def list_values(page: Page, name: str) -> list[str]:
    """Return the names of a dimension's values, from the top down."""
    return find_facet(page, name).locator("[aria-colindex='1'][role=gridcell]").all_text_contents()


def tick_value(page: Page, name: str, line: int) -> None:
    """Tick a value, or untick it."""
    wait_until_still(page)
    place = {"x": 16, "y": HEAD_PX + ROW_PX * line + ROW_PX // 2}
    find_facet(page, name).click(position=place)
    wait_until_still(page)


def test_a_ticked_value_filters_rows_tables_and_address_until_it_is_unticked(
    page: Page, project: Explored
):
    expected = project.expected
    show_breakdown(page, project.url)
    status = page.locator(".st-key-active_filters")
    expect(status).to_contain_text(f"All {expected.rows_out:,} rows")
    kinds = sorted(expected.by_domain_type.items(), key=lambda entry: (-entry[1], entry[0]))
    kind, count = kinds[1]
    assert kind in list_values(page, "type")[1]
    tick_value(page, "type", 1)
    expect(status).to_contain_text(f"{count:,} of {expected.rows_out:,} rows")
    expect(page).to_have_url(re.compile(rf"[?&]type={kind}(&|$)"))
    assert len(list_values(page, "type")) == len(kinds)

    domain = list_values(page, "domain")[0]
    tick_value(page, "domain", 0)
    expect(status).to_contain_text(f"Domain: {domain}")
    show_breakdown(page, page.url)  # the address is the whole view
    expect(status).to_contain_text(f"Domain: {domain}")
    expect(status).to_contain_text(f"Domain type: {kind}")

    press(page.get_by_role("button", name=f"Domain: {domain}"))
    expect(status).not_to_contain_text("Domain:")
    tick_value(page, "type", 1)
    expect(status).to_contain_text(f"All {expected.rows_out:,} rows")
    tick_value(page, "domain", 0)
    expect(status).to_contain_text("Domain:")
    press(page.get_by_role("button", name="Clear all filters"))
    expect(status).to_contain_text(f"All {expected.rows_out:,} rows")
    expect(page).to_have_url(f"{project.url}&tab=breakdown")


def show_breakdown(page: Page, url: str) -> None:
    """Open the breakdown of a project."""
    page.goto(url if "tab=" in url else f"{url}&tab=breakdown")
    wait_for_project(page)
    find_facet(page, "domain")
    wait_until_steady(page)


def test_a_click_on_a_column_sorts_all_rows(page: Page, project: Explored):
    page.goto(project.url)
    wait_for_project(page)
    wait_until_steady(page)
    table = find_table(page)
    for word in ("address", "-address", ""):
        table.click(position={"x": 320, "y": 15})
        expect(page).to_have_url(re.compile(rf"[?&]sort={word}(&|$)" if word else r"task=[^&]+$"))
        wait_until_steady(page)


def test_all_rows_are_sorted_by_keys_alone(page: Page, project: Explored):
    page.goto(project.url)
    wait_for_project(page)
    wait_until_steady(page)
    find_table(page).locator("[data-testid=data-grid-canvas]").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "Control+Space"):
        page.keyboard.press(key)
    expect(page).to_have_url(re.compile(r"[?&]sort=address(&|$)"))
