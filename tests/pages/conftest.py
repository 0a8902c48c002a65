"""Pages on a backend of their own, driven without a browser."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

import winnow.wiring
from components.frame import page_urls
from tests.applications import LIST, OpenApplication, complete, stage
from tests.waiting import PATIENCE_SECONDS
from winnow.services.services import Services
from winnow.wiring import Application

SHELL = Path(__file__).parents[2] / "components" / "shell.py"


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


class Page(AppTest):
    """A page in a browser; a run that ends with an exception fails the test."""

    def _run(self, *given: Any, **options: Any) -> AppTest:
        super()._run(*given, **options)
        assert not self.exception
        return self


@dataclass(frozen=True, slots=True)
class Desk:
    """A backend, and its pages."""

    opened: Application

    @property
    def services(self) -> Services:
        """The real services."""
        return self.opened.services

    def open(self, place: Path = page_urls.CHECK, **query: str) -> AppTest:
        """Open a page at its address, as the frame shows it."""
        app = Page(str(SHELL), default_timeout=PATIENCE_SECONDS)
        app.context = {"url": "http://127.0.0.1:8501/", "theme": "light"}
        app.query_params.update(query)
        if place != page_urls.CHECK:  # the default page, which has the empty path
            app._finished_page_script_hash = calc_hash(place.stem)
        return app.run()

    def open_project(self, content: bytes = LIST, **query: str) -> AppTest:
        """Clean a list, and open its project."""
        return self.open(page_urls.PROJECT, task=complete(self.opened, content).task_id, **query)

    def open_list(self, content: bytes = LIST, **query: str) -> AppTest:
        """Upload a list, and open it on the Clean page."""
        return self.open(page_urls.CLEAN, upload=stage(self.opened, content).upload_id, **query)

    def check(self, text: str) -> AppTest:
        """Open the Check page with the answer to a text: its field lives in the browser."""
        app = self.open()
        app.session_state["check_text"] = text
        return app.run()


@pytest.fixture
def desk(opened: Application) -> Desk:
    """A backend of its own for each test, and its pages."""
    return Desk(opened)


@pytest.fixture
def handed_out(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[str, Any]]:
    """What each download button hands out by now: the file's name and content, by its label."""
    found: dict[str, tuple[str, Any]] = {}
    button = st.download_button

    def keep(label: str, data: Any, *args: Any, **options: Any) -> bool:
        found[label] = options.get("file_name", ""), data
        return button(label, data, *args, **options)

    monkeypatch.setattr(st, "download_button", keep)
    return found


def press(app: AppTest, key: str) -> AppTest:
    """Press a button."""
    return app.button(key=key).click().run()


def open_tab(app: AppTest, key: str, label: str | bool = True) -> AppTest:
    """Open one of the tabs of a group, or a menu, as a click on it does."""
    app.session_state[key] = label
    return app.run()


def open_options(app: AppTest, tab: str = "Files") -> AppTest:
    """Open a tab of a project's download menu."""
    app.session_state["download_tabs"] = tab
    return open_tab(app, "download_menu")


def read_html(app: AppTest) -> str:
    """Return all markup on the page."""
    return "\n".join(str(element.value) for element in app.html)


def read_captions(app: AppTest) -> str:
    return " ".join(one.value for one in app.caption)


def read_markdown(app: AppTest) -> str:
    """Return the Markdown and the captions on the page."""
    return "\n".join(str(element.value) for element in (*app.markdown, *app.caption))


def find_tables(app: AppTest, column: str) -> list[pd.DataFrame]:
    """Return the tables that have a column."""
    return [table.value for table in app.dataframe if column in table.value]
