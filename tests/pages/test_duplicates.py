"""Duplicates on "Clean a list": which row stays is chosen, and some groups show it beforehand."""

import pytest
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from tests.applications import stage
from tests.pages.conftest import Desk, find_tables, press
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.repair_choice import RepairPlace

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


def open_list(desk: Desk, content: bytes = ROWS) -> tuple[AppTest, str]:
    upload = stage(desk.opened, content)
    return desk.open(page_urls.CLEAN, upload=upload.upload_id), upload.upload_id


def choose_newest(app: AppTest, upload_id: str, date_column: int = 2) -> None:
    app.selectbox(key=f"go_{upload_id}_keep").select(Keep.NEWEST).run()
    app.selectbox(key=f"go_{upload_id}_keep_by").select(date_column).run()


def read_rows(app: AppTest) -> list[list[object]]:
    (frame,) = find_tables(app, "fate")
    return [list(row) for row in frame.itertuples(index=False)]


def test_aliases_are_joined_where_that_is_chosen(desk: Desk) -> None:
    app, _ = open_list(desk)
    assert not app.toggle(key="go_join_aliases").value
    app.toggle(key="go_join_aliases").set_value(True).run()
    app.toggle(key="go_mailbox").set_value(True).run()
    press(app, "go_start")
    (task,) = desk.services.tasks.list(LOCAL_ACCOUNT)
    assert task.options.keep == KeepRule(joins_aliases=True, adds_mailbox=True)


@pytest.mark.slow
def test_what_is_chosen_outlives_a_reload(desk: Desk) -> None:
    app, upload_id = open_list(desk)
    choose_newest(app, upload_id)
    app.checkbox(key="go_repair").check().run()
    assert "Signed" not in str(app.query_params)
    query = {name: str(value) for name, value in app.query_params.items()}
    again = desk.open(page_urls.CLEAN, **query)
    again.button(key="go_start").click().run()
    (task,) = desk.services.tasks.list(LOCAL_ACCOUNT)
    assert task.options.keep == KeepRule(Keep.NEWEST, 2)
    assert task.options.repair is not None
    assert task.options.repair.place is RepairPlace.REPLACE


@pytest.mark.slow
def test_that_every_row_stays_outlives_a_reload(desk: Desk) -> None:
    app, upload_id = open_list(desk)
    app.toggle(key="go_deduplicate").set_value(False).run()
    assert app.query_params["keep"] == "all"
    assert not [box for box in app.selectbox if "_keep" in str(box.key)]
    assert not [one for one in app.toggle if one.key == "look_duplicates"]
    again = desk.open(page_urls.CLEAN, upload=upload_id, keep="all")
    assert not again.toggle(key="go_deduplicate").value
    again.toggle(key="go_deduplicate").set_value(True).run()
    assert "keep" not in again.query_params
    for nonsense in ({"keep": "x"}, {"keep": "newest", "date": "99"}, {"date": "-1", "repair": ""}):
        assert desk.open(page_urls.CLEAN, upload=upload_id, **nonsense).button(key="go_start")


def test_how_dates_are_read_is_said_before_the_start(desk: Desk) -> None:
    app, upload_id = open_list(desk)
    choose_newest(app, upload_id)
    app.toggle(key="look_duplicates").set_value(True).run()
    said = " ".join(caption.value for caption in app.caption)
    assert "Dates in **Signed up** are read as month/day/year." in said
    assert "1 cell in **Signed up** is not a date Winnow can read" in said
    assert [row[2] for row in read_rows(app)] == ["2024-03-04", "2024-02-05", "no date", "no date"]


def test_a_guess_about_dates_is_loud(desk: Desk) -> None:
    content = b"email,when\na@x.de,3/4/2024\na@x.de,4/3/2024\n"
    app, upload_id = open_list(desk, content)
    choose_newest(app, upload_id, 1)
    app.toggle(key="look_duplicates").set_value(True).run()
    assert any("No date in the column shows which" in one.value for one in app.warning)


def test_the_column_of_dates_is_to_be_chosen_first(desk: Desk) -> None:
    app, upload_id = open_list(desk, b"email,n\na@x.de,1\na@x.de,2\n")
    app.selectbox(key=f"go_{upload_id}_keep").select(Keep.NEWEST).run()
    assert app.selectbox(key=f"go_{upload_id}_keep_by").value is None
    assert app.button(key="go_start").disabled
    assert "First choose the date column." in [caption.value for caption in app.caption]
    app.selectbox(key=f"go_{upload_id}_keep_by").select(1).run()
    assert not app.button(key="go_start").disabled
