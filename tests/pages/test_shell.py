"""The frame around every page: navigation, first address, foot line, sign-in."""

from html import unescape
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import winnow.bootstrap
from components import places
from components.foot import describe_data
from tests.houses import Clock, open_test_house
from tests.pages.conftest import SHELL, OpenPage, read_html
from winnow.bootstrap import House
from winnow.core.release import VERSION

PLACES = (
    places.CHECK,
    places.CLEAN,
    places.PROJECTS,
    places.PROJECT,
    places.COMPARE,
    places.OWN_LISTS,
    places.API,
)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.stem)
def test_every_page_opens_and_ends_with_the_foot_line(
    house: House, open_page: OpenPage, place: Path
) -> None:
    app = open_page(place)
    assert app.title
    foot = next(part for part in read_html(app).splitlines() if 'class="w-foot"' in part)
    assert house.services.network_status.rstrip(".") in unescape(foot)
    assert "Domain data" in foot
    assert f"Winnow {VERSION}" in foot


def test_every_page_of_the_folder_is_in_the_frame() -> None:
    folder = places.CHECK.parent
    assert {page.name for page in folder.glob("*.py")} - {"__init__.py"} == {
        place.name for place in PLACES
    }


def test_with_a_password_nothing_shows_without_its_cookie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = open_test_house(tmp_path, Clock(), password="a long password")
    monkeypatch.setattr(winnow.bootstrap, "services", lambda: house.services)
    app = AppTest.from_file(SHELL, default_timeout=30).run()
    assert not app.exception
    assert [title.value for title in app.title] == ["Sign in"]
    assert app.link_button[0].url == "/desk/sign-in"
    assert 'class="w-foot"' not in read_html(app)
    st.cache_data.clear()
    house.database.close()


def test_the_foot_line_says_how_old_the_data_is() -> None:
    today = Clock().now.date()
    assert describe_data("2026-11-09.3fa2c1", today) == "Domain data 2026-11-09.3fa2c1, 11 days old"
    assert describe_data("table", today) == "Domain data table"
