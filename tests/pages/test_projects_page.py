"""The list of projects."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, replace

import pytest
from sqlalchemy import update
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from tests.applications import Clock, complete, submit
from tests.pages.conftest import Desk, read_html, read_markdown
from winnow.core.errors import Gone
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.tasks.task import Task
from winnow.storage.database.tables import tasks


def press(app: AppTest, act: str, *tasks: Task) -> None:
    """Tick projects and press what is to be done with them."""
    names = list_names(app)
    rows = [names.index(task.project_name) for task in tasks]
    choose(app, rows)
    app.button(key=f"chosen_{act}").click().run()


def choose(app: AppTest, rows: Sequence[int]) -> None:
    """Select lines of the table."""
    selection = {"rows": list(rows), "columns": [], "cells": []}
    app.session_state[app.dataframe[0].key] = {"selection": selection}
    app.run()


def list_names(app: AppTest) -> list[str]:
    """Return the projects' names as they stand on the page."""
    return app.dataframe[0].value["name"].tolist() if app.dataframe else []


def test_an_empty_desk_says_what_to_do(desk: Desk) -> None:
    app = desk.open(page_urls.PROJECTS)
    assert any(text.value.startswith("No project yet") for text in app.markdown)
    assert "of 5.0 GB used" in app.progress[0].text
    app.button(key="first_list").click().run()
    assert app.title[0].value == "Clean a list"


def test_a_leap_of_the_clock_is_said_until_it_is_believed(desk: Desk, clock: Clock) -> None:
    sweep = desk.services.retention.sweep
    said = "Winnow did not run for more than a week, or this computer's clock was changed. "
    clock.advance(days=8)
    for hours, lines in (
        (0, [f"{said}Until 29 Nov 2026, 12:00 UTC nothing is deleted by its age."]),
        (24, []),
    ):
        clock.advance(hours=hours)
        sweep(clock())
        captions = desk.open(page_urls.PROJECTS).caption
        assert [one.value for one in captions if one.value.startswith(said)] == lines


def test_a_project_that_waits_says_so(desk: Desk) -> None:
    submit(desk.opened, project_name="waiting")
    (waiting,) = desk.open(page_urls.PROJECTS).dataframe[0].value.to_dict("records")
    assert (waiting["name"], waiting["state"]) == ("waiting", "Waiting for its turn")


def test_a_list_in_a_format_of_a_newer_version_is_still_there(desk: Desk) -> None:
    task = complete(desk.opened, project_name="newer")
    plan = asdict(task.plan) | {"file_format": "orc"}
    with desk.opened.database.writing() as connection:
        connection.execute(update(tasks).values(plan=plan))
    app = desk.open(page_urls.PROJECTS)
    assert list_names(app) == ["newer"]
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    assert app.title[0].value == "newer"


def test_delete_deletes_at_once_and_can_be_undone_for_a_minute(desk: Desk) -> None:
    task = complete(desk.opened, project_name="old letter")
    app = desk.open(page_urls.PROJECTS)
    press(app, "delete", task)
    with pytest.raises(Gone):
        desk.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    shown = read_html(app)
    assert "Deleted: <strong>old letter</strong>." in shown
    assert "60 seconds left to undo this" in shown
    app.button(key=f"undo_{task.task_id}").click().run()
    assert [toast.value for toast in app.toast] == ["1 project restored."]
    assert desk.services.tasks.get(LOCAL_ACCOUNT, task.task_id) == task
    desk.services.deletions.delete(LOCAL_ACCOUNT, [task.task_id])
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    assert app.title[0].value == "This project is gone"
    app.button(key=f"undo_{task.task_id}").click().run()
    assert app.title[0].value == "old letter"
    desk.services.deletions.delete(LOCAL_ACCOUNT, [task.task_id])
    app = desk.open(page_urls.PROJECTS)
    desk.services.clock.advance(seconds=60)
    app.button(key=f"undo_{task.task_id}").click().run()
    assert [toast.value for toast in app.toast] == ["The time to undo is over."]
    used = desk.services.usage.storage(LOCAL_ACCOUNT)
    other = complete(desk.opened)
    desk.services.deletions.delete(LOCAL_ACCOUNT, [other.task_id])
    app = desk.open(page_urls.PROJECTS)
    app.button(key=f"finish_{other.task_id}").click().run()  # frees its space before
    assert desk.services.usage.storage(LOCAL_ACCOUNT) == used
    assert "left to undo" not in read_html(app)


@pytest.mark.slow
def test_several_are_found_and_paged(desk: Desk) -> None:
    for number in range(60):
        submit(desk.opened, project_name=f"list {number}")
        desk.services.clock.advance(seconds=1)
    app = desk.open(page_urls.PROJECTS)
    assert list_names(app) == [f"list {number}" for number in range(59, 9, -1)]
    app.text_input(key="projects_search").set_value("list 2").run()
    found = [52, 42, 32, *range(29, 19, -1), 12, 2]
    assert list_names(app) == [f"list {number}" for number in found]
    assert "15 projects; click a name" in read_markdown(app)
    app.text_input(key="projects_search").set_value("nowhere").run()
    assert list_names(app) == []
    assert any(text.value.startswith("No project has") for text in app.markdown)
    app.switch_page(str(page_urls.PROJECTS)).run()
    assert app.text_input(key="projects_search").value == "nowhere"


def test_two_finished_projects_are_compared_the_older_one_first(desk: Desk) -> None:
    names, finished = ("may", "june", "july"), []
    for name in names:
        finished.append(complete(desk.opened, project_name=name))
        desk.services.clock.advance(seconds=1)
    submit(desk.opened, project_name="waits")
    app = desk.open(page_urls.PROJECTS)
    for others in ([0, 1], [1], [1, 2, 3]):  # one waits, one only, three
        choose(app, others)
        assert "chosen_compare" not in [button.key for button in app.button]
    press(app, "compare", finished[2], finished[0])
    assert app.title[0].value == "Compare two projects"
    assert app.query_params["before"] == finished[0].task_id
    assert app.query_params["now"] == finished[2].task_id


def test_a_project_is_renamed_and_a_bad_name_stays_to_be_mended(desk: Desk) -> None:
    task = complete(desk.opened, project_name="old")
    app = desk.open(page_urls.PROJECTS)
    press(app, "rename", task)
    app.text_input(key="rename_to").set_value("   ")
    app.button(key="FormSubmitter:rename-Rename").click().run()
    assert desk.services.tasks.get(LOCAL_ACCOUNT, task.task_id).project_name == "old"
    press(app, "rename", task)
    app.text_input(key="rename_to").set_value("new *name*")
    app.button(key="FormSubmitter:rename-Rename").click().run()
    assert desk.services.tasks.get(LOCAL_ACCOUNT, task.task_id).project_name == "new *name*"


def test_links_of_the_table_follow_the_default_policy_and_stay(desk: Desk) -> None:
    task, policies = complete(desk.opened), desk.services.policies
    usual = policies.find_default(LOCAL_ACCOUNT)
    choice = replace(usual.choice, adds_reason=True)
    policies.change(LOCAL_ACCOUNT, usual.policy_id, choice=choice)
    app = desk.open(page_urls.PROJECTS)
    press(app, "download", task)
    first = [link.url for link in app.link_button]
    sent = desk.services.downloads.open(first[0].rpartition("/")[2])
    assert b"".join(sent.read_content()).partition(b"\r\n")[0].endswith(b",reason")
    assert app.link_button[1].value == "Everything in one zip file, with the report"
    sent = desk.services.downloads.open(first[1].rpartition("/")[2])
    assert sent.file_name == "spring-files.zip"
    with zipfile.ZipFile(io.BytesIO(b"".join(sent.read_content()))) as archive:
        assert archive.read("spring-removed.csv").count(b"\r\n") == 3
    app.button(key="chosen_download").click().run()
    assert [link.url for link in app.link_button] == first
