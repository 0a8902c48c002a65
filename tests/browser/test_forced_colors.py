"""Windows' high contrast: what colours tell stays visible, and so does what is chosen."""

import io

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import check, open_page, wait_until_steady
from tests.pages.test_theme import find_luminance, linearize
from tests.server import Server

pytestmark = pytest.mark.browser

LEAST_CONTRAST = 4.5  # WCAG 2.2, 1.4.3
BADGE = (66, 44, 100, 58)  # inside the badge of the first row
PASTED = "ana@gmail.com, bo@mailinator.com, carla@gmial.com"


def find_contrast(page: Page) -> float:
    """Return the contrast of ink and ground in the first badge of the table, which is painted."""
    table = page.locator(".st-key-checked_table [data-testid=stDataFrame]")
    expect(table.locator("canvas").first).to_be_visible()
    wait_until_steady(page)
    picture = Image.open(io.BytesIO(table.screenshot())).convert("RGB").crop(BADGE)
    dots = {"#{:02x}{:02x}{:02x}".format(*dot) for dot in picture.get_flattened_data()}
    lights = sorted(find_luminance(linearize(dot)) for dot in dots)
    return (lights[-1] + 0.05) / (lights[0] + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_bars_shapes_and_what_is_chosen_stay_visible(
    browser: Browser, server: Server, scheme: str
) -> None:
    with open_page(browser, forced_colors="active", color_scheme=scheme) as page:
        judge(page, server)


def judge(page: Page, server: Server) -> None:
    field = check(page, server, PASTED)
    expect(page.locator(".w-bar .w-part")).to_have_count(3)
    assert find_contrast(page) >= LEAST_CONTRAST
    colors = page.locator(".w-bar .w-part").evaluate_all(
        "parts => parts.map(part => getComputedStyle(part).backgroundColor)"
    )
    assert len(set(colors)) == 3
    field.fill("bo@mailinator.com")
    field.press("Enter")
    chosen = page.get_by_test_id("stButtonGroup").get_by_text("All of mailinator.com")
    expect(chosen).to_be_visible()
    wait_until_steady(page)
    widths = (
        page.get_by_test_id("stButtonGroup")
        .first.locator("button")
        .evaluate_all("buttons => buttons.map(button => getComputedStyle(button).outlineStyle)")
    )
    assert widths == ["solid", "none"]  # the address, at a domain that provider lists name
    shape = page.locator(".w-verdict .w-shape").first
    assert shape.evaluate("it => getComputedStyle(it).forcedColorAdjust") == "none"
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in {"critical", "serious"}] == []
