"""A second email column on "Clean a list": offered, chosen, taken back; the run uses it."""

import pytest

from components.frame import page_urls
from tests.applications import run, stage
from tests.pages.conftest import Desk, press, read_html
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.lists.rows import RowFilter

LIST = (
    b"id,Work,Private\n1,ana@gmail.com,\n2,,bo@gmail.com\n3,cy@gmail.com,Bo@gmail.com\n"
    b"4,,bo@gmail.com\n"
)


@pytest.mark.slow
def test_the_second_column_is_used_where_the_first_is_empty(desk: Desk) -> None:
    app = desk.open_list(LIST)
    assert any("2 columns hold addresses" in one.value for one in app.warning)
    press(app, "look_email_column_1")
    assert not app.warning
    assert any(one.value.startswith("Private holds addresses too.") for one in app.caption)
    app.selectbox(key="look_second_email_column").select(2).run()
    assert app.query_params["second"] in ("3", ["3"])
    assert "email column: Work, or Private where it is empty" in read_html(app)
    assert not any("holds addresses too" in one.value for one in app.caption)
    press(app, "go_start")
    run(desk.opened)
    (task,) = desk.services.tasks.list(LOCAL_ACCOUNT)
    assert (task.plan.email_column, task.plan.second_email_column) == (1, 2)
    assert task.summary is not None
    assert (task.summary.rows_out, task.summary.duplicates_removed) == (3, 1)
    page = desk.services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 9)
    assert [row.email for row in page.rows] == ["ana@gmail.com", "cy@gmail.com", "bo@gmail.com"]
    app = desk.open(page_urls.PROJECT, task=task.task_id)


def test_it_is_taken_back_and_is_never_the_first(desk: Desk) -> None:
    upload_id = stage(desk.opened, LIST).upload_id
    app = desk.open(page_urls.CLEAN, upload=upload_id, column="2", second="3")
    assert app.selectbox(key="look_second_email_column").value == 2
    app.selectbox(key="look_email_column").select(2).run()
    assert "second" not in app.query_params
    app.selectbox(key="look_second_email_column").select(1).run()
    app.selectbox(key="look_second_email_column").set_value(None).run()
    assert "second" not in app.query_params
    assert not app.button(key="go_start").disabled
