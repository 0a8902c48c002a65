"""Decision pages and the letter to a person, made in a browser and read in one."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import check, open_options, open_page, press
from tests.browser.test_gallery import find_overflow, list_barriers
from tests.browser.test_journeys import start, upload, wait_for_project
from tests.browser.test_selecting import tick
from tests.server import Server

pytestmark = pytest.mark.browser

ANA = "ana@mailinator.com"
LIST = (
    "id,email,note\n"
    + "".join(f"{n},n{n}@{d},x\n" for n, d in enumerate(["gmail.com", "mailinator.com"] * 40))
    + f'99,{ANA},"{"a long note that goes on " * 60}"\n100,{ANA.upper()},{"y" * 300}\n'
)
NAMES = ("row", "check", "list", "letter")
PAPER_PX = {"A4": 673, "Letter": 695}  # 210 and 216 mm without margins of 16 mm, at 96 dpi


@pytest.fixture(scope="module")
def pages(
    browser: Browser, server: Server, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """What was handed on of a finished project, a check and a request."""
    folder = tmp_path_factory.mktemp("defending")
    (folder / "Newsletter.csv").write_text(LIST, encoding="utf-8")
    with open_page(browser) as page:
        upload(page, server, folder / "Newsletter.csv")
        start(page)
        wait_for_project(page)
        return hand_on(page, server, folder)


def hand_on(page: Page, server: Server, folder: Path) -> dict[str, Path]:
    """Download every kind of page by its button."""
    explain = re.compile("Explain this decision")
    pages = {}
    open_options(page, "Report and link")
    pages["list"] = save(page, re.compile("Download the report"), folder)
    page.keyboard.press("Escape")
    tick(page, 0)
    press(page.get_by_role("button", name="Why this row"))
    expect(page.get_by_role("dialog").get_by_role("button", name=explain)).to_be_visible()
    pages["row"] = save(page, explain, folder)
    check(page, server, ANA)
    pages["check"] = save(page, explain, folder)
    page.goto(f"{server.url}/settings?tab=requests")
    page.get_by_role("textbox", name="Address of the person").fill(ANA)
    page.keyboard.press("Enter")
    pages["letter"] = save(page, re.compile("Download the letter"), folder)
    assert ANA not in page.url
    return pages


def save(page: Page, button: re.Pattern[str], folder: Path) -> Path:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).first.click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
@pytest.mark.parametrize("name", NAMES)
def test_pages_are_read_by_everybody_and_fetch_nothing(
    browser: Browser, pages: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    shape = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    with open_page(browser, **shape, bypass_csp=True) as page:  # axe-core is put into the page
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(pages[name].as_uri())
        assert asked == [pages[name].as_uri()]
        assert find_overflow(page) <= 0
        assert list_barriers(page) == []


@pytest.mark.parametrize("paper", PAPER_PX)
@pytest.mark.parametrize("name", NAMES)
def test_pages_print_whole_on_few_sheets(
    page: Page, pages: dict[str, Path], name: str, paper: str
) -> None:
    page.set_viewport_size({"width": PAPER_PX[paper], "height": 900})
    page.emulate_media(media="print")
    page.goto(pages[name].as_uri())
    assert find_overflow(page) <= 0, "nothing is cut at the right edge"
    assert page.evaluate(
        "[...document.querySelectorAll('dd, td, p, li, h1, h2')]"
        ".every(part => part.scrollWidth <= part.clientWidth + 1 || part.clientWidth === 0)"
    )
    sheets = page.pdf(format=paper).count(b"/Type /Page\n")
    assert 1 <= sheets <= {"row": 2, "check": 2, "list": 3, "letter": 5}[name]
