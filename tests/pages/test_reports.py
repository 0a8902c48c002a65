"""The reports beside the downloads: they follow what goes, and name nobody unless asked."""

import re
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from components.project import download_menu
from tests.applications import complete
from tests.pages.conftest import OpenPage, open_options
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.tasks.recipe import parse_recipe
from winnow.wiring import Application

REMOVED = ("<td>two@throwaway.example</td>", "<td>not an address</td>")


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


def open_menu(opened: Application, open_page: OpenPage, **query: str) -> AppTest:
    app = open_page(page_urls.PROJECT, task=complete(opened).task_id, **query)
    return open_options(app, "Report and link")


def test_reports_name_nobody_until_it_is_asked_for(
    opened: Application, open_page: OpenPage, made: dict[str, Any]
) -> None:
    app = open_menu(opened, open_page)
    page = made["data"].decode()
    assert made["name"] == "spring-report.html"
    assert not any(text in page for text in REMOVED)
    assert not re.search(r"\w@\w", page)
    assert not app.checkbox(key="report_addresses").value
    app.checkbox(key="report_addresses").check().run()
    assert not app.exception
    page = made["data"].decode()
    assert made["name"] == "spring-report-with-addresses.html"
    assert all(text in page for text in REMOVED)
    assert "one@mailboxes.example" not in page.lower()
    assert "report" not in "".join(app.query_params)


@pytest.mark.parametrize(
    ("kind", "name"), [("workbook", "spring-report.xlsx"), ("explanation", "spring-decision.html")]
)
def test_the_other_reports(
    opened: Application, open_page: OpenPage, made: dict[str, Any], kind: str, name: str
) -> None:
    app = open_menu(opened, open_page)
    app.selectbox(key="report_kind").set_value(kind).run()
    assert not app.exception
    assert made["name"] == name


def test_the_settings_of_a_project_are_a_recipe(
    opened: Application, open_page: OpenPage, made: dict[str, Any]
) -> None:
    open_menu(opened, open_page)
    recipe = parse_recipe(made["recipe"])
    assert (recipe.email_column, recipe.policy) == ("email", "Standard")
    assert "@" not in made["recipe"]
    open_menu(opened, open_page, goes="free")
    assert parse_recipe(made["recipe"]).policy is None


def test_reports_follow_what_goes(
    opened: Application, open_page: OpenPage, made: dict[str, Any]
) -> None:
    open_menu(opened, open_page, goes="free")
    page = made["data"].decode()
    assert "Chosen: free providers." in page
    assert '<td>Rows that are removed</td><td class="number">1</td>' in page


def test_where_nothing_goes_there_is_nothing_to_name(
    opened: Application, open_page: OpenPage, made: dict[str, Any]
) -> None:
    app = open_menu(opened, open_page, goes="nothing")
    assert app.checkbox(key="report_addresses").disabled
    assert "Chosen: nothing." in made["data"].decode()


def test_no_more_addresses_than_a_thousand(opened: Application) -> None:
    content = b"email\n" + b"".join(b"a%d@throwaway.example\n" % one for one in range(1_200))
    task = complete(opened, content)
    rows = opened.services.results.list_removed(
        LOCAL_ACCOUNT, task.task_id, CleaningPolicy(), download_menu.LISTED_MAX
    )
    assert [row.email for row in rows] == [f"a{one}@throwaway.example" for one in range(1_000)]
