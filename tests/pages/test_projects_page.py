"""The list of projects."""

from collections.abc import Sequence
from dataclasses import asdict, replace

import pytest
from sqlalchemy import update
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from tests.applications import Clock, complete, stage, submit
from tests.pages.conftest import OpenPage, read_html
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import Gone
from winnow.core.tasks.task import Task
from winnow.storage.database.tables import tasks
from winnow.wiring import Application


def press(app: AppTest, act: str, *tasks: Task) -> None:
    """Tick projects and press what is to be done with them."""
    names = list_names(app)
    rows = [names.index(task.project_name) for task in tasks]
    choose(app, rows)
    app.button(key=f"chosen_{act}").click().run()
    assert not app.exception


def choose(app: AppTest, rows: Sequence[int]) -> None:
    """Select lines of the table."""
    selection = {"rows": list(rows), "columns": [], "cells": []}
    app.session_state[app.dataframe[0].key] = {"selection": selection}
    app.run()


def list_names(app: AppTest) -> list[str]:
    """Return the projects' names as they stand on the page."""
    return app.dataframe[0].value["name"].tolist() if app.dataframe else []


def test_an_empty_desk_says_what_to_do(open_page: OpenPage) -> None:
    app = open_page(page_urls.PROJECTS)
    assert any(text.value.startswith("No project yet") for text in app.markdown)
    assert "of 5.0 GB used" in read_html(app)
    app.button(key="first_list").click().run()
    assert not app.exception
    assert app.title[0].value == "Clean a list"


def test_projects_are_told_at_a_glance(
    opened: Application, open_page: OpenPage, clock: Clock
) -> None:
    complete(opened, project_name="done")
    clock.advance(seconds=1)
    submit(opened, project_name="waiting")
    app = open_page(page_urls.PROJECTS)
    waiting, done = app.dataframe[0].value.to_dict("records")
    assert (waiting["name"], waiting["state"]) == ("waiting", "Waiting for its turn")
    assert (done["name"], done["rows"], done["left"]) == ("done", 3, 30)


def test_a_list_in_a_format_of_a_newer_version_is_still_there(
    opened: Application, open_page: OpenPage
) -> None:
    task = complete(opened, project_name="newer")
    plan = asdict(task.plan) | {"file_format": "orc"}
    with opened.database.write() as connection:
        connection.execute(update(tasks).values(plan=plan))
    app = open_page(page_urls.PROJECTS)
    assert list_names(app) == ["newer"]
    app = open_page(page_urls.PROJECT, task=task.task_id)
    assert not app.exception
    assert app.title[0].value == "newer"


def test_delete_deletes_at_once_and_can_be_undone(opened: Application, open_page: OpenPage) -> None:
    task = complete(opened, project_name="old letter")
    app = open_page(page_urls.PROJECTS)
    press(app, "delete", task)
    assert not app.exception
    with pytest.raises(Gone):
        opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    shown = read_html(app)
    assert "Deleted: <strong>old letter</strong>." in shown
    assert "60 seconds left to undo this" in shown
    app.button(key=f"undo_{task.task_id}").click().run()
    assert not app.exception
    assert [toast.value for toast in app.toast] == ["1 project restored."]
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id) == task


def test_an_undo_that_comes_too_late_says_so(opened: Application, open_page: OpenPage) -> None:
    task = complete(opened)
    opened.services.deletions.delete(LOCAL_ACCOUNT, [task.task_id])
    app = open_page(page_urls.PROJECTS)
    opened.services.clock.advance(seconds=60)
    app.button(key=f"undo_{task.task_id}").click().run()
    assert not app.exception
    assert [toast.value for toast in app.toast] == [
        "The time to undo is over: 1 project is deleted."
    ]


def test_space_can_be_freed_before_the_minute_is_over(
    opened: Application, open_page: OpenPage
) -> None:
    task = complete(opened)
    opened.services.deletions.delete(LOCAL_ACCOUNT, [task.task_id])
    app = open_page(page_urls.PROJECTS)
    app.button(key=f"finish_{task.task_id}").click().run()
    assert not app.exception
    assert opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes == 0
    assert "left to undo" not in read_html(app)


def test_the_page_of_a_deleted_project_brings_it_back(
    opened: Application, open_page: OpenPage
) -> None:
    task = complete(opened, project_name="old letter")
    opened.services.deletions.delete(LOCAL_ACCOUNT, [task.task_id])
    app = open_page(page_urls.PROJECT, task=task.task_id)
    assert app.title[0].value == "This project is gone"
    app.button(key=f"undo_{task.task_id}").click().run()
    assert app.title[0].value == "old letter"


@pytest.mark.slow
def test_several_are_found_and_paged(opened: Application, open_page: OpenPage) -> None:
    for number in range(60):
        submit(opened, project_name=f"list {number}")
        opened.services.clock.advance(seconds=1)
    app = open_page(page_urls.PROJECTS)
    assert list_names(app) == [f"list {number}" for number in range(59, 9, -1)]
    app.text_input(key="projects_search").set_value("list 2").run()
    found = [52, 42, 32, *range(29, 19, -1), 12, 2]
    assert list_names(app) == [f"list {number}" for number in found]
    assert "15 projects found" in read_html(app)
    app.text_input(key="projects_search").set_value("nowhere").run()
    assert list_names(app) == []
    assert any(text.value.startswith("No project has") for text in app.markdown)
    app.switch_page(str(page_urls.PROJECTS)).run()
    assert app.text_input(key="projects_search").value == "nowhere"


def test_a_project_is_renamed_and_a_bad_name_stays_to_be_mended(
    opened: Application, open_page: OpenPage
) -> None:
    task = complete(opened, project_name="old")
    app = open_page(page_urls.PROJECTS)
    press(app, "rename", task)
    app.text_input(key="rename_to").set_value("   ")
    app.button(key="FormSubmitter:rename-Rename").click().run()
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id).project_name == "old"
    press(app, "rename", task)
    app.text_input(key="rename_to").set_value("new *name*")
    app.button(key="FormSubmitter:rename-Rename").click().run()
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id).project_name == "new *name*"


def test_two_lead_to_their_comparison(opened: Application, open_page: OpenPage) -> None:
    tasks = [complete(opened, project_name=f"letter {number}") for number in range(2)]
    app = open_page(page_urls.PROJECTS)
    press(app, "compare", *tasks)
    assert app.title[0].value == "Compare two projects"


@pytest.mark.slow
def test_every_upload_that_was_not_cleaned_is_reached(
    opened: Application, open_page: OpenPage
) -> None:
    for number in range(52):
        stage(opened, name=f"left {number}.csv")
    app = open_page(page_urls.CLEAN)
    assert any("2 more uploaded lists wait under Projects" in one.value for one in app.page_link)
    app = open_page(page_urls.PROJECTS)
    discards = [one for one in app.button if str(one.key).startswith("waiting_discard_")]
    assert len(discards) == 52
    discards[4].click().run()
    assert len(opened.services.uploads.list_waiting(LOCAL_ACCOUNT)) == 51
    goes = [one for one in app.button if str(one.key).startswith("waiting_go_")]
    goes[3].click().run()
    assert not app.exception
    assert app.title[0].value == "Clean a list"


def test_links_of_the_table_follow_the_default_policy_and_stay(
    opened: Application, open_page: OpenPage
) -> None:
    task, policies = complete(opened), opened.services.policies
    usual = policies.find_default(LOCAL_ACCOUNT)
    choice = replace(usual.choice, adds_reason=True)
    policies.change(LOCAL_ACCOUNT, usual.policy_id, choice=choice)
    app = open_page(page_urls.PROJECTS)
    press(app, "download", task)
    first = [link.url for link in app.link_button]
    sent = opened.services.downloads.open(first[0].rpartition("/")[2])
    assert b"".join(sent.read()).partition(b"\r\n")[0].endswith(b",reason")
    app.button(key="chosen_download").click().run()
    assert [link.url for link in app.link_button] == first
