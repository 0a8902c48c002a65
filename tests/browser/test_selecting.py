"""Rows filtered, ticked over pages and downloaded, by mouse and by keys; a platform's file."""

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.conftest import find_table, open_page, press, wait_until_steady
from tests.browser.test_journeys import clean, go_to_table, wait_for_project
from tests.made_lists.make_lists import write_csv
from tests.server import Server

pytestmark = pytest.mark.browser

ROW_PX, HEAD_PX = 33, 35


@pytest.fixture(scope="module")
def project(browser: Browser, server: Server, tmp_path_factory: pytest.TempPathFactory) -> str:
    return clean(browser, server, write_csv(tmp_path_factory.mktemp("lists") / "spring.csv", 1_000))


@pytest.fixture
def shown(page: Page, project: str) -> Page:
    page.goto(project)
    wait_for_project(page)
    deselect = page.get_by_role("button", name="Deselect all")
    if deselect.count():  # what the test before has ticked outlived its page
        press(deselect)
        expect(deselect).to_be_hidden()
    return page


def tick(page: Page, row: int) -> None:
    tick_in(find_table(page), row)


def tick_in(table: Locator, row: int) -> None:
    table.click(position={"x": 16, "y": HEAD_PX + ROW_PX * row + ROW_PX // 2})


def expect_menu(page: Page, words: str) -> None:
    menu = page.get_by_role("button", name=re.compile(words))
    expect(menu).to_have_count(1)  # the one of the former run may stay until the new run ends
    expect(menu).to_be_visible()
    wait_until_steady(page)


def show_removed(page: Page) -> int:
    """Filter by the verdict remove; return how many rows that are."""
    pill = page.locator(".st-key-filter_action").get_by_text(re.compile("remove [0-9]+"))
    match = re.search("[0-9]+", pill.inner_text())
    assert match is not None
    press(pill)
    expect(page.locator(".st-key-active_filters")).to_contain_text(f"{match[0]} of")
    wait_until_steady(page)
    return int(match[0])


def go_to_page(page: Page, number: int) -> None:
    name = "Next page" if number == 2 else "Previous page"
    press(page.get_by_role("button", name=name))
    caption = f"Rows {50 * (number - 1) + 1} to"
    expect(page.get_by_text(caption)).to_be_visible()
    wait_until_steady(page)


def save_rows(page: Page, path: Path) -> tuple[str, list[list[str]]]:
    """Open the menu of the shown or selected rows, and download the list's own format."""
    page.get_by_role("button", name=re.compile("selected row|^\\S* ?Download th")).click()
    return save(page, page.locator(".st-key-download_selection a"), path)


def save(page: Page, link: Locator, path: Path) -> tuple[str, list[list[str]]]:
    with page.expect_download() as waiting:
        link.click()
    waiting.value.save_as(path)
    text = path.read_text(encoding="utf-8-sig")
    delimiter = ";" if ";" in text.splitlines()[0] else ","
    return waiting.value.suggested_filename, list(
        csv.reader(text.splitlines(), delimiter=delimiter)
    )


def test_rows_ticked_on_several_pages_are_one_file(shown: Page, tmp_path: Path) -> None:
    page = shown
    tick(page, 0)
    expect_menu(page, "Download the selected row")
    tick(page, 2)
    expect_menu(page, "Download 2 selected rows")
    go_to_page(page, 2)
    tick(page, 1)
    expect_menu(page, "Download 3 selected rows")
    go_to_page(page, 1)
    tick(page, 0)  # it is still ticked, and a click takes it away
    expect_menu(page, "Download 2 selected rows")
    show_removed(page)
    expect_menu(page, "Download 2 selected rows")
    name, found = save_rows(page, tmp_path / "file.csv")
    assert name == "spring-selection.csv"
    assert len(found) == 3


class SlowServer:
    """Holds back what the server sends to a page, to pass it on later, run by run."""

    def __init__(self, page: Page) -> None:
        self._page, self._held, self.is_slow = page, [], False
        page.route_web_socket(re.compile("/_stcore/stream"), self._connect)

    def _connect(self, socket: WebSocketRoute) -> None:
        self._socket, server = socket, socket.connect_to_server()
        server.on_message(lambda message: self._take(message))

    def _take(self, message: str | bytes) -> None:
        if self.is_slow:
            self._held.append(message)
        else:
            self._socket.send(message)

    def await_run(self) -> list[str | bytes]:
        """Return the messages of a whole run, which the page has not got yet."""
        while not any(map(is_end_of_run, self._held)):
            self._page.wait_for_timeout(20)
        run, self._held = self._held, []
        return run

    def send(self, messages: list[str | bytes]) -> None:
        for message in messages:
            self._socket.send(message)

    def catch_up(self) -> None:
        while self._held:  # more may come while these are passed on
            self._socket.send(self._held.pop(0))
        self.is_slow = False


def is_end_of_run(message: str | bytes) -> bool:
    parsed = ForwardMsg()
    parsed.ParseFromString(message if isinstance(message, bytes) else message.encode())
    return parsed.WhichOneof("type") == "script_finished"


def test_ticks_are_kept_while_runs_of_earlier_ones_arrive(page: Page, project: str) -> None:
    server = SlowServer(page)
    page.goto(project)
    wait_for_project(page)
    wait_until_steady(page)
    server.is_slow = True
    tick(page, 0)
    first = server.await_run()
    tick(page, 2)
    second = server.await_run()
    server.send(first)
    expect(page.get_by_role("button", name="Download the selected row")).to_be_visible()
    tick(page, 4)
    server.send(second)
    server.catch_up()
    expect_menu(page, "Download 3 selected rows")


def test_verdicts_are_kept_while_runs_of_earlier_ones_arrive(page: Page, project: str) -> None:
    server = SlowServer(page)
    page.goto(project)
    wait_for_project(page)
    wait_until_steady(page)
    pills = page.locator(".st-key-filter_action")
    chosen = pills.locator("button[aria-pressed=true], button[aria-checked=true]")
    server.is_slow = True
    pills.get_by_text(re.compile("keep [0-9]+")).click()
    first = server.await_run()
    pills.get_by_text(re.compile("review [0-9]+")).click()
    second = server.await_run()
    server.send(first)
    expect(page.locator(".st-key-active_filters")).to_contain_text(" of ")
    pills.get_by_text(re.compile("remove [0-9]+")).click()
    server.send(second)
    server.catch_up()
    expect(chosen).to_have_count(3)


def test_the_menu_of_ticked_rows_keeps_its_place_while_a_run_arrives(
    page: Page, project: str, tmp_path: Path
) -> None:
    server = SlowServer(page)
    page.goto(project)
    wait_for_project(page)
    show_removed(page)
    tick(page, 0)
    expect_menu(page, "Download the selected row")
    tick(page, 1)
    expect_menu(page, "Download 2 selected rows")
    tick(page, 2)
    expect_menu(page, "Download 3 selected rows")
    tick(page, 1)
    expect_menu(page, "Download 2 selected rows")
    server.is_slow = True
    page.get_by_role("button", name="Clear all filters").click()
    run = server.await_run()
    end = next(place for place, one in enumerate(run) if is_end_of_run(one))
    server.send(run[:end])
    expect(page.locator(".st-key-active_filters")).to_contain_text("All")
    menu = page.get_by_role("button", name="Download 2 selected rows")
    expect(menu).to_have_count(1)  # not the former one, which would go, beside the new one
    menu.click()
    server.send(run[end:])
    server.catch_up()
    link = page.locator(".st-key-download_selection_removed a")
    _, found = save(page, link, tmp_path / "file.csv")
    assert [row[found[0].index("category")] for row in found[1:]] == ["black"] * 2
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Deselect all").click()
    expect_menu(page, "Download these")


def test_ticks_and_language_are_one_browsers_own(shown: Page, browser: Browser) -> None:
    tick(shown, 1)
    expect_menu(shown, "Download the selected row")
    project = shown.url
    press(shown.get_by_role("link", name="Settings"))
    shown.get_by_role("link", name="Deutsch").click()
    expect(shown.get_by_role("link", name="Projekte")).to_be_visible()
    assert "language" not in shown.url
    with open_page(browser) as other:
        other.goto(project)
        wait_for_project(other)
        expect(other.get_by_role("link", name="Projects")).to_be_visible()
        expect(other.get_by_role("button", name="Deselect all")).to_be_hidden()


def test_rows_are_ticked_explained_and_downloaded_by_keys(shown: Page) -> None:
    page = shown
    cells = page.locator(".st-key-rows_table [role=gridcell]")
    page.locator(".st-key-rows_table").scroll_into_view_if_needed()
    expect(cells.nth(3)).to_be_attached()
    page.get_by_role("button", name="Download these").focus()
    go_to_table(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+Space")
    expect_menu(page, "Download the selected row")
    page.get_by_role("button", name="Why this row").press("Enter")
    drawer = page.get_by_role("dialog")
    expect(drawer.get_by_text(re.compile("^Row .* of your list$"))).to_be_visible()
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    page.get_by_role("button", name="Download the selected row").press("Enter")
    link = page.locator(".st-key-download_selection a")
    link.focus()
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == "spring-selection.csv"
