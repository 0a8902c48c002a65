"""What is removed is chosen on the project's page; every file follows, and the address says it."""

import re
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from components.project.view import read_choice
from tests.applications import CHECKED_LIST, complete
from tests.pages.conftest import Desk, open_options, read_html
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.lists.exports import NOTHING_CHOSEN
from winnow.core.lists.file_format import TRAITS, FileFormat
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.verdict import Category
from winnow.services.tasks.recipe import parse_recipe
from winnow.wiring import Application

HEAD, FREE, DISPOSABLE, INVALID = CHECKED_LIST.splitlines(keepends=True)


def open_project(desk: Desk, **query: str) -> AppTest:
    app = desk.open_project(**query)
    return open_options(app, "Rows to leave out")


def read_link(opened: Application, app: AppTest, number: int = 0) -> tuple[str, bytes]:
    """Follow a link; return the file's name and content."""
    sent = opened.services.downloads.open(app.link_button[number].url.rpartition("/")[2])
    return sent.file_name, b"".join(sent.read())


def choose(app: AppTest, *grounds: Ground) -> None:
    app.button_group(key="policy_grounds").set_value(list(grounds)).run()


def test_black_goes_until_something_else_is_chosen(desk: Desk) -> None:
    app = open_project(desk)
    assert "2 removed = <strong>1</strong>" in read_html(app)
    (reasons,) = (one.value for one in app.dataframe if "share" in one.value)
    assert "disposable service on independent lists" in set(reasons["name"])
    offered = app.button_group(key="policy_grounds")
    assert list(offered.options) == ["✕ remove 2", "free providers 1"]
    choose(app, Ground.FREE_PROVIDER)
    assert app.query_params["goes"] == "free"
    assert "1 removed = <strong>2</strong>" in read_html(app)
    assert app.link_button[0].value == "Download 2 rows"
    assert read_link(desk.opened, app) == ("spring-kept.csv", HEAD + DISPOSABLE + INVALID)


def test_nothing_goes_and_everything_goes(desk: Desk) -> None:
    app = open_project(desk)
    choose(app)
    assert app.query_params["goes"] == "nothing"
    assert "0 removed = <strong>3</strong>" in read_html(app)
    choose(app, Ground.BLACK, Ground.FREE_PROVIDER)
    assert "3 removed = <strong>0</strong>" in read_html(app)
    assert app.link_button[0].disabled


@pytest.mark.slow
def test_how_the_files_look(desk: Desk) -> None:
    app = open_options(open_project(desk), "Columns")
    app.checkbox(key="file_reason").check().run()
    app.checkbox(key="file_safe").check().run()
    app.selectbox(key="file_format").set_value(FileFormat.TSV).run()
    assert app.query_params["with"] == "reason,safe"
    assert app.query_params["as"] == "tsv"
    name, content = read_link(desk.opened, app)
    assert name == "spring-cleaned.tsv"
    assert content.decode("utf-8-sig").splitlines() == [
        "id\temail\tcategory\tdomain_type\treason",
        "02\tONE@mailboxes.example\twhite\tfree\tfree_provider",
    ]


def test_a_workbook_needs_no_apostrophes(desk: Desk) -> None:
    app = open_project(desk, **{"as": "xlsx", "with": "safe"})
    open_options(app, "Columns")
    assert app.checkbox(key="file_safe").disabled
    name, _ = read_link(desk.opened, app)
    assert name == "spring-cleaned.xlsx"


def test_more_rows_than_a_sheet_holds_are_said_not_offered(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TRAITS, FileFormat.XLSX, replace(FileFormat.XLSX.traits, most_rows=0))
    app = open_project(desk, **{"as": "xlsx"})
    assert app.link_button[0].disabled
    assert any("Choose CSV instead." in caption.value for caption in app.caption)


def test_own_lists_show_in_what_goes(desk: Desk) -> None:
    task = complete(desk.opened)
    desk.services.own_lists.add(LOCAL_ACCOUNT, "throwaway.example", Category.GREY)
    desk.services.own_lists.add(LOCAL_ACCOUNT, "mailboxes.example", Category.WHITE)
    app = desk.open(page_urls.PROJECT, task=task.task_id, goes="black,own-grey,free")
    open_options(app, "Rows to leave out")
    options = app.button_group(key="policy_grounds").options
    assert list(options) == ["✕ remove 1", "◐ your review list 1", "free providers 0"]
    assert "2 removed = <strong>1</strong>" in read_html(app)


@pytest.mark.parametrize(
    "query",
    [
        {"goes": "ana@firm.de,<script>"},
        {"goes": ""},
        {"goes": "black,black,"},
        {"as": "pdf", "with": "everything"},
    ],
)
def test_what_no_address_can_say_is_the_default(query: dict[str, str]) -> None:
    assert read_choice(query) == NOTHING_CHOSEN


def test_the_report_and_the_settings_name_nobody(
    desk: Desk, handed_out: dict[str, tuple[str, Any]]
) -> None:
    open_options(desk.open_project(), "Report and link")
    name, page = handed_out["Download the report"]
    assert name == "spring-report.html"
    assert not re.search(r"\w@\w", page.decode())
    _, settings = handed_out["Download these settings"]
    recipe = parse_recipe(settings)
    assert (recipe.email_column, recipe.policy) == ("email", "Standard")
    assert "@" not in settings


def test_both_follow_what_goes(desk: Desk, handed_out: dict[str, tuple[str, Any]]) -> None:
    open_options(desk.open_project(goes="free"), "Report and link")
    assert parse_recipe(handed_out["Download these settings"][1]).policy is None
    page = handed_out["Download the report"][1].decode()
    assert "Chosen: free providers." in page
    assert '<td>Rows that are removed</td><td class="number">1</td>' in page
