"""The report next to the downloads: it follows what is removed, and names nobody."""

import re
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components.project import download_menu
from tests.pages.conftest import Desk, open_options
from winnow.services.tasks.recipe import parse_recipe


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the report's button hands out."""
    found: dict[str, Any] = {}
    button = st.download_button

    def keep(label: str, data: bytes | str, **options: Any) -> bool:
        if options["key"] == "download_recipe":
            found["recipe"] = data
            return button(label, data, **options)
        found.update(name=options["file_name"], data=data)
        return button(label, data, **options)

    monkeypatch.setattr(download_menu.st, "download_button", keep)
    return found


def open_menu(desk: Desk, **query: str) -> AppTest:
    app = desk.open_project(**query)
    return open_options(app, "Report and link")


def test_the_report_names_nobody(desk: Desk, made: dict[str, Any]) -> None:
    open_menu(desk)
    page = made["data"].decode()
    assert made["name"] == "spring-report.html"
    assert not re.search(r"\w@\w", page)


def test_the_settings_of_a_project_are_a_recipe(desk: Desk, made: dict[str, Any]) -> None:
    open_menu(desk)
    recipe = parse_recipe(made["recipe"])
    assert (recipe.email_column, recipe.policy) == ("email", "Standard")
    assert "@" not in made["recipe"]
    open_menu(desk, goes="free")
    assert parse_recipe(made["recipe"]).policy is None


def test_reports_follow_what_goes(desk: Desk, made: dict[str, Any]) -> None:
    open_menu(desk, goes="free")
    page = made["data"].decode()
    assert "Chosen: free providers." in page
    assert '<td>Rows that are removed</td><td class="number">1</td>' in page
