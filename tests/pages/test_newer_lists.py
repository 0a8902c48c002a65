"""The notice on a project whose data has moved on, and a row that says why it is not black."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from components.project.project_head import CHECK_AGAIN, describe_newer
from tests.applications import Clock, complete, open_loud_client, run
from tests.pages.conftest import OpenPage, read_html
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.ports import StaticKnowledge
from winnow.core.settings import Settings
from winnow.core.tasks.task import Task
from winnow.core.verdicts.facts import DomainFacts
from winnow.wiring import Application, build_application


@pytest.fixture
def older(tmp_path: Path, opened: Application) -> Task:
    """A project that was judged before anything was known of disposable services."""
    before = build_application(
        Settings(data_dir=tmp_path / "data"),
        clock=Clock(),
        open_knowledge=lambda: StaticKnowledge(
            {"throwaway.example": DomainFacts("throwaway.example")}, data_version="2026-11-03.one"
        ),
        open_client=open_loud_client,
    )
    task = complete(before)
    before.database.close()
    return task


def read_notice(app: AppTest) -> list[str]:
    return [mark.value for mark in app.markdown if "Checked with the domain lists" in mark.value]


def test_a_project_of_todays_data_has_no_notice(opened: Application, open_page: OpenPage) -> None:
    app = open_page(page_urls.PROJECT, task=complete(opened).task_id)
    assert read_notice(app) == []
    assert not [button for button in app.button if button.key == CHECK_AGAIN]


def test_the_notice_names_the_day_and_the_button_makes_another_project(
    opened: Application, open_page: OpenPage, older: Task
) -> None:
    app = open_page(page_urls.PROJECT, task=older.task_id)
    (notice,) = read_notice(app)
    assert "Checked with the domain lists of 3 Nov 2026" in notice
    app.button(key=CHECK_AGAIN).click().run()
    assert not app.exception
    projects = opened.services.tasks.list(LOCAL_ACCOUNT)
    assert [task.project_name for task in projects] == [older.project_name] * 2
    (again,) = [task for task in projects if task.task_id != older.task_id]
    assert app.query_params["task"] == again.task_id
    run(opened)
    done = opened.services.tasks.get(LOCAL_ACCOUNT, again.task_id)
    assert done.summary is not None
    assert done.summary.by_category == {"white": 1, "black": 2}


def test_the_sentence() -> None:
    newer = describe_newer("2026-11-03.one", "2026-11-20.two")
    assert newer.endswith("lists of 3 Nov 2026; there are newer ones, of 20 Nov 2026.")
    changed = describe_newer("2026-11-03.one", "2026-11-03.two")
    assert changed.endswith("lists of 3 Nov 2026, which have changed since.")


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
