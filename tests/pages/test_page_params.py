"""A slow browser sends an action with the URL from before its last action: both hold."""

from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from tests.applications import complete
from tests.pages.conftest import Desk

BLACK = ["two@throwaway.example", "not an address"]
UNNAMED = b"month,contact,other\r\nMay,one@mailboxes.example,two@mailboxes.example\r\n"


def lag(app: AppTest, old: dict[str, list[str]]) -> None:
    """Let the browser send the URL from before its last action."""
    app.query_params.clear()
    app.query_params.update(old)


def test_a_second_filter_keeps_the_first(desk: Desk) -> None:
    app = desk.open_project()
    old = dict(app.query_params)
    app.button_group(key="filter_action").set_value(["remove"]).run()
    lag(app, old)
    app.text_input(key="filter_search").set_value("a").run()
    assert list(app.dataframe[-1].value["email"]) == BLACK
    lag(app, old)
    app.run()  # a run of the whole page
    assert list(app.dataframe[-1].value["email"]) == BLACK
    app.text_input(key="filter_search").set_value("").run()
    app.button_group(key="filter_action").set_value([]).run()
    assert len(app.dataframe[-1].value) == 3


def test_a_second_choice_about_a_list_keeps_the_first(desk: Desk) -> None:
    app = desk.open_list(UNNAMED)
    old = dict(app.query_params)
    app.selectbox(key="look_email_column").select_index(2).run()
    lag(app, old)
    app.toggle(key="go_deduplicate").set_value(False).run()
    assert app.selectbox(key="look_email_column").value == 2
    assert app.query_params["column"] == "3"


def test_another_page_and_back_reads_the_url(desk: Desk) -> None:
    first, second = complete(desk.opened), complete(desk.opened, project_name="autumn")
    app = desk.open(page_urls.PROJECT, task=first.task_id)
    app.switch_page(str(page_urls.PROJECTS)).run()
    app.query_params["task"] = second.task_id
    app.switch_page(str(page_urls.PROJECT)).run()
    assert app.title[0].value == "autumn"


def test_tabs_stay_the_same_when_the_url_opens_another(desk: Desk) -> None:
    names = set()
    for tab in ("lists", "policies"):
        app = desk.open(page_urls.RULES, tab=tab)
        (tabs,) = app.get("tab_container")
        names.add(tabs.proto.tab_container.id)
    assert str(app.data_editor[0].key).startswith("policies_")
    assert len(names) == 1
