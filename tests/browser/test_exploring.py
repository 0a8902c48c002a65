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
LINE_PX, FIRST_LINE_PX = 40, 26
FIND_TOPS = """() => {
  const scrolled = document.querySelector('[data-testid=stMain]').scrollTop;
  const heads = [...document.querySelectorAll('h2, [data-testid=stExpander]')];
  return heads.map(head => Math.round(head.getBoundingClientRect().top + scrolled));
}"""


def wait_for_tops(page: Page) -> list[int]:
    """Return where the sections stand once fonts and every chart are there and nothing moves."""
    page.evaluate("() => document.fonts.ready.then(() => true)")
    page.wait_for_function(
        f"""() => {{
            const [before, tops] = [window.tops, JSON.stringify(({FIND_TOPS})())];
            window.restFrames = tops === before && tops !== "[]" ? window.restFrames + 1 : 0;
            window.tops = tops;
            return window.restFrames > 90;
        }}"""
    )
    tops: list[int] = page.evaluate("() => JSON.parse(window.tops)")
    return tops


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


def click_line(page: Page, chart: str, line: int) -> None:
    """Click beside the name of a bar: the whole line takes clicks, however short the bar."""
    wait_until_still(page)
    plot = page.locator(f".st-key-chart_{chart} .js-plotly-plot").filter(visible=True)
    expect(plot).to_have_count(1)
    place = {"x": 150, "y": FIRST_LINE_PX + LINE_PX * line}
    plot.hover(position=place)
    expect(plot.locator(".hoverlayer .hovertext")).to_be_visible()  # Plotly clicks what is hovered
    plot.click(position=place)


def find_names(page: Page, chart: str) -> Locator:
    plot = page.locator(f".st-key-chart_{chart} .js-plotly-plot").filter(visible=True)
    return plot.locator(".annotation-text")


def test_a_bar_filters_rows_charts_and_address_and_a_second_click_takes_it_back(
    page: Page, project: Explored
):
    expected = project.expected
    show_charts(page, project.url)
    status = page.locator(".st-key-active_filters")
    expect(status).to_contain_text(f"All {expected.rows_out:,} rows")
    kinds = sorted(expected.by_domain_type.items(), key=lambda entry: (-entry[1], entry[0]))
    (_, _), (kind, count) = kinds[:2]
    expect(find_names(page, "type").nth(1)).to_contain_text(kind)
    click_line(page, "type", 1)
    expect(status).to_contain_text(f"{count:,} of {expected.rows_out:,} rows")
    expect(page).to_have_url(re.compile(rf"[?&]type={kind}(&|$)"))
    expect(find_names(page, "type")).to_have_count(2 * len(kinds))
    expect(find_names(page, "type").nth(1)).to_contain_text("\u25b8")

    click_line(page, "domain", 0)
    expect(page).to_have_url(re.compile(r"[?&]domain=[^&@]+"))
    domain = re.findall(r"[?&]domain=([^&]+)", page.url)[0]
    expect(status).to_contain_text(f"Domain: {domain}")
    expect(find_names(page, "domain").filter(has_text="\u25b8")).to_have_text(
        re.compile(rf"{re.escape(domain)}$")
    )

    show_charts(page, page.url)  # the address is the whole view
    expect(status).to_contain_text(f"Domain: {domain}")
    expect(status).to_contain_text(f"Domain type: {kind}")

    press(page.get_by_role("button", name=f"Domain: {domain}"))
    expect(status).not_to_contain_text("Domain:")
    click_line(page, "type", 1)
    expect(status).to_contain_text(f"All {expected.rows_out:,} rows")
    click_line(page, "domain", 0)
    expect(status).to_contain_text("Domain:")
    press(page.get_by_role("button", name="Clear all filters"))
    expect(status).to_contain_text(f"All {expected.rows_out:,} rows")
    expect(page).to_have_url(f"{project.url}&tab=breakdown")


def show_charts(page: Page, url: str) -> None:
    """Open the breakdown of a project."""
    page.goto(url if "tab=" in url else f"{url}&tab=breakdown")
    wait_for_project(page)
    expect(page.locator('[data-testid="stPlotlyChart"] .points path').first).to_be_visible()
    wait_until_still(page)


def test_nothing_moves_when_a_bar_is_clicked(page: Page, project: Explored):
    show_charts(page, project.url)
    before = wait_for_tops(page)
    click_line(page, "type", 1)
    expect(page.locator(".st-key-active_filters")).to_contain_text("Clear all filters")
    wait_until_still(page)
    page.wait_for_function(
        f"before => JSON.stringify(({FIND_TOPS})().slice(0, before.length)) === "
        "JSON.stringify(before)",
        arg=before,
    )


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
