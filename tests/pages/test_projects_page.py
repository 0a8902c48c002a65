"""The list of projects."""

from dataclasses import asdict

import pytest
from sqlalchemy import update

from components import page_urls
from tests.applications import complete, submit
from tests.pages.conftest import OpenPage, read_html
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import Gone
from winnow.core.tasks.task import Phase, Progress
from winnow.storage.database.tables import tasks
from winnow.storage.repositories.leases import claim_task, report_progress
from winnow.wiring import Application


def test_an_empty_desk_says_what_to_do(open_page: OpenPage) -> None:
    app = open_page(page_urls.PROJECTS)
    assert any(text.value.startswith("No project yet") for text in app.markdown)
    assert "of 5.0 GB used" in read_html(app)
    app.button(key="first_list").click().run()
    assert not app.exception
    assert app.title[0].value == "Clean a list"


def test_projects_are_told_at_a_glance(opened: Application, open_page: OpenPage) -> None:
    complete(opened, project_name="done")
    submit(opened, project_name="waiting")
    app = open_page(page_urls.PROJECTS)
    assert [link.value for link in app.page_link][:2] == ["**waiting**", "**done**"]
    shown = read_html(app)
    assert "3 rows" in shown
    assert "30 days left" in shown
    assert "Waiting for its turn" in shown


def test_a_list_in_a_format_of_a_newer_version_is_still_there(
    opened: Application, open_page: OpenPage
) -> None:
    task = complete(opened, project_name="newer")
    plan = asdict(task.plan) | {"file_format": "orc"}
    with opened.database.write() as connection:
        connection.execute(update(tasks).values(plan=plan))
    app = open_page(page_urls.PROJECTS)
    assert app.page_link[0].value == "**newer**"
    app = open_page(page_urls.PROJECT, task=task.task_id)
    assert not app.exception
    assert app.title[0].value == "newer"


def test_waiting_lists_say_behind_which_they_stand(
    opened: Application, open_page: OpenPage
) -> None:
    waiting = []
    for name in ("customers <2026>", "letter", "fair"):
        waiting.append(submit(opened, project_name=name))
        opened.services.clock.advance(seconds=1)
    shown = read_html(open_page(page_urls.PROJECTS))
    assert "number 2 in the queue, behind customers &lt;2026&gt;" in shown
    assert "number 3 in the queue, behind letter" in shown
    lease = claim_task(opened.database, "worker", opened.services.clock())
    assert lease is not None
    half = Progress(Phase.WRITING, 50, 100)
    report_progress(opened.database, lease, half, opened.services.clock())
    shown = read_html(open_page(page_urls.PROJECTS))
    assert 'aria-label="75 % done"' in shown
    assert "next in the queue, behind customers" in shown
    app = open_page(page_urls.PROJECT, task=waiting[1].task_id)
    (bar,) = app.get("progress")
    assert bar.proto.text == r"Waiting for its turn\: next in the queue, behind customers \<2026\>"


def test_delete_asks_once_names_the_project_and_deletes(
    opened: Application, open_page: OpenPage
) -> None:
    task = complete(opened, project_name="old letter")
    app = open_page(page_urls.PROJECTS)
    app.button(key=f"delete_{task.task_id}").click().run()
    assert any("old letter" in text.value and "submitted" in text.value for text in app.markdown)
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    app.button(key="delete_yes").click().run()
    assert not app.exception
    with pytest.raises(Gone):
        opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    shown = read_html(app)
    assert "Deleted: <strong>old letter</strong>." in shown
    assert "60 seconds left to undo this" in shown
    app.button(key=f"undo_{task.task_id}").click().run()
    assert not app.exception
    assert [toast.value for toast in app.toast] == ["1 project is back."]
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


def test_keeping_it_keeps_it(opened: Application, open_page: OpenPage) -> None:
    task = complete(opened)
    app = open_page(page_urls.PROJECTS)
    app.button(key=f"delete_{task.task_id}").click().run()
    app.button(key="delete_no").click().run()
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)


def test_download_offers_every_file_that_has_rows(opened: Application, open_page: OpenPage) -> None:
    task = complete(opened)
    app = open_page(page_urls.PROJECTS)
    app.button(key=f"download_{task.task_id}").click().run()
    assert not app.exception
    offered = {link.value.partition(":")[0]: link for link in app.link_button}
    assert list(offered) == [
        "Cleaned list",
        "Removed rows, as a suppression list",
        "Rows to review",
        "Whole list with category and domain type",
        "Everything in one zip file, with the reports",
    ]
    assert offered["Rows to review"].disabled
    assert app.code[0].value.startswith("http://127.0.0.1:8501/v1/external-api-requests/downloads/")
