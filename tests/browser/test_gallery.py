"""Every screen in the states worth a picture, light and dark, wide and narrow.

Each opens without an error, fits its window, and has no finding of axe-core. ``GALLERY_FOLDER``
keeps the pictures: ``GALLERY_FOLDER=var/gallery pytest tests/browser/test_gallery.py``. Eight of
them are in ``docs/screenshots``.
"""

import io
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, Page, TimeoutError, expect

from tests.browser.conftest import drop, open_page, wait_until_steady
from tests.browser.gallery import (
    FIRST_SCREENS,
    SCREENS,
    SHAPES,
    Desk,
    Screen,
    name_picture,
    write_lists,
)
from tests.browser.test_journeys import start, upload, wait_for_project
from tests.server import Server

pytestmark = pytest.mark.browser

GALLERY = os.environ.get("GALLERY_FOLDER")
WIDTHS = {"wide": 1280, "narrow": 390}
HEIGHT, TALLEST = 860, 2400
ATTEMPTS = 3
FRAMEWORKS = (("aria-dialog-name", [".stToast"]),)
"""What only Streamlit can mend: its toasts are alert dialogs without a name."""
COLORS = 256  # of a picture: letters stay sharp, and a fourth of the bytes remains


@pytest.fixture(scope="module")
def desk(
    browser: Browser, server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Desk]:
    lists = write_lists(tmp_path_factory.mktemp("lists"))
    with open_page(browser) as page:
        ids = []
        for name in ("March", "April"):
            upload(page, server, lists[name])
            ids.append(start(page))
            wait_for_project(page)
        upload(page, server, lists["July"])
        upload(page, server, lists["May"])
        upload_url = page.url
        page.goto(f"{server.url}/clean")
        drop(page, lists["June"])
        page.wait_for_url(re.compile(r"upload="))
        yield Desk(server, *ids, upload_url, page.url)


@pytest.mark.parametrize("screen", FIRST_SCREENS)
def test_first_screen(browser: Browser, server: Server, screen: str):
    _look(browser, Desk(server, "", "", "", ""), FIRST_SCREENS[screen], screen)


@pytest.mark.parametrize("screen", SCREENS)
def test_screen(browser: Browser, desk: Desk, screen: str):
    _look(browser, desk, SCREENS[screen], screen)


def _look(browser: Browser, desk: Desk, screen: Screen, name: str) -> None:
    """Bring a screen about, and look at it in each of its shapes."""
    with open_page(browser) as page:
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        for place, (width, scheme) in enumerate(SHAPES):
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            if place == 0 or screen.is_menu:
                page.set_viewport_size({"width": WIDTHS["wide"], "height": HEIGHT})
                screen.draw(page, desk)
            page.set_viewport_size({"width": WIDTHS[width], "height": HEIGHT})
            _check_shape(page, f"{name}, {width}, {scheme}")
            if GALLERY:
                if screen.is_whole:
                    _show_whole_page(page, WIDTHS[width])
                _keep_picture(page, Path(GALLERY) / name_picture(name, width, scheme))
        assert complaints == []


def _check_shape(page: Page, shape: str) -> None:
    if page.get_by_test_id("stApp").count():
        wait_until_steady(page)
    assert find_overflow(page) <= 0, shape
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert list_barriers(page) == [], shape


def find_overflow(page: Page) -> int:
    """Return by how many pixels the page is wider than its window: tables follow it late."""
    width = (
        "Math.max(...[document.documentElement, document.querySelector('[data-testid=stMain]')]"
        ".filter(Boolean).map(part => part.scrollWidth - part.clientWidth))"
    )
    with suppress(TimeoutError):
        page.wait_for_function(f"{width} <= 0")
    return int(page.evaluate(width))


def list_barriers(page: Page) -> list[str]:
    """Return what axe-core calls serious or critical: rule, place, what it says.

    What a moment's fade makes pale is no barrier: only what is found again, once all is steady,
    is returned.
    """
    barriers = _find_barriers(page)
    for _ in range(ATTEMPTS - 1):
        if not barriers:
            break
        if page.get_by_test_id("stApp").count():
            wait_until_steady(page)
        barriers &= _find_barriers(page)
    return sorted(barriers)


def _find_barriers(page: Page) -> set[str]:
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return {
        f"{violation['id']} at {node['target']}: {node['failureSummary']}"
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
        if (violation["id"], node["target"]) not in FRAMEWORKS
    }


def _show_whole_page(page: Page, width: int) -> None:
    """Make the window as tall as the page: Streamlit scrolls inside its own frame."""
    height = page.evaluate(
        "Math.max(...[document.documentElement, document.querySelector('[data-testid=stMain]')]"
        ".filter(Boolean).map(part => part.scrollHeight))"
    )
    page.set_viewport_size({"width": width, "height": min(max(int(height), HEIGHT), TALLEST)})
    page.wait_for_load_state("networkidle")


def _keep_picture(page: Page, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with Image.open(io.BytesIO(page.screenshot())) as shot:
        way = Image.Quantize.MAXCOVERAGE  # keeps the rare colours as well
        few = shot.convert("RGB").quantize(COLORS, way, dither=Image.Dither.NONE)
        few.save(path, optimize=True)
