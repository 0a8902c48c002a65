"""The notice on a project whose data has moved on, and a row that says why it is not black."""

import pytest
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from components.project.project_head import CHECK_AGAIN
from tests.applications import OpenApplication, complete, run
from tests.pages.conftest import OpenPage, press, read_html
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.tasks.task import Task
from winnow.wiring import Application


@pytest.fixture
def older(open_application: OpenApplication) -> Task:
    """A project that was judged before anything was known of disposable services."""
    return complete(open_application(known={}, data_version="2026-11-03.one"))


def read_notice(app: AppTest) -> list[str]:
    return [mark.value for mark in app.markdown if "Checked with the domain lists" in mark.value]


def test_a_project_of_todays_data_has_no_notice(opened: Application, open_page: OpenPage) -> None:
    app = open_page(page_urls.PROJECT, task=complete(opened).task_id)
    assert read_notice(app) == []
    assert not [button for button in app.button if button.key == CHECK_AGAIN]


def test_the_notice_names_the_day_and_the_button_makes_another_project(
    older: Task, open_application: OpenApplication, open_page: OpenPage
) -> None:
    opened = open_application()
    app = open_page(page_urls.PROJECT, task=older.task_id)
    (notice,) = read_notice(app)
    assert "Checked with the domain lists of 3 Nov 2026" in notice
    press(app, CHECK_AGAIN)
    projects = opened.services.tasks.list(LOCAL_ACCOUNT)
    assert [task.project_name for task in projects] == [older.project_name] * 2
    (again,) = [task for task in projects if task.task_id != older.task_id]
    assert app.query_params["task"] == again.task_id
    run(opened)
    done = opened.services.tasks.get(LOCAL_ACCOUNT, again.task_id)
    assert done.summary is not None
    assert done.summary.by_category == {"white": 1, "black": 2}


def test_the_check_page_says_why_it_is_not_black(open_page: OpenPage) -> None:
    app = open_page()
    app.session_state["check_text"] = "ana@mailboxes.example"
    app.run()
    assert [expander.label for expander in app.expander] == [
        "Why not remove it?",
        "For developers",
    ]
    assert "DNS was not asked whether it exists and takes mail." in read_html(app)
    app.session_state["check_text"] = "ana@throwaway.example"
    app.run()
    assert [expander.label for expander in app.expander] == ["For developers"]
