"""Decision pages and the letter to a person, made in a browser and read in one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import WAIT_MILLISECONDS, check, open_options
from tests.browser.test_gallery import find_overflow, list_barriers
from tests.browser.test_journeys import start, upload, wait_for_project
from tests.browser.test_selecting import tick
from tests.server import Server, start_server

pytestmark = pytest.mark.browser

ANA = "ana@mailinator.com"
LIST = (
    "id,email,note\n"
    + "".join(f"{n},n{n}@{d},x\n" for n, d in enumerate(["gmail.com", "mailinator.com"] * 40))
    + f'99,{ANA},"{"a long note that goes on " * 60}"\n100,{ANA.upper()},{"y" * 300}\n'
)
SHAPES = pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
PAPER_PX = {"A4": 673, "Letter": 695}  # 210 and 216 mm without margins of 16 mm, at 96 dpi


@dataclass(frozen=True, slots=True)
class Desk:
    server: Server
    task_id: str
    pages: dict[str, Path]


@pytest.fixture(scope="module")
def desk(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A server, a finished project, and the pages that were handed on."""
    folder = tmp_path_factory.mktemp("defending")
    (folder / "Newsletter.csv").write_text(LIST, encoding="utf-8")
    server = start_server(folder / "data")
    context = browser.new_context(accept_downloads=True)
    context.set_default_timeout(WAIT_MILLISECONDS)
    page = context.new_page()
    upload(page, server, folder / "Newsletter.csv")
    task_id = start(page)
    wait_for_project(page)
    yield Desk(server, task_id, hand_on(page, server, task_id, folder))
    context.close()
    server.stop()


def hand_on(page: Page, server: Server, task_id: str, folder: Path) -> dict[str, Path]:
    """Download every kind of page by its button."""
    explain = re.compile("Explain this decision")
    pages = {}
    page.goto(f"{server.url}/project?task={task_id}")
    wait_for_project(page)
    open_options(page, "Report and link")
    pages["list"] = save(page, re.compile("Download the report"), folder)
    page.keyboard.press("Escape")
    tick(page, 0)
    page.get_by_role("button", name="Why this row").click()
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


@SHAPES
@pytest.mark.parametrize("name", ["row", "check", "list", "letter"])
def test_pages_are_read_by_everybody_and_fetch_nothing(
    browser: Browser, desk: Desk, name: str, width: int, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=True,  # axe-core is put into the page
    )
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(desk.pages[name].as_uri())
    assert asked == [desk.pages[name].as_uri()]
    assert find_overflow(page) <= 0
    assert list_barriers(page) == []
    context.close()


@pytest.mark.parametrize("paper", PAPER_PX)
@pytest.mark.parametrize("name", ["row", "check", "list", "letter"])
def test_pages_print_whole_on_few_sheets(
    browser: Browser, desk: Desk, name: str, paper: str
) -> None:
    context = browser.new_context(viewport={"width": PAPER_PX[paper], "height": 900})
    page = context.new_page()
    page.emulate_media(media="print")
    page.goto(desk.pages[name].as_uri())
    assert find_overflow(page) <= 0, "nothing is cut at the right edge"
    assert page.evaluate(
        "[...document.querySelectorAll('dd, td, p, li, h1, h2')]"
        ".every(part => part.scrollWidth <= part.clientWidth + 1 || part.clientWidth === 0)"
    )
    sheets = page.pdf(format=paper).count(b"/Type /Page\n")
    assert 1 <= sheets <= {"row": 2, "check": 2, "list": 3, "letter": 5}[name]
    context.close()
