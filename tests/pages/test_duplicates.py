"""Duplicates before and after a run: which row stays is chosen, some are shown, another run."""

import pytest
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from tests.applications import complete, run, stage
from tests.pages.conftest import Desk, find_tables, open_tab, press
from winnow.core.identities import LOCAL_ACCOUNT
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


TWICE = b"id,email,when\n1,a@gmail.com,3.1.2024\n2,b@gmail.com,\n3,A@gmail.com,2.1.2024\n"


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
    app, upload_id = open_list(desk)
    assert not app.toggle(key=f"go_{upload_id}_join_aliases").value
    app.toggle(key=f"go_{upload_id}_join_aliases").set_value(True).run()
    press(app, "go_start")
    (task,) = desk.services.tasks.list(LOCAL_ACCOUNT)
    assert task.request.keep == KeepRule(joins_aliases=True)


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
    assert task.request.keep == KeepRule(Keep.NEWEST, 2)
    assert task.request.repair is not None
    assert task.request.repair.place is RepairPlace.REPLACE


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
    said = " ".join(caption.value for caption in app.caption).replace("\\", "")
    assert "Dates in “Signed up” were read as month/day/year." in said
    assert "Dates in “Signed up” are not all read. 1 cell holds no date that can be read" in said
    assert [row[2] for row in read_rows(app)] == ["2024-03-04", "2024-02-05", "no date", "no date"]


def test_the_column_of_dates_is_to_be_chosen_and_a_guess_about_them_is_loud(desk: Desk) -> None:
    app, upload_id = open_list(desk, b"email,when\na@x.de,3/4/2024\na@x.de,4/3/2024\n")
    app.selectbox(key=f"go_{upload_id}_keep").select(Keep.NEWEST).run()
    assert app.selectbox(key=f"go_{upload_id}_keep_by").value is None
    assert app.button(key="go_start").disabled
    assert "First choose the date column." in [caption.value for caption in app.caption]
    app.selectbox(key=f"go_{upload_id}_keep_by").select(1).run()
    assert not app.button(key="go_start").disabled
    app.toggle(key="look_duplicates").set_value(True).run()
    assert any("Nothing in the column says which" in one.value for one in app.warning)


def list_ids(opened: Application, task_id: str) -> list[str]:
    page = opened.services.results.rows(LOCAL_ACCOUNT, task_id, RowFilter(), 0, 9)
    return [row.cells[0] for row in page.rows]


def test_the_rows_that_stayed_are_shown(desk: Desk) -> None:
    task = complete(desk.opened, TWICE, keep=KeepRule(Keep.NEWEST, "when"))
    app = open_tab(desk.open(page_urls.PROJECT, task=task.task_id), "tabs", "Duplicates")
    said = "Of each address, the row with the newest date in when stayed."
    assert f"**1 duplicate was removed.** {said}" in [one.value for one in app.markdown]
    assert app.selectbox(key=f"again_{task.task_id}_keep_by").value == 2
    assert app.button(key="keep_again").disabled
    app.toggle(key="show_duplicates").set_value(True).run()
    assert [row[:3] for row in read_rows(app)] == [
        [2, "is kept", "2024-01-03"],
        [4, "is removed", "2024-01-02"],
    ]


def test_another_rule_makes_a_project_of_its_own(desk: Desk) -> None:
    kept = complete(desk.opened, TWICE, deduplicate=False)
    app = open_tab(desk.open(page_urls.PROJECT, task=kept.task_id), "tabs", "Duplicates")
    assert not [one for one in app.toggle if one.key == "show_duplicates"], "no row was removed"
    task = complete(desk.opened, TWICE)
    app = open_tab(desk.open(page_urls.PROJECT, task=task.task_id), "tabs", "Duplicates")
    assert app.button(key="keep_again").disabled
    app.selectbox(key=f"again_{task.task_id}_keep").select(Keep.NEWEST).run()
    assert app.button(key="keep_again").disabled
    assert "First choose the date column." in [caption.value for caption in app.caption]
    app.selectbox(key=f"again_{task.task_id}_keep_by").select(2).run()
    press(app, "keep_again")
    run(desk.opened)
    known = (kept.task_id, task.task_id)
    (made,) = (one for one in desk.services.tasks.list(LOCAL_ACCOUNT) if one.task_id not in known)
    assert made.request.keep == KeepRule(Keep.NEWEST, 2)
    assert app.query_params["task"] in (made.task_id, [made.task_id])
    assert list_ids(desk.opened, task.task_id) == ["2", "3"]
    assert list_ids(desk.opened, made.task_id) == ["1", "2"]
