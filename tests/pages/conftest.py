"""Pages on a backend of their own, driven without a browser."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import winnow.bootstrap
from components import places
from tests.houses import Clock, open_test_house
from winnow.bootstrap import House

SHELL = Path(__file__).parents[2] / "components" / "shell.py"
OpenPage = Callable[..., AppTest]


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """A backend that every page of this test stands on."""
    built = open_test_house(tmp_path, Clock())
    monkeypatch.setattr(winnow.bootstrap, "services", lambda: built.services)
    yield built
    st.cache_data.clear()
    built.database.close()


@pytest.fixture
def open_page(house: House) -> OpenPage:
    """Open a page at its address, as the frame shows it."""

    def open_at(place: Path = places.CHECK, **query: str) -> AppTest:
        app = AppTest.from_file(SHELL, default_timeout=30)
        app.context = {"url": "http://127.0.0.1:8501/", "theme": "light"}
        app.run()
        for name, value in query.items():
            app.query_params[name] = value
        if place != places.CHECK or query:
            app.switch_page(str(place)).run()
        assert not app.exception
        return app

    return open_at


def read_html(app: AppTest) -> str:
    """Return all markup on the page."""
    return "\n".join(str(element.value) for element in app.html)
