"""While a list is cleaned: the page is loaded again, and what is deleted can be undone."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import press, wait_until_still
from tests.browser.test_journeys import clean, start, upload, wait_for_project
from tests.browser.test_selecting import tick_in
from tests.faults.held_worker import HOLD
from tests.made_lists.make_lists import write_csv
from tests.server import Server, write_command

pytestmark = pytest.mark.browser


def write_held_command(port: int) -> tuple[str, ...]:
    """Return how a server starts whose worker stands still while the file ``hold`` exists."""
    code = (
        "from winnow import serving; from tests.faults.small_server import supervise_held;"
        "serving.Supervisor = supervise_held; from winnow.__main__ import main; main()"
    )
    _, _, _, *arguments = write_command(port)
    return sys.executable, "-c", code, *arguments


@pytest.fixture(scope="module")
def held(serve: Callable[..., Server]) -> Server:
    return serve(command=write_held_command)


def test_what_is_deleted_while_a_list_is_cleaned_can_be_undone(
    browser: Browser, page: Page, held: Server, tmp_path: Path
) -> None:
    page.goto(clean(browser, held, write_csv(tmp_path / "spring.csv", 10)))
    wait_for_project(page)
    (held.data_dir / HOLD).touch()
    clean(browser, held, write_csv(tmp_path / "summer.csv", 10))
    page.goto(f"{held.url}/projects")
    for row, name in (1, "spring"), (0, "summer"):  # finished; being cleaned
        expect(page.get_by_text(f"{row + 1} project")).to_be_visible()
        tick_in(page.get_by_test_id("stDataFrame"), row)
        press(page.get_by_role("button", name="Delete"))
        expect(page.get_by_text(f"Deleted: {name}.")).to_be_visible()
    (held.data_dir / HOLD).unlink()


def test_refresh_during_a_running_task(page: Page, held: Server, tmp_path: Path) -> None:
    (held.data_dir / HOLD).touch()
    upload(page, held, write_csv(tmp_path / "large.csv", 3_000))
    button = page.locator(".st-key-go_start button")
    expect(button).to_be_focused()
    expect(button).to_be_in_viewport(ratio=1)
    task_id = start(page)
    page.reload()
    assert task_id in page.url
    wait_until_still(page)
    expect(page.locator(".st-key-result_sum")).to_have_count(0)
    (held.data_dir / HOLD).unlink()
    wait_for_project(page)
    expect(page.locator(".st-key-result_sum")).to_contain_text("3,000")
    expect(page.locator(".st-key-download_cleaned a:focus")).to_have_count(1)
    expect(page.get_by_role("link", name="Projects")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()  # Streamlit closes the menu of a narrow page when it is loaded
    expect(page.locator(".st-key-result_sum")).to_contain_text("3,000")
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")
    expect(page.get_by_role("link", name="Projects")).to_be_hidden()
