"""The duplicates of a finished project: which row stayed, some of them, another run."""

from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from tests.applications import complete, run
from tests.pages.conftest import Desk, find_tables, open_tab, press
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.lists.rows import RowFilter
from winnow.core.tasks.keep_rule import Keep, KeepChoice, KeepRule
from winnow.wiring import Application

LIST = b"id,email,when\n1,a@gmail.com,3.1.2024\n2,b@gmail.com,\n3,A@gmail.com,2.1.2024\n"


def read_rows(app: AppTest) -> list[list[object]]:
    (frame,) = find_tables(app, "fate")
    return [list(row) for row in frame.itertuples(index=False)]


def list_ids(opened: Application, task_id: str) -> list[str]:
    page = opened.services.results.rows(LOCAL_ACCOUNT, task_id, RowFilter(), 0, 9)
    return [row.cells[0] for row in page.rows]


def test_the_rows_that_stayed_are_shown(desk: Desk) -> None:
    task = complete(desk.opened, LIST, keep=KeepChoice(Keep.NEWEST, "when"))
    app = open_tab(desk.open(page_urls.PROJECT, task=task.task_id), "tabs", "Duplicates")
    said = "Of each address, the row with the newest date in when stayed."
    assert f"**1 duplicate was removed.** {said}" in [one.value for one in app.markdown]
    app.toggle(key="show_duplicates").set_value(True).run()
    assert [row[:3] for row in read_rows(app)] == [
        [2, "stays", "2024-01-03"],
        [4, "is removed", "2024-01-02"],
    ]


def test_another_rule_makes_a_project_of_its_own(desk: Desk) -> None:
    task = complete(desk.opened, LIST)
    app = open_tab(desk.open(page_urls.PROJECT, task=task.task_id), "tabs", "Duplicates")
    assert app.button(key="keep_again").disabled
    app.selectbox(key=f"again_{task.task_id}_keep").select(Keep.NEWEST).run()
    assert app.button(key="keep_again").disabled
    app.selectbox(key=f"again_{task.task_id}_keep_by").select(2).run()
    press(app, "keep_again")
    run(desk.opened)
    (made,) = [
        one for one in desk.services.tasks.list(LOCAL_ACCOUNT) if one.task_id != task.task_id
    ]
    assert made.options.keep == KeepRule(Keep.NEWEST, 2)
    assert app.query_params["task"] in (made.task_id, [made.task_id])
    assert list_ids(desk.opened, task.task_id) == ["2", "3"]
    assert list_ids(desk.opened, made.task_id) == ["1", "2"]


def test_where_nothing_went_nothing_is_said(desk: Desk) -> None:
    task = complete(desk.opened, LIST, deduplicate=False)
    app = open_tab(desk.open(page_urls.PROJECT, task=task.task_id), "tabs", "Duplicates")
    assert not [one for one in app.toggle if one.key == "show_duplicates"]
