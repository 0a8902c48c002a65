"""Pages on a backend of their own, driven without a browser."""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

import winnow.wiring
from components.frame import page_urls
from tests.applications import OpenApplication
from winnow.wiring import Application

SHELL = Path(__file__).parents[2] / "components" / "shell.py"
OpenPage = Callable[..., AppTest]


@pytest.fixture(scope="session", autouse=True)
def _one_scan() -> Iterator[None]:
    """Look for components in the installed packages once a run, not once a page."""
    with pytest.MonkeyPatch.context() as patch:
        scan = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture
def open_application(
    open_application: OpenApplication, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OpenApplication]:
    """Open backends; the pages of the test stand on the last one."""

    def open_one(**options: Any) -> Application:
        built = open_application(**options)
        monkeypatch.setattr(winnow.wiring, "services", lambda: built.services)
        return built

    yield open_one
    st.cache_data.clear()


@pytest.fixture
def open_page(opened: Application) -> OpenPage:
    """Open a page at its address, as the frame shows it."""

    def open_at(place: Path = page_urls.CHECK, **query: str) -> AppTest:
        app = AppTest.from_file(SHELL, default_timeout=30)
        app.context = {"url": "http://127.0.0.1:8501/", "theme": "light"}
        app.run()
        for name, value in query.items():
            app.query_params[name] = value
        if place != page_urls.CHECK or query:
            app.switch_page(str(place)).run()
        assert not app.exception
        return app

    return open_at


def press(app: AppTest, key: str) -> AppTest:
    """Press a button; no part of the page may fail then."""
    app.button(key=key).click().run()
    assert not app.exception
    return app


def open_tab(app: AppTest, key: str, label: str | bool = True) -> AppTest:
    """Open one of the tabs of a group, or a menu, as a click on it does."""
    app.session_state[key] = label
    app.run()
    assert not app.exception
    return app


def open_options(app: AppTest, tab: str = "Files") -> AppTest:
    """Open a tab of a project's download menu."""
    app.session_state["download_tabs"] = tab
    return open_tab(app, "download_menu")


def read_html(app: AppTest) -> str:
    """Return all markup on the page."""
    return "\n".join(str(element.value) for element in app.html)
