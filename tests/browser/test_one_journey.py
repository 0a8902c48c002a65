"""The way through the desk in a real browser: drop a list, clean it, download it."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import open_options, save_download
from tests.browser.test_journeys import expect_of, start, upload, wait_for_project
from tests.made_lists.make_lists import write_csv
from tests.made_lists.oracle import compare_csv
from tests.server import Server
from winnow.domain_data.look_up.look_up import Knowledge

pytestmark = pytest.mark.browser


def test_a_list_is_dropped_cleaned_and_downloaded(
    page: Page, server: Server, tmp_path: Path, knowledge: Knowledge
):
    source = tmp_path / "spring.csv"
    write_csv(source, 300)
    plan, expected = expect_of(source, knowledge)
    upload(page, server, source)
    start(page)
    wait_for_project(page)
    open_options(page)
    whole, _ = save_download(page, tmp_path / "whole", "Whole list with category")
    assert compare_csv(whole.read_bytes(), source.read_bytes(), plan, expected) == []
