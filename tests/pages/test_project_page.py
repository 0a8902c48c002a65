"""One project's page in each of its states."""

import random
import shutil
from dataclasses import replace

import pytest
from msgspec import to_builtins
from sqlalchemy import update
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from components.project.project_head import CHECK_AGAIN
from components.project.rows_table import sort_by_header
from tests.applications import (
    LIST,
    OpenApplication,
    complete,
    delete_for_good,
    receive,
    run,
    submit,
)
from tests.pages.conftest import Desk, open_tab, press, read_html, read_markdown
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.rows import IN_FILE, RowOrder, SortBy
from winnow.core.lists.side_files import OwnFileKind
from winnow.core.tasks.task import TaskState
from winnow.core.verdicts.verdict import Category
from winnow.storage.database.tables import tasks

MINUS = "\N{MINUS SIGN}"


def test_headline_figures_and_rows_of_a_completed_project(desk: Desk) -> None:
    app = desk.open_project(page="99")  # beyond the last one: the first
    assert app.title[0].value == "spring"
    assert "3 rows: 1 ✓ keep, 0 ◐ review, 0 ⊘ do not mail, 2 ✕ remove" in read_html(app)
    assert f"4 {MINUS} 1 duplicate {MINUS} 2 remove = <strong>1</strong>" in read_html(app)
    rows = app.dataframe[-1].value
    assert list(rows["email"]) == [
        "ONE@mailboxes.example",
        "two@throwaway.example",
        "not an address",
    ]
    assert list(rows["own-0"]) == ["02", "03", "04"]
    assert list(rows["reason"]) == [
        "public mailbox provider",
        "disposable service on independent lists",
        "no at-sign",
    ]
    assert [chips[0] for chips in rows["action"]] == ["✓ keep", "✕ remove", "✕ remove"]


def test_rows_to_review_are_left_out_in_one_press_and_a_selected_row_explained(
    desk: Desk,
) -> None:
    task = complete(desk.opened)
    desk.services.own_lists.add(LOCAL_ACCOUNT, "mailboxes.example", Category.GREY)
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    assert app.button(key="leave_review").label == "1 to review: leave it out"
    press(app, "leave_review")
    assert app.link_button[0].disabled
    assert app.button(key="leave_review").label == "Keep the rows to review"
    press(app, "leave_review")
    assert app.link_button[0].value == "Download 1 row"
    assert set(app.query_params) == {"task"}
    app.session_state[f"ticks_{task.task_id}"] = frozenset({2})
    app.run()
    press(app, "row_why_ticked")
    assert "two@throwaway.example" in read_html(app)
    assert "It is left out of your cleaned list." in read_html(app)
    assert "Row 4 of your list" in read_markdown(app)


def test_every_filter_of_an_address_holds_and_has_a_way_out(desk: Desk) -> None:
    task = complete(desk.opened).task_id
    filters = {
        "reason": "disposable_listed",
        "domain": "throwaway.example",
        "type": "disposable,free",
    }
    app = desk.open(page_urls.PROJECT, task=task, **filters)
    assert list(app.dataframe[-1].value["email"]) == ["two@throwaway.example"]
    press(app, "drop_reason_disposable_listed")
    press(app, "drop_type_free")
    assert {name: app.query_params.get(name) for name in filters} == {
        "reason": None,
        "domain": "throwaway.example",
        "type": "disposable",
    }


def test_filters_and_a_search_hold_and_count_what_is_left(desk: Desk) -> None:
    app = desk.open_project()
    # A closed menu has no widgets that could send former values.
    assert not {box.key for box in app.multiselect} & {"filter_type", "policy_goes_standard"}
    assert not {switch.key for switch in app.toggle} & {"network_dns"}
    assert "All 3 rows" in read_markdown(app)
    open_tab(app, "more_filters")
    app.multiselect(key="filter_provider").set_value(["mailboxes.example"]).run()
    assert app.query_params["provider"] == "mailboxes.example"
    assert "1 of 3 rows" in read_markdown(app)
    assert app.multiselect(key="filter_reason").options == ["Public mailbox provider 1"]
    assert len(app.multiselect(key="filter_provider").options) == 1
    assert show_rows(app) == ["ONE@mailboxes.example"]
    app.multiselect(key="filter_type").set_value(["free"])  # two that change at once
    app.button_group(key="filter_action").set_value(["keep"]).run()
    assert (app.query_params["type"], app.query_params["action"]) == ("free", "keep")
    app.multiselect(key="filter_provider").set_value([])
    app.multiselect(key="filter_type").set_value([])
    app.button_group(key="filter_action").set_value(["remove", "keep"]).run()
    assert app.query_params["action"] == "keep,remove"
    assert app.session_state["filter_action"] == ["remove", "keep"]  # not sent to the browser
    app.text_input(key="filter_search").set_value("two@throwaway.example").run()
    open_tab(app, "tabs", "Breakdown")
    open_tab(app, "tabs", "Rows")
    assert app.text_input(key="filter_search").value == "two@throwaway.example"
    assert show_rows(app) == ["two@throwaway.example"]
    assert set(app.query_params) == {"task", "action"}, "no search is in the address"
    app.button_group(key="filter_action").set_value(["review"]).run()
    assert "No row matches" in app.info[0].value
    open_tab(app, "tabs", "Breakdown")
    assert "**0 of 3 rows**" in {text.value for text in app.markdown}
    app.button(key="drop_action_review").click().run()
    assert "action" not in app.query_params
    open_tab(app, "tabs", "Rows")
    assert app.button(key="clear_filters")
    delete_for_good(desk.services, app.query_params["task"])  # in another tab
    app.button_group(key="filter_action").set_value(["remove"]).run()
    assert app.title[0].value == "This project is gone"


def test_a_processing_task_shows_its_phase_can_be_cancelled_and_run_again(desk: Desk) -> None:
    task = submit(desk.opened)
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    assert app.progress[0].text == "Waiting for its turn"
    press(app, "cancel_task")
    assert "cancelled" in app.error[0].value
    assert desk.services.tasks.get(LOCAL_ACCOUNT, task.task_id).error["code"] == "cancelled"  # type: ignore[index]
    press(app, "run_again")
    again = app.query_params["task"]
    assert again != task.task_id
    assert not app.link_button
    run(desk.opened)
    assert desk.services.tasks.get(LOCAL_ACCOUNT, again).state is TaskState.COMPLETED
    assert app.run().link_button


@pytest.mark.slow
def test_a_failed_task_says_what_is_wrong_and_how_to_mend(desk: Desk) -> None:
    late = LIST + b"05,x@y.example\r\n" * 100_000 + b'06,"' + b"y" * 2**21 + b'"\r\n'
    app = desk.open_project(late)
    assert "100006" in app.error[0].value.replace(",", "")
    assert not app.link_button


@pytest.mark.parametrize(
    ("query", "title"),
    [({}, "No project chosen"), ({"task": "nobody-knows"}, "There is no such project")],
    ids=["no-task", "unknown-task"],
)
def test_without_a_project_the_page_leads_on(desk: Desk, query: dict[str, str], title: str) -> None:
    app = desk.open(page_urls.PROJECT, **query)
    assert app.title[0].value == title
    assert {link.value for link in app.page_link} == {"See all projects", "Clean a list"}


@pytest.mark.parametrize(
    ("rows", "doubt"),
    [
        (
            ["one@mailboxes.example"] * 5,
            "80.0 % of the rows are duplicates. Is email the right column?",
        ),
        (
            ["Ana", "Ina", "one@mailboxes.example"],
            "No valid address in 66.7 % of the rows. Is email the right column?",
        ),
        (["Ana"], "No valid address in 100 % of the rows. Is email the right column?"),
    ],
    ids=["duplicates", "wrong-column", "no-domain"],
)
def test_a_doubtful_result_says_so(desk: Desk, rows: list[str], doubt: str) -> None:
    app = desk.open_project("\r\n".join(["email", *rows]).encode())
    assert doubt in app.warning[0].value
    open_tab(app, "tabs", "Breakdown")
    is_empty = "No row has a value." in {caption.value for caption in app.caption}
    assert is_empty is (rows == ["Ana"]), "a chart that has no bar is not drawn"


@pytest.mark.slow
def test_a_result_that_is_missing_is_told_and_made_anew(desk: Desk) -> None:
    task = complete(desk.opened)
    (folder,) = desk.opened.folder.results.iterdir()
    shutil.rmtree(folder)
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    assert "is missing" in app.error[0].value
    (button,) = [one for one in app.button if one.label == "Check the list again"]
    button.click().run()
    assert app.query_params["task"] != task.task_id
    run(desk.opened)
    app.run()
    assert f"4 {MINUS} 1 duplicate" in read_html(app)


def test_a_result_that_is_missing_with_its_list_is_uploaded_again(desk: Desk) -> None:
    task = complete(desk.opened)
    for path in (*desk.opened.folder.results.glob("*/*"), *desk.opened.folder.inputs.iterdir()):
        path.unlink()
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    assert "is missing" in app.error[0].value
    assert "Check the list again" not in [one.label for one in app.button]


def show_rows(app: AppTest) -> list[str]:
    return list(app.dataframe[-1].value["email"])


def test_all_rows_are_sorted_and_the_order_stands_in_the_address(desk: Desk) -> None:
    emails = [f"p{number:03}@firm-{'ba'[number % 2]}.de" for number in range(120)]
    shuffled = random.Random(4).sample(emails, len(emails))
    content = "\n".join(["email", *shuffled]).encode()
    app = desk.open_project(content, page="2")
    assert show_rows(app) == shuffled[50:100]
    task = app.query_params["task"]
    app = desk.open(page_urls.PROJECT, task=task, sort="address")
    assert show_rows(app) == sorted(emails)[:50]
    assert list(app.dataframe[-1].value["number"])[:2] == [
        shuffled.index(one) + 2 for one in sorted(emails)[:2]
    ]
    app = desk.open(page_urls.PROJECT, task=task, sort="-address")
    assert show_rows(app) == sorted(emails, reverse=True)[:50]


def test_a_click_on_a_column_sorts_up_then_down_then_as_in_the_file() -> None:
    up = sort_by_header(IN_FILE, ["email"])
    assert up == RowOrder(SortBy.ADDRESS)
    down = sort_by_header(up, [])
    assert down == RowOrder(SortBy.ADDRESS, descending=True)
    assert sort_by_header(down, []) == IN_FILE
    assert sort_by_header(down, ["own-3"]) == RowOrder(3)
    assert sort_by_header(down, ["why"]) == down


def test_a_project_of_before_the_noes_says_so(desk: Desk) -> None:
    task = complete(desk.opened)
    assert task.summary is not None
    older = to_builtins(replace(task.summary, do_not_mail={}))
    desk.opened.database.run(update(tasks).values(summary=older))
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    assert "Made by an earlier Winnow" in read_markdown(app)
    assert CHECK_AGAIN in [button.key for button in app.button]


def test_a_project_of_older_lists_says_so_and_is_checked_again(
    desk: Desk, open_application: OpenApplication
) -> None:
    today = desk.open_project()
    assert "Checked with the domain lists" not in read_markdown(today)
    assert CHECK_AGAIN not in [button.key for button in today.button]
    older = complete(open_application(known={}, data_version="2026-11-03.one"))
    opened = open_application()
    app = desk.open(page_urls.PROJECT, task=older.task_id)
    assert "Checked with the domain lists of 3 Nov 2026" in read_markdown(app)
    press(app, CHECK_AGAIN)
    run(opened)
    again = opened.services.tasks.get(LOCAL_ACCOUNT, app.query_params["task"])
    assert (again.task_id != older.task_id, again.project_name) == (True, older.project_name)
    assert again.summary is not None
    assert again.summary.by_category == {"white": 1, "black": 2}


def test_a_forecast_of_bounces_is_drawn_where_enough_is_known(desk: Desk) -> None:
    def bounce(domain: str, hard: int) -> None:
        lines = (f"p{one}@{domain},{'hard' if one < hard else 'delivered'}" for one in range(600))
        received = receive(desk.opened, "\n".join(["email,status", *lines]).encode(), "may.csv")
        desk.services.own_files.add(LOCAL_ACCOUNT, OwnFileKind.BOUNCES, received)

    domains = ["mailboxes.example"] * 2 + ["firm.example"]
    people = (f"q{number}@{domains[number % 3]}" for number in range(300))
    app = desk.open_project("\n".join(["email", *people]).encode())
    assert "bounced hard" not in read_markdown(app)
    bounce("mailboxes.example", 12)
    said = "Of 600 addresses of these kinds 2.0 % bounced hard; of 200 expect about 0 to 9."
    assert said in read_markdown(app.run())
    bounce("firm.example", 240)
    said = (
        "Of 1,200 addresses of these kinds 21.0 % bounced hard, 14.7 % by this list's mix of them;"
    )
    assert f"{said} of 300 expect about 33 to 56." in read_markdown(app.run())
