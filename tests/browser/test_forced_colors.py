"""Windows' high contrast: what colours tell stays visible, and so does what is chosen."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.browser.conftest import wait_until_steady
from tests.server import Server

pytestmark = pytest.mark.browser

PASTED = "ana@gmail.com, bo@mailinator.com, carla@gmial.com"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_bars_shapes_and_what_is_chosen_stay_visible(
    browser: Browser, server: Server, scheme: str
) -> None:
    context = browser.new_context(forced_colors="active", color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(server.url)
    field = page.get_by_role("textbox").first
    expect(field).to_be_focused()
    field.fill(PASTED)
    field.press("Enter")
    expect(page.locator(".w-bar .w-part")).to_have_count(3)
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
    assert widths == ["none", "solid"]
    shape = page.locator(".w-verdict .w-shape").first
    assert shape.evaluate("it => getComputedStyle(it).forcedColorAdjust") == "none"
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in {"critical", "serious"}] == []
    context.close()
