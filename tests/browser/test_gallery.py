"""Every page in its states, light and dark, wide and narrow: nothing overflows, nothing fails.

axe-core finds no serious fault for those who see little, or use no mouse.

    GALLERY_FOLDER=docs/screenshots python -m pytest tests/browser/test_gallery.py

writes the pictures of the README and docs as well.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import WAIT_MILLISECONDS, wait_until_still
from tests.browser.test_journeys import start, upload, wait_for_charts
from tests.lists.make_lists import write_csv
from tests.server import Server

pytestmark = pytest.mark.browser

GALLERY = os.environ.get("GALLERY_FOLDER")
WIDTHS = {"wide": 1280, "narrow": 390}
HEIGHT = 860


@dataclass(frozen=True, slots=True)
class Desk:
    """A server with one finished project, and an upload that waits on the page Clean a list."""

    server: Server
    task_id: str
    upload_url: str


@pytest.fixture(scope="module")
def desk(
    browser: Browser, server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Desk]:
    context = browser.new_context()
    context.set_default_timeout(WAIT_MILLISECONDS)
    page = context.new_page()
    folder = tmp_path_factory.mktemp("lists")
    source = folder / "Newsletter March.csv"
    write_csv(source, 20_000)
    upload(page, server, source)
    task_id = start(page)
    wait_for_charts(page)
    second = folder / "Newsletter April.csv"
    write_csv(second, 2_000, seed=4)
    upload(page, server, second)
    yield Desk(server, task_id, page.url)
    context.close()


def draw_check(page: Page, desk: Desk) -> None:
    page.goto(desk.server.url)
    field = page.get_by_role("textbox").first
    field.fill("ana@mailinator.com")
    field.press("Enter")
    expect(page.get_by_text("disposable-email-domains").first).to_be_visible()


def draw_clean_empty(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/clean")
    expect(page.get_by_text("Drop a list here")).to_be_visible()


def draw_clean(page: Page, desk: Desk) -> None:
    page.goto(desk.upload_url)
    expect(page.get_by_role("button", name="Clean 2,000 addresses")).to_be_visible()


def draw_project(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/project?task={desk.task_id}")
    wait_for_charts(page)


def draw_projects(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/projects")
    expect(page.get_by_text("Newsletter March").filter(visible=True).first).to_be_visible()


def draw_own_lists(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/own-lists")
    if page.get_by_role("button", name="Remove").count() == 0:
        field = page.get_by_label("Domain, address or wildcard")
        for pattern in ("bücher.example.com", "*.partner.example.com"):
            field.fill(pattern)
            page.get_by_role("button", name="Add entry").click()
            expect(field).to_have_value("")
    expect(page.get_by_role("button", name="Remove").first).to_be_visible()


def draw_api(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/api")
    expect(page.get_by_role("button", name="Generate key")).to_be_visible()


def draw_unknown_project(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/project?task=00000000-0000-4000-8000-000000000000")
    expect(page.get_by_role("link", name="Projects").first).to_be_attached()


def draw_reference(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.api}/docs")
    expect(page.get_by_role("heading").first).to_be_visible()


SCREENS: dict[str, Callable[[Page, Desk], None]] = {
    "check": draw_check,
    "clean-empty": draw_clean_empty,
    "clean": draw_clean,
    "project": draw_project,
    "projects": draw_projects,
    "own-lists": draw_own_lists,
    "api": draw_api,
    "unknown-project": draw_unknown_project,
    "reference": draw_reference,
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("screen", SCREENS)
def test_screen(browser: Browser, desk: Desk, screen: str, width: str, scheme: str):
    context = browser.new_context(
        viewport={"width": WIDTHS[width], "height": HEIGHT},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    context.set_default_timeout(WAIT_MILLISECONDS)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    try:
        SCREENS[screen](page, desk)
        if screen != "reference":
            wait_until_still(page)
        overflow = page.evaluate(
            "Math.max(...[document.documentElement, document.querySelector('[data-testid=stMain]')]"
            ".filter(Boolean).map(part => part.scrollWidth - part.clientWidth))"
        )
        assert overflow <= 0
        expect(page.get_by_test_id("stException")).to_have_count(0)
        assert complaints == []
        assert list_barriers(page) == []
        if GALLERY:
            folder = Path(GALLERY)
            folder.mkdir(parents=True, exist_ok=True)
            _show_whole_page(page, WIDTHS[width])
            suffix = "" if width == "wide" else "-narrow"
            page.screenshot(path=folder / f"{screen}-{scheme}{suffix}.png", full_page=True)
    finally:
        context.close()


def list_barriers(page: Page) -> list[str]:
    """Return what axe-core calls serious or critical: rule, place, what it says."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{violation['id']} at {node['target']}: {node['failureSummary']}"
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def _show_whole_page(page: Page, width: int) -> None:
    """Make the window as tall as the page: Streamlit scrolls inside its own frame."""
    height = page.evaluate(
        "Math.max(...[document.documentElement, document.querySelector('[data-testid=stMain]')]"
        ".filter(Boolean).map(part => part.scrollHeight))"
    )
    page.set_viewport_size({"width": width, "height": min(max(int(height), HEIGHT), 2400)})
    page.wait_for_load_state("networkidle")
