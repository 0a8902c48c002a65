"""Duplicates on "Clean a list": which row stays is chosen, and some groups show it beforehand."""

import pytest
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from tests.applications import run, stage
from tests.pages.conftest import OpenPage, press
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.lists.rows import RowFilter
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.repair_choice import RepairPlace
from winnow.wiring import Application

ROWS = (
    b"id,email,Signed up,note\n"
    b"1,ana@gmail.com,3/4/2024,x\n"
    b"2,bo@gmail.com,1/31/2024,\n"
    b"3,Ana@gmail.com,2/5/2024,\n"
    b'4,ana@gmail.com,soon,"two\nlines"\n'
    b"5,ana@gmail.com,,\n"
    b"6,cy@gmail.com,,\n"
    b"7,di@gmail.com,,\n"
)


def open_list(
    opened: Application, open_page: OpenPage, content: bytes = ROWS
) -> tuple[AppTest, str]:
    upload = stage(opened, content)
    return open_page(page_urls.CLEAN, upload=upload.upload_id), upload.upload_id


def choose_rule(app: AppTest, upload_id: str, keep: Keep, date_column: int | None = 2) -> None:
    app.selectbox(key=f"go_{upload_id}_keep").select(keep).run()
    if keep is Keep.NEWEST:
        app.selectbox(key=f"go_{upload_id}_keep_by").select(date_column).run()


def read_rows(app: AppTest) -> list[list[object]]:
    (frame,) = [one.value for one in app.dataframe if "fate" in one.value.columns]
    return [list(row) for row in frame.itertuples(index=False)]


def test_aliases_are_joined_where_that_is_chosen(opened: Application, open_page: OpenPage) -> None:
    app, _ = open_list(opened, open_page)
    assert not app.toggle(key="go_join_aliases").value
    app.toggle(key="go_join_aliases").set_value(True).run()
    app.toggle(key="go_mailbox").set_value(True).run()
    press(app, "go_start")
    (task,) = opened.services.tasks.list(LOCAL_ACCOUNT)
    assert task.options.keep == KeepRule(joins_aliases=True, adds_mailbox=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keep", "rule", "stays"),
    [
        (Keep.LAST, KeepRule(), "5"),
        (Keep.FIRST, KeepRule(Keep.FIRST), "1"),
        (Keep.NEWEST, KeepRule(Keep.NEWEST, 2), "1"),
        (Keep.COMPLETE, KeepRule(Keep.COMPLETE), "4"),
    ],
)
def test_the_rule_that_is_chosen_is_the_runs(
    opened: Application, open_page: OpenPage, keep: Keep, rule: KeepRule, stays: str
) -> None:
    app, upload_id = open_list(opened, open_page)
    choose_rule(app, upload_id, keep)
    app.toggle(key="look_duplicates").set_value(True).run()
    shown = read_rows(app)
    press(app, "go_start")
    run(opened)
    (task,) = opened.services.tasks.list(LOCAL_ACCOUNT)
    assert (task.deduplicate, task.options.keep) == (True, rule)
    page = opened.services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 9)
    assert sorted(row.cells[0] for row in page.rows) == sorted(["2", "6", "7", stays])
    offset = 3 if keep in (Keep.NEWEST, Keep.COMPLETE) else 2
    assert [row[0] for row in shown] == [2, 4, 5, 6]  # a cell of two lines is in one row
    (fate,) = [row for row in shown if str(row[1]).startswith("stays")]
    assert fate[offset:].count(stays) == 1


@pytest.mark.slow
def test_what_is_chosen_outlives_a_reload(opened: Application, open_page: OpenPage) -> None:
    app, upload_id = open_list(opened, open_page)
    choose_rule(app, upload_id, Keep.NEWEST)
    app.checkbox(key="go_repair").check().run()
    assert "Signed" not in str(app.query_params)
    query = {name: str(value) for name, value in app.query_params.items()}
    again = open_page(page_urls.CLEAN, **query)
    again.button(key="go_start").click().run()
    (task,) = opened.services.tasks.list(LOCAL_ACCOUNT)
    assert task.options.keep == KeepRule(Keep.NEWEST, 2)
    assert task.options.repair is not None
    assert task.options.repair.place is RepairPlace.REPLACE


@pytest.mark.slow
def test_that_every_row_stays_outlives_a_reload(opened: Application, open_page: OpenPage) -> None:
    app, upload_id = open_list(opened, open_page)
    app.toggle(key="go_deduplicate").set_value(False).run()
    assert app.query_params["keep"] == "all"
    again = open_page(page_urls.CLEAN, upload=upload_id, keep="all")
    assert not again.toggle(key="go_deduplicate").value
    again.toggle(key="go_deduplicate").set_value(True).run()
    assert "keep" not in again.query_params
    for nonsense in ({"keep": "x"}, {"keep": "newest", "date": "99"}, {"date": "-1", "repair": ""}):
        assert open_page(page_urls.CLEAN, upload=upload_id, **nonsense).button(key="go_start")


def test_how_dates_are_read_is_said_before_the_start(
    opened: Application, open_page: OpenPage
) -> None:
    app, upload_id = open_list(opened, open_page)
    choose_rule(app, upload_id, Keep.NEWEST)
    app.toggle(key="look_duplicates").set_value(True).run()
    said = " ".join(caption.value for caption in app.caption)
    assert "Dates in **Signed up** are read as month/day/year." in said
    assert "1 cell in **Signed up** is not a date Winnow can read" in said
    assert [row[2] for row in read_rows(app)] == ["2024-03-04", "2024-02-05", "no date", "no date"]


def test_a_guess_about_dates_is_loud(opened: Application, open_page: OpenPage) -> None:
    content = b"email,when\na@x.de,3/4/2024\na@x.de,4/3/2024\n"
    app, upload_id = open_list(opened, open_page, content)
    choose_rule(app, upload_id, Keep.NEWEST, 1)
    app.toggle(key="look_duplicates").set_value(True).run()
    assert any("No date in the column shows which" in one.value for one in app.warning)


def test_the_column_of_dates_is_to_be_chosen_first(
    opened: Application, open_page: OpenPage
) -> None:
    app, upload_id = open_list(opened, open_page, b"email,n\na@x.de,1\na@x.de,2\n")
    app.selectbox(key=f"go_{upload_id}_keep").select(Keep.NEWEST).run()
    assert app.selectbox(key=f"go_{upload_id}_keep_by").value is None
    assert app.button(key="go_start").disabled
    assert "First choose the date column." in [caption.value for caption in app.caption]
    app.selectbox(key=f"go_{upload_id}_keep_by").select(1).run()
    assert not app.button(key="go_start").disabled


def test_nothing_is_asked_where_every_row_stays(opened: Application, open_page: OpenPage) -> None:
    app, _ = open_list(opened, open_page)
    app.toggle(key="go_deduplicate").set_value(False).run()
    assert not [box for box in app.selectbox if "_keep" in str(box.key)]
    assert not [one for one in app.toggle if one.key == "look_duplicates"]
